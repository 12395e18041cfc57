import { escapeInvisible, visible } from "../errors.ts";
import type { Appearances, Appeared } from "../host/launch/appeared.ts";
import { unnamedSettings } from "../host/look/git/programs.ts";
import { printObeyed } from "../profile/executed.ts";
import { reportThree } from "./failure.ts";
import type { Print } from "./print.ts";

/** Prints the files that a command made and that other programs obey, and what was done with them. */
export function reportAppeared({ found, more = 0, unknown }: Appearances, print: Print): void {
  const alike = found.filter(isPlainlyReported);
  const isCrowd = alike.length > MAX_ALIKE;
  for (const one of found)
    if (one.kind !== "started" && one.fate.kind !== "quarantined" && !(isCrowd && alike.includes(one)))
      reportOne(one, print);
  if (isCrowd) reportCrowd(alike, print);
  reportQuarantined(found, print);
  reportStarted(found, print);
  if (more > 0) print.talk(print.talkInk.dim(`cofferdam: and ${more} more: see \`cofferdam journal\``));
  if (unknown !== null)
    reportThree(
      print,
      `the new files of the command are unknown: ${unknown}`,
      null,
      "check for new `.git` folders and tool settings yourself; files that are found later are quarantined then",
    );
}

/** Maximum number of single reports; a package manager makes dozens of such files. */
const MAX_ALIKE = 3;

function isPlainlyReported({ kind, fate }: Appeared): boolean {
  return kind !== "started" && kind !== "link" && kind !== "repository" && kind !== "unprotectable"
    ? fate.kind === "reported" && fate.because === null
    : false;
}

function reportCrowd(alike: readonly Appeared[], print: Print): void {
  const named = alike.slice(0, MAX_ALIKE).map(({ path }) => visible(path));
  const more = alike.length - named.length;
  reportThree(
    print,
    `the command created ${alike.length} files that control other programs: ${named.join(", ")} and ${more} more`,
    null,
    "review them before you start such programs there; `--json` and `cofferdam journal` list all of them",
  );
}

function reportOne(one: Appeared, print: Print): void {
  const { path, kind, runs, fate } = one;
  const { dim } = print.talkInk;
  if (fate.kind === "kept")
    print.talk(dim(`cofferdam: ${visible(path)} was kept by ${escapeInvisible(fate.by)}`));
  else if (fate.kind === "live") {
    const what = `${whatCameOf(one)}, and it could not be moved to the quarantine: ${fate.problem}`;
    reportThree(print, what, null, "delete it before you do anything else in that folder");
  } else if (kind === "repository" && runs.length === 0)
    print.talk(dim(`cofferdam: new repository: ${visible(path)}`));
  else {
    const { what, hint } = reportOf(one);
    const because = fate.kind === "reported" && fate.because !== null ? `; it was kept: ${fate.because}` : "";
    reportThree(print, `${what}${because}`, null, hint);
  }
}

function reportOf(one: Appeared): { readonly what: string; readonly hint: string } {
  const { path, kind, runs } = one;
  if (kind === "link")
    return {
      what: `the command created the link ${visible(path)} in a repository; git writes through such links`,
      hint: "delete it before you use git there, unless it is intended",
    };
  if (kind === "repository")
    return {
      what: `a new repository, ${visible(path)}, in which ${mayDo(runs)}`,
      hint: "review it before you use git in that folder",
    };
  return { what: whatCameOf(one), hint: "review it before you start such a program in that folder" };
}

/** A link that existed before may lead to the created file. */
function whatCameOf({ path, kind, obeyedBy }: Appeared): string {
  if (kind === "unprotectable") return `${visible(path)} became too large or too deep to be protected`;
  return `the command created ${visible(path)}, ${obeyedBy === null ? "which controls other programs" : printObeyed(obeyedBy)}`;
}

const MAX_NAMED = 10;

function reportQuarantined(found: readonly Appeared[], print: Print): void {
  const ids = new Set(found.flatMap(({ fate }) => (fate.kind === "quarantined" ? [fate.id] : [])));
  for (const id of ids) {
    const own = found.filter(({ fate }) => fate.kind === "quarantined" && fate.id === id);
    for (const one of own.slice(0, MAX_NAMED)) reportThree(print, takenAway(one), null, null);
    const more = own.length - MAX_NAMED;
    if (more > 0) print.talk(`  and ${more} more`);
    const isAllAside = own.every(({ fate }) => asideOf(fate) !== null);
    print.talk(
      isAllAside
        ? "  do: review it there, then delete it or move it back"
        : `  do: run \`cofferdam quarantine show ${id}\` to review it, or \`cofferdam quarantine restore ${id}\``,
    );
  }
}

function takenAway(one: Appeared): string {
  const { path, kind, runs, fate } = one;
  const isHeldBack = fate.kind === "quarantined" && fate.problem !== null;
  const because = fate.kind === "quarantined" && fate.because !== null ? `, because ${fate.because}` : "";
  const end = `${because}${isHeldBack ? `, and it could not be restored: ${escapeInvisible(fate.problem)}` : ""}`;
  const aside = asideOf(fate);
  const away = aside === null ? "was moved to the quarantine" : `was renamed to ${visible(aside)}`;
  if (kind !== "repository") return `${whatCameOf(one)}: it ${away}${end}`;
  const what = `the command created a repository, ${visible(path)}`;
  if (runs.length === 0)
    return `${what}, and sandboxes of later calls would become too large: it ${away}${end}`;
  return `${what}, in which ${mayDo(runs)}: it ${away}${end}`;
}

/** The folder of a file that could not be moved to the quarantine, or null. */
function asideOf(fate: Appeared["fate"]): string | null {
  return fate.kind === "quarantined" ? fate.aside : null;
}

function reportStarted(found: readonly Appeared[], print: Print): void {
  const own = found.filter(({ kind }) => kind === "started");
  if (own.length === 0) return;
  const named = own
    .slice(0, MAX_NAMED)
    .map(({ path, obeyedBy }) => `${visible(path)} (${obeyedBy?.by ?? "a tool"})`);
  const more = own.length > MAX_NAMED ? ` and ${own.length - MAX_NAMED} more` : "";
  print.talk(
    print.talkInk.dim(`cofferdam: new settings of tools that you start: ${named.join(", ")}${more}`),
  );
}

/** The programs that git may run because of a repository. The receipt lists a working tree elsewhere with them. */
export function mayDo(runs: readonly string[]): string {
  const [elsewhere, programs] = [runs.includes(ELSEWHERE), runs.filter((one) => one !== ELSEWHERE)];
  const parts = [
    ...(programs.length === 0 ? [] : [`run ${printRuns(programs)}`]),
    ...(elsewhere ? [`write files in another folder (${visible(ELSEWHERE)})`] : []),
  ];
  return `git may ${parts.join(" and ")}`;
}

const ELSEWHERE = "core.worktree";

/** Maximum number of printed programs; the receipt has all. */
const MAX_RUNS = 10;

function printRuns(programs: readonly string[]): string {
  const named = programs.filter((run) => unnamedSettings(run) === 0);
  const unnamed = programs.reduce((sum, run) => sum + unnamedSettings(run), 0);
  const shown = named.slice(0, MAX_RUNS);
  const more = named.length - shown.length + unnamed;
  return `${shown.map(printRun).join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** An unreadable entry is described in words; any other is a name. */
function printRun(run: string): string {
  return run.startsWith("anything (") ? escapeInvisible(run) : visible(run);
}
