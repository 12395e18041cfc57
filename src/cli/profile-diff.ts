import { escapeInvisible, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type Comparison, compare } from "../profile/compare.ts";
import { intersect } from "../profile/intersect.ts";
import type { Profile } from "../profile/profile.ts";
import { type Shortfall, shortfall } from "../profile/shortfall.ts";
import { createDraft } from "../supervisor/draft.ts";
import { indented } from "./columns.ts";
import { tellThree } from "./failure.ts";
import { profileNamed } from "./operator-profiles.ts";
import type { Print } from "./print.ts";
import { printWider } from "./witness-text.ts";

/** Which two profiles to compare: two by name or file, or, without names, what the config asks for and what it gets. */
export interface DiffRequest {
  readonly names: readonly string[];
  readonly json: boolean;
  readonly failIfWider: boolean;
  readonly config?: string;
  readonly profiles?: readonly string[];
}

/** A wider profile where none may be: for CI, beside the statuses of the table. */
const WIDER = 1;

interface Named {
  readonly name: string;
  readonly profile: Profile;
}

/** Prints what each of two profiles allows beyond the other. With `failIfWider` the second must stay within the first. */
export async function diffProfiles(
  host: Host,
  { names, json, failIfWider, ...choice }: DiffRequest,
  print: Print,
): Promise<number> {
  const { standing, loaded } = createDraft({ host, ...choice });
  const [first, second] = names;
  const [a, b]: readonly [Named, Named] =
    first === undefined || second === undefined
      ? [
          { name: "the config", profile: standing.needs.onYes },
          { name: "what is granted", profile: standing.onYes.profile },
        ]
      : [
          { name: visible(first), profile: profileNamed(host, loaded.config, first).profile },
          { name: visible(second), profile: profileNamed(host, loaded.config, second).profile },
        ];
  const comparison = compare(b.profile, a.profile);
  if (json) print.json({ wider: comparison.kind !== "within", more: beyond(b, a), less: beyond(a, b) });
  else for (const line of diffLines(a, b, print)) print.result(line);
  if (!failIfWider || comparison.kind === "within") return 0;
  tellThree(
    print,
    `${b.name} is wider than ${a.name}${comparison.kind === "unknown" ? ", or may be" : ""}: it may ${printWider(comparison)}`,
    null,
    "take away what it allows in addition",
  );
  return WIDER;
}

function diffLines(a: Named, b: Named, print: Print): readonly string[] {
  const [more, less] = [beyond(b, a), beyond(a, b)];
  if (more.length + less.length === 0) return [`${a.name} and ${b.name} allow the same`];
  const { good, bad } = print.ink;
  return [
    ...(more.length === 0
      ? []
      : [
          `${b.name} allows, and ${a.name} does not:`,
          ...indented(more.map((line) => bad(`+ ${escapeInvisible(line)}`))),
        ]),
    ...(less.length === 0
      ? []
      : [
          `${a.name} allows, and ${b.name} does not:`,
          ...indented(less.map((line) => good(`- ${escapeInvisible(line)}`))),
        ]),
  ];
}

/** What the first allows and the second does not: clause by clause, and the witness where no clause shows it. */
function beyond(wide: Named, other: Named): readonly string[] {
  const comparison: Comparison = compare(wide.profile, other.profile);
  if (comparison.kind === "within") return [];
  const clauses = shortfall(wide.profile, intersect(wide.profile, other.profile));
  const isShown =
    comparison.kind === "exceeds" &&
    clauses.some(
      (one) =>
        one.field === comparison.witness.field &&
        (one.field !== "files" ||
          (comparison.witness.field === "files" && one.path === comparison.witness.path)),
    );
  return [...clauses.map(printClause), ...(isShown ? [] : [printWider(comparison)])];
}

function printClause(one: Shortfall): string {
  if (one.field !== "files") return `${one.field}: ${one.what}`;
  return `${one.wanted} ${visible(one.path)} (${one.granted === "none" ? "nothing there" : `only ${one.granted}`} in the other)`;
}
