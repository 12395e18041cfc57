import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Person } from "../battery/people.ts";
import type { AgentJob, AgentReply } from "./agent-job.ts";
import type { AttackPlan, AttackResult } from "./attack-plan.ts";
import type { Layout } from "./layout.ts";
import { plantsIn } from "./plants.ts";
import type { Site } from "./site.ts";
import { type Ran, run } from "./workshop.ts";

/** Who starts what, and in which root. */
export interface Trial {
  readonly layout: Layout;
  readonly site: Site;
  readonly person: Person;
  readonly root: string;
}

/** What came of attacks from inside. */
export interface Tried {
  readonly agent: AgentReply;
  readonly attack: AttackResult | null;
  /** What decides which code runs, and is another than before. */
  readonly changed: readonly string[];
  /** Planted code that ran. */
  readonly ran: readonly string[];
  readonly starts: readonly Ran[];
}

/** Parts of the package that are loaded when somebody asks for them. */
const PARTS = ["mcp", "http", "telegram", "postgres"];

/** What a person starts who comes back. */
const STARTS: readonly (readonly string[])[] = [["run", "--", "true"], ["doctor"], ["mcp"]];

/** Attacks everything from inside a sandbox of a real supervisor, and then has it and its command line load what they load. */
export async function attackFromInside(trial: Trial): Promise<Tried> {
  const { site, root } = trial;
  prepare(trial);
  const before = snapshot(trial);
  const agent = await runAgent(trial, [
    ["shell", { argv: ["node", "attack.mts", "attack-plan.json"] }],
    ...fileToolCalls(trial),
    ["write_file", { path: "ws:unasked.txt", content: "x" }],
    ["shell", { argv: ["git", "status"] }],
    ["web_fetch", { url: "https://example.org/" }],
  ]);
  const after = snapshot(trial);
  const starts = await startAll(trial);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  return { agent, attack: resultIn(root), changed, ran: marksAt(site), starts };
}

/** The same without any sandbox: what runs after that shows that the attacks are attacks. */
export async function attackFromOutside(trial: Trial): Promise<Pick<Tried, "attack" | "ran">> {
  const { site, root, person } = trial;
  prepare(trial);
  await run([site.node, "attack.mts", "attack-plan.json"], { cwd: root, env: {}, ...person.runAs });
  await runAgent(trial, []);
  await startAll(trial);
  return { attack: resultIn(root), ran: marksAt(site) };
}

/** Puts the program, its plan and the agent where they are run, and gives all to the person. */
export function prepare(trial: Trial): void {
  const { site, root, person, layout } = trial;
  writeFileSync(site.mark, "");
  chmodSync(site.mark, 0o666);
  rmSync(join(root, "attack-result.json"), { force: true });
  cpSync(join(import.meta.dirname, "attack.ts"), join(root, "attack.mts"));
  cpSync(join(import.meta.dirname, "agent.ts"), join(site.project, "agent.mts"));
  writeFileSync(join(root, "attack-plan.json"), JSON.stringify(planFor(trial)));
  const paths = { ws: { root, mode: "rw", write_approval: false } };
  const config = {
    version: 1,
    sandbox: { paths, runtimes: ["system", "node"] },
    shell: { default: { approval: false }, network: { hosts: ["example.org:443"] } },
    web_fetch: { domains: ["example.org"], approval: "unlisted" },
  };
  writeFileSync(join(site.top, "agent.yaml"), JSON.stringify(config));
  const owner = spawnSync("chown", ["-R", `${person.uid}:${person.gid}`, site.top], { encoding: "utf8" });
  if (owner.status !== 0) throw new Error(`${layout.name}: ${owner.stderr}`);
}

function planFor({ site, root, layout }: Trial): AttackPlan {
  const files = layout.parts(site).flatMap(filesBelow);
  const from = [site.project, ...(layout.from?.(site) ?? []), root];
  const yarn = site.manager("yarn").at(-1) ?? "";
  return {
    mark: site.mark,
    scratch: root,
    files,
    folders: [...new Set(files.flatMap((file) => foldersAbove(file, root)))],
    plants: plantsIn({
      ...{ root, from, yarn, node: site.node, mark: site.mark },
      programs: layout.programs?.(site) ?? [],
      tools: join(site.project, "tools"),
    }),
  };
}

