import { printFailure } from "../config/safe-file.ts";
import { CofferdamError, ERRORS, escapeInvisible, visible } from "../errors.ts";
import { readPlainText } from "../host/plain-file.ts";
import { type Head, headOf, printHead, type Reach, reachOf, readHeads } from "../journal/heads.ts";
import { type BreakReason, type Verified, verifyRun } from "../journal/verify.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { usage } from "./arguments.ts";
import { tellThree } from "./failure.ts";
import type { Print } from "./print.ts";
import { runNamed } from "./run-named.ts";

/** As for a config that is refused: what was given to be read is not as it must be (sysexits.h, `EX_DATAERR`). */
const DOES_NOT_HOLD = ERRORS.CONFIG_INVALID.exit;

/** A file of heads is not larger: a million of them. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The records that there are, and which is meant. */
export interface Records {
  readonly folder: AbsolutePath;
  /** Latest first. */
  readonly runs: readonly string[];
  readonly named: string | undefined;
  /** Heads of lines that are older are of records that may be gone; null where all are kept for ever. */
  readonly keptSince: number | null;
}

interface Asked {
  readonly all?: boolean | undefined;
  readonly head?: string | undefined;
  readonly heads?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Says of records whether their chains hold, and reach the heads that were kept; 65 when one does not. Throws `USAGE`. */
export function verifyRecords(records: Records, asked: Asked, print: Print): number {
  const { all = false, head, heads, json = false } = asked;
  if (head !== undefined && (all || heads !== undefined))
    throw usage(
      "journal",
      "`--head` is about one run",
      "put the heads of several into a file: `--heads FILE`",
    );
  const kept = heads === undefined ? [] : readHeads(textOf(heads));
  const runs = runsAsked(records, all, heads === undefined ? null : kept);
  // Where nothing is held against anything, nothing is found.
  if (heads !== undefined && !kept.some(({ run }) => runs.includes(run)))
    throw usage(
      "journal",
      `${visible(heads)} has no head of ${all || runs.length === 0 ? "any run" : `run ${visible(runs[0] ?? "")}`}`,
      "run `cofferdam journal head`, and keep what it prints",
    );
  const results = runs.map((run) => resultOf(records, run, headsOf(run, kept, head)));
  const bad = results.filter((one) => !one.isFine);
  if (json) print.json({ holds: bad.length === 0, runs: results.map(resultJson) });
  else {
    const [only, ...others] = results;
    if (only !== undefined && others.length === 0 && only.isFine) tellFine(only, print);
    else if (results.length !== 1) {
      print.result(`${results.length - bad.length} of ${results.length} records hold`);
      for (const { run, verified, isFine } of results)
        if (isFine && verified?.kind === "holds")
          for (const lack of lacks(verified)) print.result(`  ${visible(run)}: ${lack}`);
    }
  }
  for (const one of bad) tellBad(one, print);
  return bad.length === 0 ? 0 : DOES_NOT_HOLD;
}

/** Prints a line to keep elsewhere for each run; 65 when a chain does not hold, of which there is none. */
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
      print.talk(`cofferdam: there is no line in the record of run ${visible(verified.run)} yet`);
  }
  const bad = results.filter((one) => !one.isFine);
  for (const one of bad) tellBad(one, print);
  return bad.length === 0 ? 0 : DOES_NOT_HOLD;
}

/** A head that a record is held against; of one that the command line says, only the hash is known. */
type Kept = Pick<Head, "hash"> & { readonly lines: number | null; readonly at: string | null };

interface Result {
  readonly run: string;
  /** Null where there is no such record. */
  readonly verified: Verified | null;
  readonly heads: readonly (Kept & { readonly reach: Reach; readonly isFine: boolean })[];
  readonly isFine: boolean;
}

function textOf(file: string): string {
  let text: string | null;
  try {
    text = readPlainText(file, MOST_BYTES);
  } catch (cause) {
    throw usage("journal", `${visible(file)} ${printFailure(cause)}`, "name a file of heads");
  }
  if (text !== null) return text;
  throw usage("journal", `${visible(file)} is no plain file, or a very large one`, "name a file of heads");
}

function runsAsked({ runs, named }: Records, all: boolean, heads: readonly Head[] | null): readonly string[] {
  const ofHeads = (heads ?? []).map(({ run }) => run);
  // A record that was removed is named by its heads alone.
  if (named !== undefined) return [runNamed([...new Set([...runs, ...ofHeads])], named)];
  if (all) return [...new Set([...runs, ...ofHeads])];
  return heads === null ? [runNamed(runs, undefined)] : [...new Set(ofHeads)];
}

