import { spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Job, Report } from "./report.ts";

/** Who supervises, and as whom sandboxes run: root as root, root as an ordinary user, or an ordinary user as itself. */
export interface Stance {
  readonly name: "root" | "root for a user" | "user";
  readonly supervisor: number;
  readonly owner: number;
}

/** An ordinary user of any machine: nothing needs an account. */
const USER = 1001;
const OWN = process.getuid?.() ?? USER;

/** Every stance that this process can take: an ordinary user can only be itself. */
export const STANCES: readonly Stance[] =
  OWN === 0
    ? [
        { name: "root", supervisor: 0, owner: 0 },
        { name: "root for a user", supervisor: 0, owner: USER },
        { name: "user", supervisor: USER, owner: USER },
      ]
    : [{ name: "user", supervisor: OWN, owner: OWN }];

const ROOT_FOLDER = fileURLToPath(new URL("../../..", import.meta.url));
const UNSHARE = "/usr/bin/unshare";
const PRIVATE = ["-m", "--propagation", "private"];

/** Root can mount where nobody else sees it, unless a container keeps it from that. */
export const CAN_MOUNT = OWN === 0 && spawnSync(UNSHARE, [...PRIVATE, "true"]).status === 0;

/** Does a job as every stance at once, each from a seed of its own. All have ended, and cleaned up, when this ends. */
export async function startAll(
  job: Pick<Job, "kind" | "cases" | "seed">,
  timeoutMs: number,
): Promise<ReadonlyMap<string, Report>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const results = await Promise.allSettled(
    STANCES.map((stance, at) => start(stance, { ...job, seed: job.seed + at }, signal)),
  );
  const reports = results.map((result, at): readonly [string, Report] => {
    if (result.status === "rejected") throw result.reason;
    return [STANCES[at]?.name ?? "", result.value];
  });
  return new Map(reports);
}

/** Does a job in a process of its own, as the stance says. All folders of the job are gone afterwards. */
export async function start(
  stance: Stance,
  job: Pick<Job, "kind" | "cases" | "seed">,
  signal: AbortSignal,
): Promise<Report> {
  const made: string[] = [];
  const folderIn = (parent: string, owner: number): string => {
    const folder = realpathSync(mkdtempSync(join(parent, "cofferdam-kernel-")));
    made.push(folder);
    if (OWN === 0) chownSync(folder, owner, owner);
    return folder;
  };
  try {
    const stateFolder = folderIn(tmpdir(), stance.supervisor);
    const { node, root } = readableBy(stance, folderIn);
    const places = [tmpdir(), ...placesBeside(stance)].map((parent) => folderIn(parent, stance.owner));
    const canMount = stance.name === "root" && CAN_MOUNT;
    const words = [
      node,
      "--disable-warning=ExperimentalWarning",
      join(root, "test/support/kernel/main.ts"),
      JSON.stringify({ ...job, places, stateFolder, canMount }),
    ];
    const [file = node, ...argv] = canMount ? [UNSHARE, ...PRIVATE, ...words] : words;
    const report = await reportOf(file, argv, stance, signal);
    return {
      ...report,
      left: [
        ...report.left,
        ...places.flatMap((place) => readdirSync(place).map((name) => `${place}/${name}`)),
      ],
    };
  } finally {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  }
}

async function reportOf(
  file: string,
  argv: readonly string[],
  { supervisor }: Stance,
  signal: AbortSignal,
): Promise<Report> {
  const as = OWN === 0 ? { uid: supervisor, gid: supervisor } : {};
  const child = spawn(file, argv, { cwd: "/", env: {}, stdio: ["ignore", "pipe", "pipe"], signal, ...as });
  let reason = "";
  child.once("error", (error) => {
    reason = error.message;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`the battery ended with ${code}: ${reason}${stderr}`);
  return Report.parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""));
}

/** A folder that lies below no private place of a sandbox, unlike `/tmp`; none where this user or the owner can't get. */
function placesBeside({ owner }: Stance): readonly string[] {
  const beside = join(ROOT_FOLDER, "node_modules/.cache");
  try {
    mkdirSync(beside, { recursive: true });
    accessSync(beside, constants.W_OK);
  } catch {
    return [];
  }
  return canReach(owner, beside) ? [beside] : [];
}

/** True when the user can enter the folder and read in it. */
function canReach(user: number, folder: string): boolean {
  const as = OWN === 0 ? { uid: user, gid: user } : {};
  return spawnSync("/bin/sh", ["-c", '[ -r "$0" ] && [ -x "$0" ]', folder], as).status === 0;
}

/** What the battery itself is made of, which the user must be able to read: where it is, else a copy. */
function readableBy(
  stance: Stance,
  folderIn: (parent: string, owner: number) => string,
): { readonly node: string; readonly root: string } {
  const node = process.execPath;
  if (
    [node, ROOT_FOLDER, join(ROOT_FOLDER, "node_modules/fast-check")].every((path) =>
      canReach(stance.supervisor, path),
    )
  )
    return { node, root: ROOT_FOLDER };
  const copy = folderIn(tmpdir(), stance.supervisor);
  for (const part of [
    "package.json",
    "src",
    "test/support",
    ...PACKAGES.map((name) => `node_modules/${name}`),
  ]) {
    cpSync(join(ROOT_FOLDER, part), join(copy, part), { recursive: true, dereference: true, mode: 0 });
  }
  cpSync(node, join(copy, "node"));
  spawnSync("/bin/chmod", ["-R", "a+rX", copy]);
  return { node: join(copy, "node"), root: copy };
}

/** Everything that may be imported while a battery runs: all packages but the largest, which only build and test. */
const PACKAGES = readdirSync(join(ROOT_FOLDER, "node_modules")).filter(
  (name) => !/^(\.|@?typescript$|@?esbuild|@?rolldown|@oxc|lightningcss|vite|@vitest)/.test(name),
);
