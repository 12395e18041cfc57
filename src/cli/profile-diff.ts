import { indented } from "../channel/columns.ts";
import { escapeInvisible, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type Demands, loosenessOf, NO_DEMANDS } from "../policy/compare-demands.ts";
import { type Comparison, compare } from "../profile/compare.ts";
import { intersect } from "../profile/intersect.ts";
import type { Profile } from "../profile/profile.ts";
import { type Shortfall, shortfall } from "../profile/shortfall.ts";
import { appearedPolicyOf } from "../supervisor/appeared/parts.ts";
import { createDraft } from "../supervisor/draft.ts";
import { tellThree } from "./failure.ts";
import { printLooseClause, printLooseness } from "./looseness-text.ts";
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

/** One side; `elsewhere` is its profile where the workspace and the home are other folders. */
interface Named {
  readonly name: string;
  readonly profile: Profile;
  readonly elsewhere: Profile;
  readonly demands: Demands;
}

/**
 * Prints what each of two profiles allows beyond the other: what may be touched, and whom an operator lets decide. With
 * `failIfWider` the second must stay within the first.
 */
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
          inForce("the config", standing.needs.onYes, {
            ...NO_DEMANDS,
            appeared: loaded.config.sandbox.appeared,
          }),
          inForce("what is granted", standing.onYes.profile, {
            ...loaded.ceiling,
            appeared: appearedPolicyOf(loaded),
          }),
        ]
      : [
          { name: visible(first), ...profileNamed(host, loaded.config, first) },
          { name: visible(second), ...profileNamed(host, loaded.config, second) },
        ];
  const wider = widening(a, b);
  if (json) print.json({ wider: wider !== null, more: beyond(b, a), less: beyond(a, b) });
  else for (const line of diffLines(a, b, print)) print.result(line);
  if (!failIfWider || wider === null) return 0;
  tellThree(
    print,
    `${b.name} is wider than ${a.name}${wider.isCertain ? "" : ", or may be"}: it may ${wider.what}`,
    null,
    "take away what it allows in addition",
  );
  return WIDER;
}

/** What is made for this place, and stands nowhere else. */
function inForce(name: string, profile: Profile, demands: Demands): Named {
  return { name, profile, elsewhere: profile, demands };
}

/** The first thing that the second allows, or perhaps allows, and the first does not; null when there is none. */
function widening(a: Named, b: Named): { readonly what: string; readonly isCertain: boolean } | null {
  const comparison = compare(b.profile, a.profile);
  const networks = [a.profile.network, b.profile.network];
  if (comparison.kind === "exceeds") return { what: printWider(comparison, networks), isCertain: true };
  const loose = loosenessOf(b.demands, a.demands);
  const first = loose.find((one) => one.field !== "rule" || one.isCertain) ?? loose[0];
  if (first !== undefined)
    return { what: printLooseness(first), isCertain: first.field !== "rule" || first.isCertain };
  if (comparison.kind === "unknown") return { what: printWider(comparison, networks), isCertain: false };
  const apart = compare(b.elsewhere, a.elsewhere);
  return apart.kind === "within"
    ? null
    : {
        what: elsewhere(printWider(apart, [a.elsewhere.network, b.elsewhere.network])),
        isCertain: apart.kind === "exceeds",
      };
}

/** Told of made-up folders: they are named as the variables that they stand for. */
function elsewhere(text: string): string {
  return `${text.replaceAll("/${", "${")}, with another workspace and home`;
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

/** Entries times masks that are held against each other for a list of clauses; above that one witness is told. */
const MOST_LOOKS = 2_000_000;

/** What the first allows and the second does not: clause by clause, and the witness where no clause shows it. */
function beyond(wide: Named, other: Named): readonly string[] {
  const here = touchedBeyond(wide.profile, other.profile);
  const apart = here.length === 0 ? touchedBeyond(wide.elsewhere, other.elsewhere).map(elsewhere) : [];
  const loose = loosenessOf(wide.demands, other.demands).map(printLooseClause);
  return [...here, ...apart, ...loose];
}

/** What the first profile lets be touched and the second does not. */
export function touchedBeyond(wide: Profile, other: Profile): readonly string[] {
  const comparison: Comparison = compare(wide, other);
  if (comparison.kind === "within") return [];
  const more = printWider(comparison, [wide.network, other.network]);
  if (wide.files.length * (wide.masks.length + other.masks.length) > MOST_LOOKS)
    return [more, "perhaps more: there are too many entries to list each"];
  const clauses = shortfall(wide, intersect(wide, other));
  const isShown =
    comparison.kind === "exceeds" &&
    clauses.some(
      (one) =>
        one.field === comparison.witness.field &&
        (one.field !== "files" ||
          (comparison.witness.field === "files" && one.path === comparison.witness.path)),
    );
  return [...clauses.map(printClause), ...(isShown ? [] : [more])];
}

function printClause(one: Shortfall): string {
  if (one.field !== "files") return `${one.field}: ${one.what}`;
  return `${one.wanted} ${visible(one.path)} (${one.granted === "none" ? "nothing there" : `only ${one.granted}`} in the other)`;
}
