import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSupervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("a machine with certificates of its own");

/** Makes a certificate for `localhost` that nobody signed, and its key. */
function makeCertificate(place: Place): string {
  const file = `${place.folder("own")}/ca.pem`;
  const made = spawnSync("/usr/bin/openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", `${place.ws}/key.pem`, "-out", file],
  ]);
  expect([made.status, made.error]).toEqual([0, undefined]);
  copyFileSync(file, `${place.ws}/cert.pem`);
  return file;
}

/** Asks a server inside for a page, over TLS. */
const PAGE = `openssl s_server -accept 8443 -cert cert.pem -key key.pem -www >/dev/null 2>&1 &
  for try in 1 2 3 4 5 6 7 8 9 10; do
    curl -sS -o page https://localhost:8443/ 2>said && exit 0
    grep -q "onnect to" said || break; sleep 0.3
  done; cat said >&2; exit 1`;

describe.skipIf(unusable !== null)("a machine with certificates of its own", () => {
  it("is told which variable names them, where a command did not get it, and how it does", async () => {
    using place = new Place(CALLER);
    const file = makeCertificate(place);
    const env = { PATH: "/usr/bin:/bin", XDG_STATE_HOME: place.state, CURL_CA_BUNDLE: file };
    const run = async (pass: readonly string[], paths: object, given: NodeJS.ProcessEnv = env) => {
      const ws = { root: place.ws, mode: "rw", write_approval: false };
      const config = place.config({
        sandbox: { paths: { ws, ...paths }, env: { pass } },
        shell: { default: { approval: false } },
      });
      const host = place.host({ env: given });
      await using supervisor = await createSupervisor({ config, cwd: knownPath(place.ws), host });
      const outcome = await supervisor.session().call("shell", { argv: ["sh", "-c", PAGE] });
      return [outcome.kind, ...("denials" in outcome ? (outcome.denials ?? []) : [])];
    };
    const told = {
      operation: "use",
      target: "the certificates of this machine",
      certainty: "likely",
      because: "CURL_CA_BUNDLE is set outside the sandbox, but not passed to commands",
    };
    const list =
      "; the file that CURL_CA_BUNDLE names is not in the sandbox: copy it to a folder under `sandbox.paths`, and name that copy";
    const remedy = "list CURL_CA_BUNDLE in `sandbox.env.pass`";
    expect(await run([], {})).toEqual(["failed", { ...told, remedy: `${remedy}${list}` }]);
    const own = { root: `${place.top}/own`, mode: "ro" };
    expect(await run([], { own })).toEqual(["failed", { ...told, remedy }]);
    expect(await run(["CURL_CA_BUNDLE"], { own })).toEqual(["done"]);
    copyFileSync(file, `${place.ws}/copy.pem`);
    expect(await run(["CURL_CA_BUNDLE"], {}, { ...env, CURL_CA_BUNDLE: `${place.ws}/copy.pem` })).toEqual([
      "done",
    ]);
    // Without such a variable it is told nothing that it does not know.
    const { CURL_CA_BUNDLE: _, ...without } = env;
    expect(await run([], {}, without)).toEqual(["failed"]);
  });
});
