import { accessTo } from "../profile/access-to.ts";
import { isAbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Denial } from "./denial.ts";

/** A program that failed. */
interface FailedProgram {
  /** The end of what it said on standard error. */
  readonly said: string;
  /** What it was given. */
  readonly profile: Profile;
  /** Its environment. */
  readonly inside: Readonly<Record<string, string>>;
  /** The supervisor's own. */
  readonly outside: Readonly<Record<string, string | undefined>>;
}

/** How TLS clients tell that they know nobody who signed a certificate (OpenSSL, GnuTLS, Node, Go, rustls, Java). */
const UNTRUSTED =
  /self[- _]signed[- _]cert|unable[- _]to[- _]get[- _](?:local[- _])?issuer|UNABLE_TO_VERIFY_LEAF|CERTIFICATE_VERIFY_FAILED|certificate verify failed|SSL certificate problem|signer (?:is )?not (?:found|known)|unknown authority|UnknownIssuer|unable to find valid certification path/i;

/** Variables by which clients are told of a machine's own authorities, each a file or a folder. */
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

/** The caller's variables that name certificates and are not passed on, where a program trusted no certificate. */
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
      : `; what ${hidden.join(", ")} names is not in the sandbox: copy it to a folder that \`sandbox.paths\` lists, and name that`;
  return [
    {
      operation: "use",
      target: "the certificates of this machine",
      certainty: "likely",
      because: `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} set outside, and not passed to commands`,
      remedy: `pass ${missing.join(", ")} in \`sandbox.env.pass\`${also}`,
    },
  ];
}

/** True for a file or folder that the profile does not show. */
function isHidden(path: string, profile: Profile): boolean {
  return isAbsolutePath(path) && accessTo(profile, path, { kind: "file", bornInside: false }) === "none";
}
