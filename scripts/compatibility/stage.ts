import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { portOf } from "../../test/support/web/port-of.ts";
import type { Row } from "./row.ts";

/** Whose folders a place is, where that is not the user who runs this. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** A project of a person's, with a home folder and a temporary one beside it. */
export interface Place {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  readonly temporary: string;
}

/** Makes the folders of a place, and the row's files in its project. */
export function makePlace(folder: string, { files = {} }: Pick<Row, "files">): Place {
  const at = (name: string): string => join(folder, name);
  const place = { folder, project: at("project"), home: at("home"), temporary: at("tmp") };
  for (const path of Object.values(place)) mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.project, name)), { recursive: true });
    writeFileSync(join(place.project, name), text);
  }
  return place;
}

/** Gives a person the folders of a place; files beside them keep their owner. */
export function give({ project, home, temporary }: Place, { uid, gid }: Owner): void {
  spawnSync("/bin/chown", ["-hR", `${uid}:${gid}`, project, home, temporary]);
}

/** Replaces the real path of the place with that of an example home folder. */
export function told(text: string, { project, home }: Place): string {
  return text.replaceAll(project, "/home/you/project").replaceAll(home, "/home/you");
}

const Section = z.record(z.string(), z.json());
type Section = z.infer<typeof Section>;

/**
 * The config that a person would write: the project can be changed, the programs are what PATH has, nothing else is said.
 * `setting` is YAML that is laid over it; its `/home/you` is the home of the place.
 */
export function configText(place: Place, runtimes: readonly string[], setting = "{}"): string {
  const project = { root: place.project, mode: "rw", write_approval: false };
  const base: Section = { version: 1, sandbox: { paths: { project }, runtimes: [...runtimes] } };
  const more = Section.parse(parse(setting.replaceAll("/home/you", place.home)));
  return `${JSON.stringify(laidOver(base, more), null, 2)}\n`;
}

function laidOver(base: Section, more: Section): Section {
  const entries = Object.entries(more).map(([key, value]) => {
    const [before, after] = [Section.safeParse(base[key]), Section.safeParse(value)];
    return [key, before.success && after.success ? laidOver(before.data, after.data) : value] as const;
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/** Servers of the host's own that lines may ask: on its loopback, and at a unix socket as a container daemon does. */
export class HostServers implements AsyncDisposable {
  readonly port: number;
  readonly socket: string;
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[], port: number, socket: string) {
    this.#servers = servers;
    this.port = port;
    this.socket = socket;
  }

  static async start(folder: string): Promise<HostServers> {
    const socket = join(folder, "daemon.sock");
    const [port, daemon] = [answering().listen(0, "127.0.0.1"), answering().listen(socket)];
    await Promise.all([once(port, "listening"), once(daemon, "listening")]);
    return new HostServers([port, daemon], portOf(port), socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Answers like a container daemon without containers. */
function answering(): Server {
  return createServer((_, answer) => {
    answer.setHeader("Api-Version", "1.41").setHeader("Content-Type", "application/json");
    answer.end("[]\n");
  });
}

/** The line for bash: it stops at the first step that fails, and ends its background processes. */
export function scriptOf(
  steps: readonly string[],
  values: Readonly<Record<string, string | number>> = {},
): string {
  const text = ["set -eu -o pipefail", "trap 'jobs -p | xargs -r kill 2>/dev/null || :' EXIT", ...steps].join(
    "\n",
  );
  return Object.entries(values).reduce(
    (made, [name, value]) => made.replaceAll(`{${name}}`, String(value)),
    text,
  );
}