/** What a tool on files is asked to do to a file of the package, and beside it. */
function fileToolCalls({ layout, site, root }: Trial): AgentJob["calls"] {
  const files = layout
    .parts(site)
    .flatMap(filesBelow)
    .filter((file) => file.startsWith(`${root}/`) && /(main|index|way-out)\.[cm]?js$/.test(file));
  const named = files.slice(0, 4).map((file) => `ws:${file.slice(root.length + 1)}`);
  return named.flatMap((path): AgentJob["calls"] => [
    ["write_file", { path, content: "x" }],
    ["move_file", { from: path, to: "ws:moved.js" }],
    ["write_file", { path: `${dirname(path)}/made.js`, content: "x" }],
  ]);
}

/** Has an agent that uses the package make a supervisor and do these calls. */
export async function runAgent(trial: Trial, calls: AgentJob["calls"]): Promise<AgentReply> {
  const { layout, site, root } = trial;
  const library = layout.library?.(site) ?? null;
  const job: AgentJob = {
    library: library === null ? "cofferdam" : entryOf(library),
    config: join(site.top, "agent.yaml"),
    cwd: root,
    calls,
    parts: PARTS.map((name) => (library === null ? `cofferdam/${name}` : entryOf(library, name))),
  };
  const starter = layout.starter?.(site) ?? [site.node];
  const ran = await start(
    trial,
    [...starter, join(site.project, "agent.mts"), JSON.stringify(job)],
    site.project,
  );
  const line = ran.stdout.trim().split("\n").at(-1) ?? "";
  try {
    return JSON.parse(line);
  } catch {
    return { refused: `${ran.status}: ${ran.stderr}${ran.stdout}`, calls: [], loaded: [] };
  }
}

/** The file of a package's folder that a name of its `exports` stands for; of a checkout, the source of it. */
function entryOf(folder: string, name = "."): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file: string = manifest.exports[name === "." ? name : `./${name}`].default;
  const source = join(folder, file.replace("dist", "src").replace(/js$/, "ts"));
  return existsSync(source) ? source : join(folder, file);
}

async function startAll(trial: Trial): Promise<readonly Ran[]> {
  const { layout, site } = trial;
  const ran: Ran[] = [];
  for (const words of STARTS) ran.push(await start(trial, [...layout.command(site), ...words], site.project));
  if (layout.byManager !== undefined)
    ran.push(await start(trial, [...layout.byManager(site), "--version"], site.project));
  return ran;
}

function start(trial: Trial, words: readonly string[], cwd: string): Promise<Ran> {
  const { layout, site, person } = trial;
  const env = {
    PATH: [join(site.project, "tools"), dirname(site.node), "/usr/bin", "/bin"].join(":"),
    HOME: join(site.top, "home"),
    XDG_STATE_HOME: join(site.top, "state"),
    YARN_GLOBAL_FOLDER: join(site.caches, "yarn"),
    YARN_ENABLE_TELEMETRY: "0",
    npm_config_cache: join(site.top, "home/npm"),
    npm_config_update_notifier: "false",
    ...layout.env?.(site),
  };
  return run(words, { cwd, env, ...person.runAs });
}

function resultIn(root: string): AttackResult | null {
  const file = join(root, "attack-result.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

function marksAt({ mark }: Site): readonly string[] {
  return [...new Set(readFileSync(mark, "utf8").split("\n"))].filter((line) => line !== "");
}

/** What nobody loads, and what is half of all files. */
const UNUSED = /\.(d\.[cm]?ts|map|md|txt)$|^LICEN[CS]E$/i;

/** Every file and link at a path or below it that can be loaded; what links lead to is not below it. */
function filesBelow(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !UNUSED.test(name))
    .flatMap((name) => filesBelow(join(path, name)));
}

function foldersAbove(file: string, root: string): readonly string[] {
  const folder = dirname(file);
  return folder.startsWith(`${root}/`) ? [folder, ...foldersAbove(folder, root)] : [];
}

/** What tells whether anything was changed: nobody can set the time at which the kernel says that it was. */
function snapshot({ layout, site }: Trial): ReadonlyMap<string, string> {
  const files = layout.parts(site).flatMap(filesBelow);
  const folders = new Set(files.flatMap((file) => foldersAbove(file, site.all)));
  const all = [...files, ...folders].map((path): [string, string] => {
    const { ino, mode, size, mtimeMs, ctimeMs, nlink } = lstatSync(path);
    return [path, (folders.has(path) ? [ino, mode] : [ino, mode, size, mtimeMs, ctimeMs, nlink]).join()];
  });
  return new Map(all);
}
