import { printFailure } from "../config/safe-file.ts";
import { CofferdamError, ERRORS, escapeInvisible, visible } from "../errors.ts";
import { readPlainText } from "../host/look/plain-file.ts";
import { type HeadReach, headOf, type JournalHead, printHead, reachOf, readHeads } from "../journal/heads.ts";
import { type BreakReason, type Verified, verifyRun } from "../journal/verify.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { usage } from "./arguments.ts";
import { reportThree } from "./failure.ts";
import type { Print } from "./print.ts";
import { runNamed } from "./run-named.ts";

/** Same status as for an invalid config: the input data is not valid (sysexits.h, `EX_DATAERR`). */
const DOES_NOT_HOLD = ERRORS.CONFIG_INVALID.exit;

/** Maximum size of a file of heads: a million heads, in bytes. */
const MAX_BYTES = 128 * 1024 * 1024;

/** The available records, and the selected one. */
export interface JournalRecords {
  readonly folder: AbsolutePath;
  /** Latest first. */
  readonly runs: readonly string[];
  readonly named: string | undefined;
  /** Records with older heads may have been deleted (milliseconds since 1970); null if all are kept forever. */
  readonly keptSince: number | null;
}

interface Asked {
  readonly all?: boolean | undefined;
  readonly head?: string | undefined;
  readonly heads?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Checks the chains of records, and that they reach the stored heads. Returns 65 if one does not. Throws `USAGE`. */
export function verifyRecords(records: JournalRecords, asked: Asked, print: Print): number {
  const { all = false, head, heads, json = false } = asked;
  if (head !== undefined && (all || heads !== undefined))
    throw usage("journal", "`--head` checks one run only", "for several runs, use `--heads FILE`");
  const kept = heads === undefined ? [] : readHeads(textOf(heads));
  const runs = runsAsked(records, all, heads === undefined ? null : kept);
  // Without any head to compare, no check would happen.
  if (heads !== undefined && !kept.some(({ run }) => runs.includes(run)))
    throw usage(
      "journal",
      `${visible(heads)} contains no head of ${all || runs.length === 0 ? "any run" : `run ${visible(runs[0] ?? "")}`}`,
      "run `cofferdam journal head` and save its output",
    );
  const results = runs.map((run) => resultOf(records, run, headsOf(run, kept, head)));
  const bad = results.filter((one) => !one.isFine);
  if (json) print.json({ holds: bad.length === 0, runs: results.map(resultJson) });
  else {
    const [only, ...others] = results;
    if (only !== undefined && others.length === 0 && only.isFine) reportFine(only, print);
    else if (results.length !== 1) {
      print.result(`${results.length - bad.length} of ${results.length} records are consistent`);
      for (const { run, verified, isFine } of results)
        if (isFine && verified?.kind === "holds")
          for (const lack of lacks(verified)) print.result(`  ${visible(run)}: ${lack}`);
    }
  }
  for (const one of bad) reportBad(one, print);
  return bad.length === 0 ? 0 : DOES_NOT_HOLD;
}

/** Prints a head for each run, to be stored elsewhere. Returns 65 for a broken chain, which has no head. */
export function showHeads(
  folder: AbsolutePath,
  runs: readonly string[],
  json: boolean,
  print: Print,
): number {
  const results = runs.map((run) => resultOf({ folder, keptSince: null }, run, []));
  for (const { verified } of results) {
    const head = verified === null ? null : headOf(verified);
    if (head !== null && json) print.json(head, 0);
    else if (head !== null) print.result(escapeInvisible(printHead(head)));
    else if (verified?.kind === "holds")
      print.talk(`cofferdam: the record of run ${visible(verified.run)} is still empty`);
  }
  const bad = results.filter((one) => !one.isFine);
  for (const one of bad) reportBad(one, print);
  return bad.length === 0 ? 0 : DOES_NOT_HOLD;
}

/** A head to compare with a record. For a head from the command line, only the hash is known. */
type Kept = Pick<JournalHead, "hash"> & { readonly lines: number | null; readonly at: string | null };

interface Result {
  readonly run: string;
  /** Null if there is no such record. */
  readonly verified: Verified | null;
  readonly heads: readonly (Kept & { readonly reach: HeadReach; readonly isFine: boolean })[];
  readonly isFine: boolean;
}

function textOf(file: string): string {
  let text: string | null;
  try {
    text = readPlainText(file, MAX_BYTES);
  } catch (cause) {
    throw usage("journal", `${visible(file)} ${printFailure(cause)}`, "name a file of heads");
  }
  if (text !== null) return text;
  throw usage("journal", `${visible(file)} is not a regular file, or is too large`, "name a file of heads");
}

function runsAsked(
  { runs, named }: JournalRecords,
  all: boolean,
  heads: readonly JournalHead[] | null,
): readonly string[] {
  const ofHeads = (heads ?? []).map(({ run }) => run);
  // A removed record is known only by its heads.
  if (named !== undefined) return [runNamed([...new Set([...runs, ...ofHeads])], named)];
  if (all) return [...new Set([...runs, ...ofHeads])];
  return heads === null ? [runNamed(runs, undefined)] : [...new Set(ofHeads)];
}

function headsOf(run: string, kept: readonly JournalHead[], head: string | undefined): readonly Kept[] {
  if (head === undefined) return kept.filter((one) => one.run === run);
  if (/^[0-9a-f]{64}$/.test(head)) return [{ hash: head, lines: null, at: null }];
  throw usage(
    "journal",
    `invalid hash ${visible(head)}`,
    "use the 64 digits that `cofferdam journal head` prints",
  );
}

function resultOf(
  { folder, keptSince }: Pick<JournalRecords, "folder" | "keptSince">,
  run: string,
  heads: readonly Kept[],
): Result {
  const verified = verifiedIn(folder, run, new Set(heads.map(({ hash }) => hash)));
  const held = heads.map((head) => {
    const reach: HeadReach = verified === null ? { kind: "gone" } : reachOf(verified, head);
    const isRemoved = reach.kind === "gone" && isTooOld(head, keptSince);
    return { ...head, reach, isFine: reach.kind === "reached" || isRemoved };
  });
  const isThere = verified?.kind === "holds" || (verified === null && held.length > 0);
  return { run, verified, heads: held, isFine: isThere && held.every((one) => one.isFine) };
}

/** Null for a run that does not exist or was removed. */
function verifiedIn(folder: AbsolutePath, run: string, sought: ReadonlySet<string>): Verified | null {
  try {
    return verifyRun(folder, run, sought);
  } catch (cause) {
    if (cause instanceof CofferdamError && cause.code === "USAGE") return null;
    throw cause;
  }
}

function isTooOld({ at }: Kept, keptSince: number | null): boolean {
  return at !== null && keptSince !== null && Date.parse(at) < keptSince;
}

function reportFine({ run, verified, heads }: Result, print: Print): void {
  const record = `the record of run ${visible(run)}`;
  if (verified?.kind !== "holds") {
    print.result(print.ink.good(`${record} was removed because of its age, as \`journal.keep\` says`));
    return;
  }
  const { lines, files } = verified;
  const at = verified.head?.at ?? null;
  const upTo = at === null ? "" : `, the last at ${at.slice(0, 19).replace("T", " ")} (UTC)`;
  print.result(print.ink.good(`${record} is consistent: ${count(lines, "line")}${upTo}`));
  if (files > 1) print.result(`  in ${count(files, "file")}`);
  for (const lack of lacks(verified)) print.result(`  ${lack}`);
  const [head] = heads.toSorted((one, other) => (other.lines ?? 0) - (one.lines ?? 0));
  if (head?.reach.kind === "reached")
    print.result(`  contains the head, and ${count(head.reach.after, "line")} after it`);
}

function lacks({ first, gone, isCut }: Verified & { readonly kind: "holds" }): readonly string[] {
  const files = first === 2 ? "file 1" : `files 1 to ${first - 1}`;
  return [
    ...(first === 1 ? [] : [`removed: ${files}, with ${count(gone, "line")}`]),
    ...(isCut ? ["truncated: the last line is incomplete, as after a crash or while it is written"] : []),
  ];
}

function reportBad({ run, verified, heads }: Result, print: Print): void {
  const record = `the record of run ${visible(run)}`;
  if (verified === null) reportThree(print, `${record} is gone`, null, "look for it in a copy of the folder");
  else if (verified.kind === "not chained")
    reportThree(
      print,
      `${record} has no hashes, so changes cannot be detected`,
      null,
      "an earlier version wrote it, or the hashes were removed: compare it with a copy",
    );
  else if (verified.kind === "broken")
    reportThree(
      print,
      `${record} is broken: ${SAYS[verified.reason]}`,
      `${verified.file}:${verified.line}`,
      `${count(verified.lines, "line")} before it ${verified.lines === 1 ? "is" : "are"} intact; compare the rest with a copy`,
    );
  const lost = verified === null ? [] : heads.filter((one) => !one.isFine);
  for (const { hash, reach } of lost)
    if (reach.kind === "gone")
      reportThree(
        print,
        `${record} does not contain the line with the hash ${hash}: its file was removed`,
        null,
        "keep newer heads, and keep files longer",
      );
    else
      reportThree(
        print,
        `${record} does not contain the line with the hash ${hash}`,
        null,
        "it was shortened or rewritten after that head was saved: compare it with a copy",
      );
}

const SAYS = {
  edited: "this line does not match its hash",
  "out of place": "this line does not follow the line before it: lines were removed, moved, copied or added",
  "no hash": "this line has no hash",
  "no event": "this line is not an event",
  missing: "this file is missing",
  unreadable: "this user cannot read this file",
} as const satisfies Readonly<Record<BreakReason, string>>;

function resultJson({ run, verified, heads, isFine }: Result): unknown {
  const { found: _, ...rest } = verified ?? { kind: "gone", found: null };
  return {
    ...rest,
    run,
    holds: isFine,
    heads: heads.map(({ reach, isFine: holds, ...head }) => ({ ...head, ...reach, holds })),
  };
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
