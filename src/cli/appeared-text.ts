import { escapeInvisible, visible } from "../errors.ts";
import type { Appearances, Appeared } from "../host/appeared.ts";
import { unnamedSettings } from "../host/git/programs.ts";
import { printObeyed } from "../profile/executed.ts";
import { tellThree } from "./failure.ts";
import type { Print } from "./print.ts";

/** Tells a person what a command made that other programs may obey, and what became of it. */
export function tellAppeared({ found, more = 0, unknown }: Appearances, print: Print): void {
  const alike = found.filter(isPlainlyReported);
  const isCrowd = alike.length > MOST_ALIKE;
  for (const one of found)
    if (one.kind !== "started" && one.fate.kind !== "quarantined" && !(isCrowd && alike.includes(one)))
      tellOne(one, print);
  if (isCrowd) tellCrowd(alike, print);
  tellQuarantined(found, print);
  tellStarted(found, print);
  if (more > 0) print.talk(print.talkInk.dim(`cofferdam: and ${more} more: see \`cofferdam journal\``));
  if (unknown !== null)
    tellThree(
      print,
      `what the command made is not known: ${unknown}`,
      null,
      "look for new `.git` folders and settings of your tools yourself; what is found later is taken away then",
    );
}

/** More than so many are told together: a package manager makes dozens. */
const MOST_ALIKE = 3;

/** A file that other programs obey, of which there is nothing more to say. */
function isPlainlyReported({ kind, fate }: Appeared): boolean {
  return kind !== "started" && kind !== "link" && kind !== "repository" && kind !== "unprotectable"
    ? fate.kind === "reported" && fate.because === null
    : false;
}

function tellCrowd(alike: readonly Appeared[], print: Print): void {
  const named = alike.slice(0, MOST_ALIKE).map(({ path }) => visible(path));
  const more = alike.length - named.length;
  tellThree(
    print,
    `the command made ${alike.length} files that other programs obey: ${named.join(", ")} and ${more} more`,
    null,
    "look at them before you start such programs in their folders; `--json` and `cofferdam journal` name them all",
  );
}

function tellOne(one: Appeared, print: Print): void {
  const { path, kind, runs, fate } = one;
  const { dim } = print.talkInk;
  if (fate.kind === "kept")
    print.talk(dim(`cofferdam: ${visible(path)} was kept, by ${escapeInvisible(fate.by)}`));
  else if (fate.kind === "live") {
    const what = `${whatCameOf(one)}, and it could not be taken away: ${fate.problem}`;
    tellThree(print, what, null, "remove it before you do anything else in that folder");
  } else if (kind === "repository" && runs.length === 0)
    print.talk(dim(`cofferdam: a new repository: ${visible(path)}`));
  else {
    const { what, hint } = reportOf(one);
    const because = fate.kind === "reported" && fate.because !== null ? `; it stays: ${fate.because}` : "";
    tellThree(print, `${what}${because}`, null, hint);
  }
}

function reportOf(one: Appeared): { readonly what: string; readonly hint: string } {
  const { path, kind, runs } = one;
  if (kind === "link")
    return {
      what: `the command made a link in a repository, ${visible(path)}, and git writes through such`,
      hint: "remove it before you use git there, unless it is meant",
    };
  if (kind === "repository")
    return {
      what: `a new repository, ${visible(path)}, in which ${mayDo(runs)}`,
      hint: "look at it before you use git in that folder",
    };
  return {
    what: whatCameOf(one),
    hint: "look at it before you start such a program in that folder",
  };
}

/** A link that was there before may lead to what the command made. */
function whatCameOf({ path, kind, obeyedBy }: Appeared): string {
  if (kind === "unprotectable")
    return `so much lies in ${visible(path)} by now, or so deep, that nothing can be protected there`;
  return `the command made ${visible(path)}, ${obeyedBy === null ? "obeyed by other programs" : printObeyed(obeyedBy)}`;
}

/** So many are named of what was taken away, and of what is for tools that a person starts. */
const MAX_NAMED = 10;

function tellQuarantined(found: readonly Appeared[], print: Print): void {
  const ids = new Set(found.flatMap(({ fate }) => (fate.kind === "quarantined" ? [fate.id] : [])));
  for (const id of ids) {
    const own = found.filter(({ fate }) => fate.kind === "quarantined" && fate.id === id);
    for (const one of own.slice(0, MAX_NAMED)) tellThree(print, takenAway(one), null, null);
    const more = own.length - MAX_NAMED;
    if (more > 0) print.talk(`  and ${more} more`);
    const isAllAside = own.every(({ fate }) => asideOf(fate) !== null);
    print.talk(
      isAllAside
        ? "  do: look at it there, and remove it, or move it back yourself"
        : `  do: look at it with \`cofferdam quarantine show ${id}\`; \`restore\` in place of \`show\` gives it back`,
    );
  }
}

function takenAway(one: Appeared): string {
  const { path, kind, runs, fate } = one;
  const isHeldBack = fate.kind === "quarantined" && fate.problem !== null;
  const because = fate.kind === "quarantined" && fate.because !== null ? `, because ${fate.because}` : "";
  const end = `${because}${isHeldBack ? `, and it could not be given back: ${escapeInvisible(fate.problem)}` : ""}`;
  const aside = asideOf(fate);
  const away = aside === null ? "was taken away" : `was moved aside, to ${visible(aside)}`;
  if (kind !== "repository") return `${whatCameOf(one)}: it ${away}${end}`;
  const what = `the command made a repository, ${visible(path)}`;
  if (runs.length === 0)
    return `${what}, and no room would be left for the sandboxes of later calls: it ${away}${end}`;
  return `${what}, in which ${mayDo(runs)}: that ${away}${end}`;
}

/** Where it lies, where it could not be brought to the quarantine. */
function asideOf(fate: Appeared["fate"]): string | null {
  return fate.kind === "quarantined" ? fate.aside : null;
}

function tellStarted(found: readonly Appeared[], print: Print): void {
  const own = found.filter(({ kind }) => kind === "started");
  if (own.length === 0) return;
  const named = own
    .slice(0, MAX_NAMED)
    .map(({ path, obeyedBy }) => `${visible(path)} (${obeyedBy?.by ?? "a tool"})`);
  const more = own.length > MAX_NAMED ? ` and ${own.length - MAX_NAMED} more` : "";
  print.talk(print.talkInk.dim(`cofferdam: new, for tools that you start: ${named.join(", ")}${more}`));
}

/** What git may do by a repository's own word: the receipt tells a working tree elsewhere among what it runs. */
export function mayDo(runs: readonly string[]): string {
  const [elsewhere, programs] = [runs.includes(ELSEWHERE), runs.filter((one) => one !== ELSEWHERE)];
  const parts = [
    ...(programs.length === 0 ? [] : [`run ${printRuns(programs)}`]),
    ...(elsewhere ? [`write files in another folder (${visible(ELSEWHERE)})`] : []),
  ];
  return `git may ${parts.join(" and ")}`;
}

const ELSEWHERE = "core.worktree";

/** So many are printed; the receipt names more. */
const MOST_RUNS = 10;

function printRuns(programs: readonly string[]): string {
  const named = programs.filter((run) => unnamedSettings(run) === 0);
  const unnamed = programs.reduce((sum, run) => sum + unnamedSettings(run), 0);
  const shown = named.slice(0, MOST_RUNS);
  const more = named.length - shown.length + unnamed;
  return `${shown.map(printRun).join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** What could not be read is told in words; all else is a name. */
function printRun(run: string): string {
  return run.startsWith("anything (") ? escapeInvisible(run) : visible(run);
}
