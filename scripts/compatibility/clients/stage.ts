import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { detectRuntimes } from "../../../src/host/look/runtimes.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { Supervisor } from "../../../src/session/supervisor.ts";
import { CALLER } from "../../../test/support/battery/people.ts";
import { Place } from "../../../test/support/battery/place.ts";
import { CERTIFICATE } from "../../../test/support/web/certificate.ts";
import { localOutside } from "../../../test/support/web/local-outside.ts";
import { Web } from "../../../test/support/web/whole-web.ts";
import { scriptOf } from "../stage.ts";
import type { Client } from "./client.ts";
import { registriesIn } from "./registries.ts";
import { repositoryIn } from "./repository.ts";

/** Hosts that the certificate is good for: one is listed, the other is not. */
export const [LISTED, UNLISTED] = ["listed.pages.example.test", "other.pages.example.test"] as const;

/** The ports at which the web stands, on either host. */
export const PORTS = { http: 80, https: 443 } as const;

/** The Node that runs the tests comes first: beside the machine's npm there may be an older one. */
export const PATH = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);

/** The oldest Node that the package promises to run on. */
export const OLDEST = join(import.meta.dirname, "../../../.cofferdam-node/22.18.0/bin/node");

/** The result of a client's line: its status, its output, refusals, and the requests at the web. */
export interface Tried {
  readonly kind: string;
  readonly said: string;
  readonly denied: readonly string[];
  readonly seen: readonly string[];
}

/** Variables by which programs are told of a certificate that they trust. */
const TRUST = ["CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"] as const;

/** A web of two hosts, and a supervisor whose commands reach one of them. */
export class ClientStage implements AsyncDisposable {
  readonly web: Web;
  readonly #place: Place;
  readonly #supervisor: Supervisor;
  readonly #ends: AsyncDisposableStack;
  #lines = 0;

  private constructor(web: Web, place: Place, supervisor: Supervisor, ends: AsyncDisposableStack) {
    this.web = web;
    this.#place = place;
    this.#supervisor = supervisor;
    this.#ends = ends;
  }

  static async start(): Promise<ClientStage> {
    await using ends = new AsyncDisposableStack();
    const served = ends.adopt(mkdtempSync(join(tmpdir(), "cofferdam-web-")), (folder) =>
      rmSync(folder, { recursive: true }),
    );
    const web = ends.use(await Web.start({ git: repositoryIn(served), ...registriesIn(served) }));
    const place = ends.use(new Place(CALLER));
    place.file("ws/ca.pem", CERTIFICATE);
    const supervisor = ends.use(await supervisorIn(place, web));
    return new ClientStage(web, place, supervisor, ends.move());
  }

  /** Runs a client's line against a host, in a folder of its own. */
  async try(client: Client, host: string, without: readonly string[] = []): Promise<Tried> {
    this.#lines += 1;
    const folder = join("ws", String(this.#lines));
    mkdirSync(join(this.#place.top, folder));
    for (const [name, text] of Object.entries(client.files ?? {})) {
      mkdirSync(dirname(join(this.#place.top, folder, name)), { recursive: true });
      this.#place.file(join(folder, name), text);
    }
    const ca = join(this.#place.ws, "ca.pem");
    const values = { web: `${client.scheme}://${host}`, host, ca, oldest: OLDEST };
    const steps = [`cd ${this.#lines}`, ...without.map((name) => `unset ${name}`), ...client.line];
    const before = this.web.seen.length;
    const outcome = await this.#supervisor
      .session()
      .call("shell", { argv: ["bash", "-c", scriptOf(steps, values)] }, { timeoutMs: 25_000 });
    if (!("stdout" in outcome)) throw new Error(JSON.stringify(outcome));
    return {
      kind: outcome.kind,
      said: [outcome.stdout, outcome.stderr].map(({ bytes }) => bytes.toString()).join(""),
      denied: (outcome.denials ?? []).map(({ operation, target }) => `${operation} ${target}`),
      seen: this.web.seen.slice(before),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ends.disposeAsync();
  }
}

/** A config that grants the programs on PATH and lists one host of the web. */
function supervisorIn(place: Place, web: Web): Promise<Supervisor> {
  const env = { ...place.host().env, PATH };
  const found = detectRuntimes(place.host({ env }), [knownPath(place.ws)]);
  const oldest = existsSync(OLDEST) ? [{ name: "oldest", read: [dirname(OLDEST)] }] : [];
  const ports = [LISTED, UNLISTED].flatMap((host) => [
    [`${host}:${PORTS.http}`, web.ports.http] as const,
    [`${host}:${PORTS.https}`, web.ports.https] as const,
  ]);
  const set = Object.fromEntries(TRUST.map((name) => [name, join(place.ws, "ca.pem")]));
  const hosts = Object.values(PORTS).map((port) => `${LISTED}:${port}`);
  return place.supervisor(
    {
      sandbox: { runtimes: [...found, ...oldest], env: { set } },
      shell: { network: { hosts }, default: { approval: false } },
    },
    { env, outside: localOutside({ names: {}, ports: Object.fromEntries(ports) }) },
  );
}
