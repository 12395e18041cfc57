import type { Denial } from "../../policy/denial.ts";
import { accessTo } from "../../profile/access-to.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";

interface FailedProgram {
  readonly said: string;
  readonly profile: Profile;
  readonly inside: Readonly<Record<string, string>>;
  /** The supervisor's own environment. */
  readonly outside: Readonly<Record<string, string | undefined>>;
}

/** Messages of TLS clients about an unknown signer (OpenSSL, GnuTLS, Node, Go, rustls, Java). */
const UNTRUSTED =
  /self[- _]signed[- _]cert|unable[- _]to[- _]get[- _](?:local[- _])?issuer|UNABLE_TO_VERIFY_LEAF|CERTIFICATE_VERIFY_FAILED|certificate verify failed|SSL certificate problem|signer (?:is )?not (?:found|known)|unknown authority|UnknownIssuer|unable to find valid certification path/i;

/** Variables that point clients to a machine's own authorities, each to a file or a folder. */
const NAMES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "DENO_CERT",
  "AWS_CA_BUNDLE",
] as const;

/** Failures that no certificate of this machine would prevent. */
const OTHERWISE = /expired|not yet valid|mismatch|does ?n[o']t match/i;

/** The caller's certificate variables that are not passed on, if a program trusted no certificate. */
export function certificateDenials({ said, profile, inside, outside }: FailedProgram): readonly Denial[] {
  if (!said.split("\n").some((line) => UNTRUSTED.test(line) && !OTHERWISE.test(line))) return [];
  const missing = NAMES.filter((name) => outside[name] !== undefined && inside[name] === undefined);
  if (missing.length === 0) return [];
  const hidden = missing.filter((name) =>
    (outside[name] ?? "").split(":").some((path) => isHidden(path, profile)),
  );
  const also =
    hidden.length === 0
      ? ""
      : `; the file that ${hidden.join(", ")} names is not in the sandbox: copy it to a folder under \`sandbox.paths\`, and name that copy`;
  return [
    {
      operation: "use",
      target: "the certificates of this machine",
      certainty: "likely",
      because: `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} set outside the sandbox, but not passed to commands`,
      remedy: `list ${missing.join(", ")} in \`sandbox.env.pass\`${also}`,
    },
  ];
}

function isHidden(path: string, profile: Profile): boolean {
  return isAbsolutePath(path) && accessTo(profile, path, { kind: "file", bornInside: false }) === "none";
}
