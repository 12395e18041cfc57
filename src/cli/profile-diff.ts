import { appearedPolicyOf } from "../call/appeared/parts.ts";
import { indented } from "../channel/columns.ts";
import { escapeInvisible, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { type Demands, loosenessOf, NO_DEMANDS } from "../policy/compare-demands.ts";
import { type Comparison, compare } from "../profile/compare.ts";
import { intersect } from "../profile/intersect.ts";
import type { Profile } from "../profile/profile.ts";
import { type Shortfall, shortfall } from "../profile/shortfall.ts";
import { createDraft } from "../session/draft.ts";
import { reportThree } from "./failure.ts";
import { printLooseClause, printLooseness } from "./looseness-text.ts";
import { type NamedLayers, profileNamed } from "./operator-profiles.ts";
import type { Print } from "./print.ts";
import { printWider } from "./witness-text.ts";

/** The two profiles to compare: by name or file; without names, the config's requested and effective one. */
export interface DiffRequest {
  readonly names: readonly string[];
  readonly json: boolean;
  readonly failIfWider: boolean;
  readonly config?: string;
  readonly profiles?: readonly string[];
}

/** The exit status for a wider profile, for CI; besides those of the table. */
const WIDER = 1;

/** One side; `elsewhere` is its profile with another workspace and home. */
interface Named extends Omit<NamedLayers, "layers"> {
  readonly name: string;
}

/**
 * Prints the access that each of two profiles allows beyond the other, and the approvals that each allows. With
 * `failIfWider` the second must stay within the first.
 */
export async function diffProfiles(
  host: Host,
  { names, json, failIfWider, ...choice }: DiffRequest,
  print: Print,
): Promise<number> {
  const { policy, loaded } = createDraft({ host, ...choice });
  const [first, second] = names;
  const [a, b]: readonly [Named, Named] =
    first === undefined || second === undefined
      ? [
          inForce("the config", policy.needs.withApproval, {
            ...NO_DEMANDS,
            appeared: loaded.config.sandbox.appeared,
          }),
          inForce("the result", policy.withApproval.profile, {
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
  reportThree(
    print,
    `${b.name} ${wider.isCertain ? "allows" : "may allow"} more than ${a.name}: it may ${wider.what}`,
    null,
    "remove the additional access",
  );
  return WIDER;
}

/** A profile that only exists for this place. */
function inForce(name: string, profile: Profile, demands: Demands): Named {
  return { name, profile, elsewhere: profile, demands };
}

/** The first access that only the second allows, or perhaps allows; null if there is none. */
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

/** Prints the invented folders as the variables that they replace. */
function elsewhere(text: string): string {
  return `${text.replaceAll("/${", "${")}, with another workspace and home`;
}

function diffLines(a: Named, b: Named, print: Print): readonly string[] {
  const [more, less] = [beyond(b, a), beyond(a, b)];
  if (more.length + less.length === 0) return [`${a.name} and ${b.name} allow the same`];
  const { good, bad } = print.ink;
  const part = (wide: Named, other: Named, lines: readonly string[], mark: (line: string) => string) => {
    const marked = lines.map((line) => mark(escapeInvisible(line)));
    return lines.length === 0
      ? []
      : [`${wide.name} allows, and ${other.name} does not:`, ...indented(marked)];
  };
  return [...part(b, a, more, (line) => bad(`+ ${line}`)), ...part(a, b, less, (line) => good(`- ${line}`))];
}

/** Maximum of entries times masks compared for a list of clauses. Above it, one witness is printed. */
const MAX_LOOKS = 2_000_000;

/** The access that only the first allows: clause by clause, and the witness if no clause shows it. */
function beyond(wide: Named, other: Named): readonly string[] {
  const here = touchedBeyond(wide.profile, other.profile);
  const apart = here.length === 0 ? touchedBeyond(wide.elsewhere, other.elsewhere).map(elsewhere) : [];
  const loose = loosenessOf(wide.demands, other.demands).map(printLooseClause);
  return [...here, ...apart, ...loose];
}

/** The access that the first profile allows and the second does not. */
export function touchedBeyond(wide: Profile, other: Profile): readonly string[] {
  const comparison: Comparison = compare(wide, other);
  if (comparison.kind === "within") return [];
  const more = printWider(comparison, [wide.network, other.network]);
  if (wide.files.length * (wide.masks.length + other.masks.length) > MAX_LOOKS)
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
