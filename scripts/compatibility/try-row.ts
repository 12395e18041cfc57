import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyNotRun } from "../../src/decide/outcome.ts";
import { type Host, thisHost } from "../../src/host/look/host.ts";
import { detectRuntimes, everyRuntime } from "../../src/host/look/runtimes.ts";
import { createSupervisor } from "../../src/index.ts";
import { MemoryJournal } from "../../src/journal/journal.ts";
import { knownPath } from "../../src/profile/path.ts";
import { freePort } from "../../test/support/web/free-port.ts";
import { runPlainly } from "./plainly.ts";
import type { Row } from "./row.ts";
import {
  configText,
  give,
  type HostServers,
  makePlace,
  type Owner,
  type Place,
  scriptOf,
  told,
} from "./stage.ts";
import { type Attempt, type Verdict, verdictOf } from "./verdict.ts";

/** The parts that all rows of a run share. */
export interface Bench {
  /** The folder of the row; nothing is written elsewhere. */
  readonly folder: string;
  /** The machine, with a state folder of the run's own. */
  readonly host: Host;
  readonly servers: Pick<HostServers, "port" | "socket">;
  /** The owner of the projects, if it is another user: tools then run as that user. */
  readonly owner: Owner | null;
  readonly signal: AbortSignal;
}

/** The machine as a run has it: no operator's profile of its own, and no state of the person's. */
export function benchHost(stateFolder: string, env = process.env): Host {
  return thisHost({ env, stateFolder: knownPath(stateFolder), operatorFolders: [] });
}

/** The time limit of a line, with and without the sandbox. */
const MAX_MS = 120_000;

/**
 * Tries a row without and in the sandbox, and with its setting if it has one, each in a new project. Returns the verdict.
 */
export async function tryRow(row: Row, bench: Bench): Promise<Verdict> {
  const folders = programFolders(bench.host);
  const lacking = row.needs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (lacking.length > 0) return { kind: "untried", why: `${lacking.join(", ")} is not installed` };
  if (row.packages !== undefined && !(await fetched(row.packages, bench)))
    return { kind: "untried", why: `npm can't get ${row.packages.join(" ")} here` };
  const { port, socket } = bench.servers;
  const values = { port, socket, free: await freePort() };
  const scripts = [row.line, row.next ?? []]
    .filter((steps) => steps.length > 0)
    .map((steps) => scriptOf(steps, values));
  const control = await attempt(row, bench, "control", (place) => withoutSandbox(row, place, scripts, bench));
  if (!control.isDone) return verdictOf(row, { control, plain: control, set: null });
  const plain = await attempt(row, bench, "plain", (place) => inSandbox(place, scripts, bench));
  const { setting } = row;
  if (setting === undefined) return verdictOf(row, { control, plain, set: null });
  const set = await attempt(row, bench, "set", (place) => inSandbox(place, scripts, bench, setting));
  return verdictOf(row, { control, plain, set });
}

/** The folders of programs in the sandbox: those of the machine's runtimes, in order. */
export function programFolders(host: Host): readonly string[] {
  return [...new Set(everyRuntime(host, []).flatMap((runtime) => runtime.path))];
}

/** Downloads packages of npm once for all places of a row, as the person does, with the person's cache. */
async function fetched(packages: readonly string[], bench: Bench): Promise<boolean> {
  const { project } = makePlace(packagesOf(bench), { files: { "package.json": "{}" } });
  const options = ["--ignore-scripts", "--prefer-offline", "--silent", "--no-audit", "--no-fund"];
  const manner = { cwd: project, env: bench.host.env, owner: null, signal: bench.signal };
  return (await runPlainly(["npm", "install", ...options, ...packages], manner)).isDone;
}

function packagesOf(bench: Bench): string {
  return join(bench.folder, "packages");
}

