import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, constants, homedir, release } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countsOf, inWords, type Line, pageOf } from "./page.ts";
import { GROUPS } from "./rows/all.ts";
import { HostServers } from "./stage.ts";
import { benchHost, programFolders, tryRow } from "./try-row.ts";
import { versionOf } from "./version.ts";

/** The number of concurrent rows. */
const AT_ONCE = 2;

const PAGE = join(import.meta.dirname, "../../COMPATIBILITY.md");

const { only, update, check } = parseArgs({
  options: {
    only: { type: "string" },
    update: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
}).values;
const rows = GROUPS.flatMap((group) => group.rows).filter((row) => row.name.includes(only ?? ""));
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    ending.abort();
  });

// Not below `/tmp`, which is private in each sandbox.
const stage = mkdtempSync(join(homedir(), ".cofferdam-compat-"));
try {
  report(await tryAll());
} catch (cause) {
  if (!ending.signal.aborted) throw cause;
} finally {
  rmSync(stage, { recursive: true, force: true });
}

async function tryAll(): Promise<readonly Line[]> {
  await using servers = await HostServers.start(stage);
  const host = benchHost(join(stage, "state"));
  const path = programFolders(host).join(":");
  const lines = new Map<number, Line>();
  const queue = rows.entries();
  const work = async (): Promise<void> => {
    for (const [index, row] of queue) {
      progress(`${lines.size + 1}/${rows.length} ${row.name}`);
      const folder = join(stage, String(index));
      const verdict = await tryRow(row, { folder, host, servers, owner: null, signal: ending.signal });
      rmSync(folder, { recursive: true, force: true });
      const version = verdict.kind === "untried" ? "" : versionOf(row, path);
      lines.set(index, { name: row.name, version, verdict });
    }
  };
  const all = Array.from({ length: AT_ONCE }, work);
  // Remove nothing before all are done, even if one fails.
  await Promise.allSettled(all);
  await Promise.all(all);
  progress("");
  return [...rows.keys()].flatMap((index) => lines.get(index) ?? []);
}

/** Prints wrong rows with their output; then no page is written. */
function report(lines: readonly Line[]): void {
  for (const { name, verdict } of lines) {
    const isWrong = verdict.kind === "wrong";
    if (only !== undefined || isWrong || verdict.kind === "untried")
      console.log(`${name}: ${inWords(verdict)}`);
    if (isWrong) console.log(verdict.said);
  }
  if (lines.some(({ verdict }) => verdict.kind === "wrong")) process.exitCode = 1;
  else if (check) {
    // A machine on which hardly anything could be tried shows nothing.
    const tried = lines.filter(({ verdict }) => verdict.kind !== "untried").length;
    if (tried < lines.length / 2) {
      console.log(`only ${tried} of ${lines.length} rows could be tried here`);
      process.exitCode = 1;
    }
  } else if (only === undefined) writeFileSync(PAGE, pageOf(lines, machine()));
  else if (update) writeFileSync(PAGE, pageOf(lines, machine(), readFileSync(PAGE, "utf8")));
  console.log(countsOf(lines));
}

function machine(): string {
  const name = /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux";
  const kernel = /^\d+\.\d+/.exec(release())?.[0] ?? release();
  return `${name}, Linux ${kernel}, ${arch()}, as ${process.getuid?.() === 0 ? "root" : "an ordinary user"}`;
}

/** Shows the current row on a terminal, in place of the last one. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