function headsOf(run: string, kept: readonly Head[], head: string | undefined): readonly Kept[] {
  if (head === undefined) return kept.filter((one) => one.run === run);
  if (/^[0-9a-f]{64}$/.test(head)) return [{ hash: head, lines: null, at: null }];
  throw usage(
    "journal",
    `${visible(head)} is no hash`,
    "write the 64 digits that `cofferdam journal head` prints",
  );
}

function resultOf(
  { folder, keptSince }: Pick<Records, "folder" | "keptSince">,
  run: string,
  heads: readonly Kept[],
): Result {
  const verified = verifiedIn(folder, run, new Set(heads.map(({ hash }) => hash)));
  const held = heads.map((head) => {
    const reach: Reach = verified === null ? { kind: "gone" } : reachOf(verified, head);
    const isRemoved = reach.kind === "gone" && isTooOld(head, keptSince);
    return { ...head, reach, isFine: reach.kind === "reached" || isRemoved };
  });
  const isThere = verified?.kind === "holds" || (verified === null && held.length > 0);
  return { run, verified, heads: held, isFine: isThere && held.every((one) => one.isFine) };
}

/** Null for a run that is not there, or no more. */
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

function tellFine({ run, verified, heads }: Result, print: Print): void {
  const record = `the record of run ${visible(run)}`;
  if (verified?.kind !== "holds") {
    print.result(print.ink.good(`${record} is gone, as the config says of what is so old`));
    return;
  }
  const { lines, files } = verified;
  const at = verified.head?.at ?? null;
  const upTo = at === null ? "" : `, the last one of ${at.slice(0, 19).replace("T", " ")} (UTC)`;
  print.result(print.ink.good(`${record} holds: ${count(lines, "line")}${upTo}`));
  if (files > 1) print.result(`  it stands in ${count(files, "file")}`);
  for (const lack of lacks(verified)) print.result(`  ${lack}`);
  const [head] = heads.toSorted((one, other) => (other.lines ?? 0) - (one.lines ?? 0));
  if (head?.reach.kind === "reached")
    print.result(`  it reaches the head, and goes on for ${count(head.reach.after, "line")}`);
}

/** What a record that holds has no more. */
function lacks({ first, gone, isCut }: Verified & { readonly kind: "holds" }): readonly string[] {
  const files = first === 2 ? "file 1" : `files 1 to ${first - 1}`;
  return [
    ...(first === 1 ? [] : [`gone: ${files} of it, with ${count(gone, "line")}`]),
    ...(isCut
      ? [
          "cut off: a piece of a line stands at its end, as when a supervisor dies while it writes, or just writes",
        ]
      : []),
  ];
}

function tellBad({ run, verified, heads }: Result, print: Print): void {
  const record = `the record of run ${visible(run)}`;
  if (verified === null) tellThree(print, `${record} is gone`, null, "look for it in a copy of the folder");
  else if (verified.kind === "not chained")
    tellThree(
      print,
      `no line of ${record} bears a hash, so nobody can tell what was changed in it`,
      null,
      "an earlier version wrote it so, or somebody took the hashes out: compare it with a copy",
    );
  else if (verified.kind === "broken")
    tellThree(
      print,
      `${record} is broken: ${SAYS[verified.reason]}`,
      `${verified.file}:${verified.line}`,
      `${verified.lines === 0 ? "nothing before it" : `what stands before it (${count(verified.lines, "line")})`} holds; compare the rest with a copy`,
    );
  const lost = verified === null ? [] : heads.filter((one) => !one.isFine);
  for (const { hash, reach } of lost)
    if (reach.kind === "gone")
      tellThree(
        print,
        `${record} does not show the line with the hash ${hash}: it was in a file that is gone`,
        null,
        "keep newer heads, and files longer",
      );
    else
      tellThree(
        print,
        `${record} does not come to the line with the hash ${hash}`,
        null,
        "it was cut off, or written anew, since that head was kept: compare it with a copy",
      );
}

const SAYS = {
  edited: "this line does not say what was written there",
  "out of place":
    "this line was not written behind the one before it: lines were dropped, moved, doubled or put between",
  "no hash": "this line bears no hash",
  "no event": "this line is no event",
  missing: "this file is missing",
  unreadable: "this file can't be read by this user",
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