/** Runs it in a new place with the needs and the preparation of the row. */
async function attempt(
  row: Row,
  bench: Bench,
  name: string,
  run: (place: Place) => Promise<Attempt>,
): Promise<Attempt> {
  const place = makePlace(join(bench.folder, name), row);
  if (row.packages !== undefined) {
    const from = join(packagesOf(bench), "project/node_modules");
    cpSync(from, join(place.project, "node_modules"), { recursive: true, verbatimSymlinks: true });
  }
  writeConfig(place, bench);
  if (bench.owner !== null) give(place, bench.owner);
  // The person may be behind a proxy, or have certificates of their own.
  const env = { ...bench.host.env, ...namesOf(place, bench) };
  const before = await plainly(["bash", "-c", scriptOf(row.before ?? [])], place, env, bench);
  const made = before.isDone ? await run(place) : before;
  bench.signal.throwIfAborted();
  return { ...made, said: told(made.said, place) };
}

/** Variables by which programs know a place. */
function namesOf({ home, temporary }: Place, { host }: Bench): Readonly<Record<string, string>> {
  return { PATH: programFolders(host).join(":"), HOME: home, TMPDIR: temporary };
}

function plainly(
  argv: readonly [string, ...string[]],
  { project }: Place,
  env: Readonly<Record<string, string | undefined>>,
  { owner, signal }: Bench,
): Promise<Attempt> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  return runPlainly(argv, { cwd: project, env, owner, signal: until });
}

/** Runs it with the environment of the sandbox, except for HOME and the folder for temporary files. */
function withoutSandbox(row: Row, place: Place, scripts: readonly string[], bench: Bench): Promise<Attempt> {
  const env = { ...namesOf(place, bench), LANG: "C.UTF-8", SHELL: "/bin/sh", USER: "user" };
  return untilOneFails(scripts, (script) =>
    plainly(row.controlArgv ?? ["bash", "-c", script], place, { ...env, LINE: script }, bench),
  );
}

/** Runs each script as a call of a person, in a project with a minimal config. */
async function inSandbox(
  place: Place,
  scripts: readonly string[],
  bench: Bench,
  setting?: string,
): Promise<Attempt> {
  const { host } = bench;
  const config = writeConfig(place, bench, setting);
  const cwd = knownPath(place.project);
  await using supervisor = await createSupervisor({ host, config, cwd, journal: new MemoryJournal() });
  const session = supervisor.session({ caller: "person" });
  const options = { signal: bench.signal, timeoutMs: MAX_MS };
  return await untilOneFails(scripts, async (script) => {
    const outcome = await session.call("shell", { argv: ["bash", "-c", script] }, options);
    if (!("receipt" in outcome)) {
      const { reason, hint } = whyNotRun(outcome);
      return { isDone: false, said: reason, remedies: [hint] };
    }
    const denials = "denials" in outcome ? (outcome.denials ?? []) : [];
    return {
      isDone: outcome.kind === "done",
      said: [outcome.stdout, outcome.stderr].map(({ bytes }) => bytes.toString()).join(""),
      remedies: denials.map(({ remedy }) => remedy),
    };
  });
}

/** Runs scripts one after the other, until one fails. */
async function untilOneFails(
  scripts: readonly string[],
  run: (script: string) => Promise<Attempt>,
): Promise<Attempt> {
  let last: Attempt = { isDone: true, said: "", remedies: [] };
  for (const script of scripts) {
    const { isDone, said, remedies } = await run(script);
    last = { isDone, said: last.said + said, remedies: [...last.remedies, ...remedies] };
    if (!isDone) break;
  }
  return last;
}

/**
 * The config lies in the project from the start, where a person keeps it; beside it where the project is another user's,
 * whose config would be refused.
 */
function writeConfig(place: Place, { host, owner }: Bench, setting?: string): string {
  const path = join(owner === null ? place.project : place.folder, "cofferdam.yaml");
  const runtimes = detectRuntimes(host, [knownPath(place.project)]);
  writeFileSync(path, configText(place, runtimes, setting));
  return path;
}
