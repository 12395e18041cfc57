import { type ParsedLine, parseLine } from "../../../src/shell/parse.ts";
import { coversWords, shellPattern } from "../../../src/shell/rule.ts";
import { linesFrom } from "./generate-line.ts";
import { judgeParsed } from "./judge-line.ts";
import { breachOf } from "./reading-law.ts";
import { TrialBash } from "./trial-bash.ts";

/** The rules of the trial: some programs pass, one with a certain word, one as it is written, one is forbidden. */
const RULES = [
  { pattern: "aa", approval: false },
  { pattern: "bb", approval: false },
  { pattern: "cat", approval: false },
  { pattern: "gg ok", approval: false },
  { pattern: "dd x", approval: false, exact: true },
  { pattern: "rm", allowed: false },
  ...":,[,cd,command,echo,exit,export,hash,printf,read,set,shift,test,true,type,unset,wait"
    .split(",")
    .map((pattern) => ({ pattern, approval: false, exact: false })),
];
/** Of so many lines that are understood, one is traced: strace(1) takes longer than bash. */
const TRACED = 16;

/** What came of lines that were judged and, where they were understood, run by bash with stand-ins for programs. */
export interface Trial {
  readonly lines: number;
  readonly verdicts: { readonly allow: number; readonly ask: number; readonly deny: number };
  /** How many lines were understood, were traced, and needed no shell; how many programs they started. */
  readonly understood: number;
  readonly traced: number;
  readonly plain: number;
  readonly ran: number;
  /** How many waited for themselves and had to be ended. */
  readonly stuck: number;
  /** Lines that did what is not in their reading, or ran what no rule allows although they were allowed. */
  readonly unsound: readonly string[];
}

/** The limits of a trial, and the reading that it tries. */
export interface TrialGiven {
  readonly count: number;
  readonly maxMs?: number;
  readonly parse?: (line: string) => ParsedLine;
  /** The number of unsound lines after which it ends. */
  readonly maxUnsound?: number;
}

/** Reads lines drawn from a seed, and runs those that are understood: so many, or until the time is over. */
export async function tryLines(
  seed: number,
  { count, maxMs = Number.POSITIVE_INFINITY, parse = parseLine, maxUnsound = 100 }: TrialGiven,
): Promise<Trial> {
  using bash = new TrialBash();
  const verdicts = { allow: 0, ask: 0, deny: 0 };
  const unsound: string[] = [];
  let [lines, understood, traced, plain, ran, stuck] = [0, 0, 0, 0, 0, 0];
  const end = performance.now() + maxMs;
  for (const line of linesFrom(seed)) {
    if (lines === count || performance.now() > end || unsound.length >= maxUnsound) break;
    lines += 1;
    const read = parse(line);
    const { action } = judgeParsed(line, read, { rules: RULES });
    verdicts[action] += 1;
    if (read.unread.length > 0) {
      if (action === "allow") unsound.push(`${line}\n→ allowed without being understood`);
      continue;
    }
    understood += 1;
    if (read.plain !== null) plain += 1;
    const isTraced = understood % TRACED === 0;
    const mayWrite = isTraced || read.touches.some((one) => one.act === "open" && one.mode === "write");
    if (isTraced) traced += 1;
    const run = await bash.run(line, { mayWrite, isTraced });
    ran += run.started.length;
    if (!run.hasEnded) stuck += 1;
    const breach = breachOf(read, run, bash);
    if (breach !== null) unsound.push(`${line}\n→ ${breach}`);
    const other = action === "allow" ? run.started.find(({ words }) => !isAllowed(words)) : undefined;
    if (other !== undefined) unsound.push(`${line}\n→ allowed to run ${JSON.stringify(other.words)}`);
  }
  return { lines, verdicts, understood, traced, plain, ran, stuck, unsound };
}

function isAllowed(words: readonly string[]): boolean {
  return RULES.some(
    (rule) =>
      "approval" in rule &&
      coversWords(shellPattern(rule.pattern), words, "exact" in rule && rule.exact === true),
  );
}
