import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { findInstallation } from "../../src/host/look/installation.ts";
import type { RunningProcess } from "../../src/host/look/running-process.ts";
import { type AbsolutePath, absolutePath } from "../../src/profile/path.ts";

/** In the place of a file's text: what keeps whoever reads it waiting. */
export const FIFO = "a FIFO";

/** A file's text, `FIFO`, or `-> target` for a link; what lies in a folder `bin` may be run. */
export type Tree = Readonly<Record<string, string | Buffer>>;

/** A manifest that lists these packages. */
export const manifest = (...dependencies: readonly string[]): string =>
  JSON.stringify({ dependencies: Object.fromEntries(dependencies.map((name) => [name, "1.0.0"])) });

/** The parts that are found below a folder with these files, from that folder, by what is said of the process. */
export function partsOf(
  tree: Tree,
  folder: string,
  running: Partial<RunningProcess> = {},
): readonly string[] {
  const { found, from } = installedAs(tree, folder, running);
  return found.parts.flatMap(({ path }) => from(path));
}

/** What is found in such a folder; `from` names a path from that folder, and leaves others out. */
export function installedAs(tree: Tree, folder: string, running: Partial<RunningProcess> = {}) {
  const { at, top } = makeTree(tree);
  const found = findInstallation({
    folder: at(folder),
    plugAndPlay: null,
    execPath: absolutePath("/usr/bin/node"),
    execArgv: [],
    program: null,
    libraries: [],
    compileCache: null,
    env: {},
    cwd: at("."),
    homes: [],
    ...Object.fromEntries(Object.entries(running).map(([key, value]) => [key, placed(value, top)])),
  });
  const from = (path: AbsolutePath): readonly string[] =>
    path.startsWith(`${top}/`) ? [path.slice(top.length + 1)] : [];
  return { found, from };
}

/** The product lies elsewhere; `work` is the folder in which Node was started. */
export const ELSEWHERE: Tree = { "g/node_modules/cofferdam/package.json": manifest(), "work/a": "" };

/** The parts in `work`, but for those that hold in each such start. */
export function inWork(
  tree: Tree,
  env: Readonly<Record<string, string>>,
  running: Parameters<typeof partsOf>[2] = {},
): readonly string[] {
  const found = partsOf({ ...ELSEWHERE, ...tree }, "g/node_modules/cofferdam", {
    cwd: "TOP/work" as AbsolutePath,
    env,
    ...running,
  });
  return found.filter((path) => path.startsWith("work/")).map((path) => path.slice("work/".length));
}

/** `TOP` in what is said of a process stands for the folder. */
function placed(value: unknown, top: string): unknown {
  if (typeof value === "string") return value.replaceAll("TOP", top);
  if (Array.isArray(value)) return value.map((one) => placed(one, top));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, placed(one, top)]));
}

function makeTree(tree: Tree) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-installed-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    const target = typeof text === "string" ? /^-> (.*)$/.exec(text)?.[1] : undefined;
    if (text === FIFO) execFileSync("mkfifo", [join(top, path)]);
    else if (target !== undefined) symlinkSync(target, join(top, path));
    else writeFileSync(join(top, path), typeof text === "string" ? text.replaceAll("TOP", top) : text);
    if (target === undefined && /(?:^|\/)bin\//.test(path)) chmodSync(join(top, path), 0o755);
  }
  return { top, at: (path: string): AbsolutePath => absolutePath(join(top, path)) };
}
