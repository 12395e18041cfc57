import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ParsedLine, parseLine } from "../../../src/shell/parse.ts";
import { ATTACK_LINES, settingLines } from "./attack-lines.ts";
import { linesFrom } from "./generate-line.ts";
import { MUTANTS, type ReadingMutant } from "./mutants.ts";
import { breachOf } from "./reading-law.ts";
import { TrialBash } from "./trial-bash.ts";

/** Run as a process of its own: prints for each mutant the first line that finds it out, or null. */
const ROOT = join(import.meta.dirname, "../../..");
const SEED = 20_240_607;
const RANDOM_LINES = 4_000;

type LineReader = (line: string) => ParsedLine;

const lines = [
  ...ATTACK_LINES,
  ..."SECONDS RANDOM HISTCMD a[$(zz)]".split(" ").flatMap((name) => settingLines(name)),
];
for (const line of linesFrom(SEED)) if (lines.push(line) === RANDOM_LINES) break;
const readings = new Map(lines.map((line) => [line, JSON.stringify(parseLine(line))]));

const stage = mkdtempSync(join(tmpdir(), "cofferdam-mutants-"));
try {
  using bash = new TrialBash();
  const found: Record<string, string | null> = {};
  for (const [at, mutant] of MUTANTS.entries())
    found[mutant.claim] = await firstBreach(await mutated(mutant, join(stage, String(at))), bash);
  console.log(JSON.stringify(found));
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** The reading of a copy of the sources with one mistake in it. */
async function mutated({ claim, file, from, to }: ReadingMutant, folder: string): Promise<LineReader> {
  mkdirSync(folder);
  cpSync(join(ROOT, "src/shell"), join(folder, "src/shell"), { recursive: true });
  cpSync(join(ROOT, "src/errors.ts"), join(folder, "src/errors.ts"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const path = join(folder, "src/shell", file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${claim}: not once in ${file}: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const loaded: { readonly parseLine: LineReader } = await import(
    pathToFileURL(join(folder, "src/shell/parse.ts")).href
  );
  return loaded.parseLine;
}

/** Runs the lines that are read in another way now, until bash does what is not in the reading. */
async function firstBreach(parse: LineReader, bash: TrialBash): Promise<string | null> {
  for (const line of lines) {
    const read = parse(line);
    if (read.unread.length > 0 || JSON.stringify(read) === readings.get(line)) continue;
    const run = await bash.run(line, { isTraced: true });
    const breach = breachOf(read, run, bash);
    if (breach !== null) return `${line} → ${breach}`;
  }
  return null;
}
