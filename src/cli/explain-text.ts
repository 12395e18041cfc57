import { columns } from "../channel/columns.ts";
import type { CallExplanation } from "../decide/explain.ts";
import type { explainFileTools } from "../decide/explain-file-tools.ts";
import { escapeInvisible } from "../errors.ts";
import type { Explanation, LayerAnswer } from "../profile/explain.ts";
import { INSTALLATION_LAYER, PROTECTED_LAYER, REPOSITORY_LAYER } from "../profile/own-layers.ts";
import { quote } from "../shell/quote.ts";
import { printPlace } from "./place.ts";
import type { Print } from "./print.ts";

/** An action that the sandbox cannot prevent is not a denial, whatever the profile says. */
export function isLet({ allowed }: Explanation, looser: string | null): boolean {
  return allowed || looser !== null;
}

/** Prints the answers, the layers, and the clause that enforces them. File tools have rows if their answer differs. */
export function showExplanation(
  answer: CallExplanation,
  fileTools: ReturnType<typeof explainFileTools>,
  folder: string,
  print: Print,
): void {
  const { unasked, onYes, clause, tighter, stays, looser } = answer;
  const { ink } = print;
  print.result();
  const isOther =
    fileTools !== null && SIDES.some((side) => isLet(answer[side], looser[side]) !== fileTools[side].allowed);
  const rows = isOther
    ? [...rowsOf("commands", answer, looser), ...rowsOf(FILE_TOOLS, fileTools, NOT_LOOSER)]
    : rowsOf("", answer, looser);
  const width = Math.max(...rows.map(({ title }) => title.length));
  for (const { title, isAllowed, because, at } of rows) {
    const word = isAllowed ? ink.good("yes") : ink.bad("no ");
    // The layers below are those of commands.
    const place = title.startsWith(FILE_TOOLS) ? printPlace(at, folder) : "";
    print.result(`  ${title.padEnd(width)}  ${word}  ${because}${place === "" ? "" : `  ${ink.dim(place)}`}`);
  }
  print.result();
  const { layers, decidedBy } = onYes.allowed ? unasked : onYes;
  const table = layers.map((one) => [
    one === decidedBy ? ">" : "",
    one.layer,
    one.allowed ? "yes" : "no",
    isUnrestricted(one) && one !== decidedBy ? "does not restrict this" : one.because,
    printPlace(one.at, folder),
  ]);
  for (const line of columns(table, [ink.bold, undefined, undefined, undefined, ink.dim])) print.result(line);
  const remedy = onYes.decidedBy.remedy ?? null;
  if (!onYes.allowed && remedy !== null) {
    print.result();
    print.result(`  ${ink.dim("do:")} ${escapeInvisible(remedy)}`);
  }
  if (tighter.length > 0 || stays !== null) print.result();
  if (stays !== null) print.result(`  but: ${escapeInvisible(stays)}`);
  for (const reason of tighter) print.result(`  stricter in the sandbox: ${escapeInvisible(reason)}`);
  if (clause === null) return;
  print.result();
  // Options are printed as words of a command line, a rule of a profile language as it is.
  const words = clause.args.map((arg) => (arg.startsWith("(") ? escapeInvisible(arg) : quote([arg])));
  print.result(`  enforced by: ${words.length === 0 ? "a mount on the symlink itself" : words.join(" ")}`);
}

/** Own profiles only take away, and other profiles often begin with everything. */
function isUnrestricted({ layer, allowed, because }: LayerAnswer): boolean {
  return allowed && (OWN_LAYERS.includes(layer) || because === "`/` has access write");
}

const OWN_LAYERS: readonly string[] = [PROTECTED_LAYER, REPOSITORY_LAYER, INSTALLATION_LAYER];

const SIDES = ["unasked", "onYes"] as const;
const FILE_TOOLS = "file tools";
const NOT_LOOSER = { unasked: null, onYes: null };

/** One row if an approval changes nothing, else one without and one with approval. */
function rowsOf(
  tools: string,
  { unasked, onYes }: Pick<CallExplanation, (typeof SIDES)[number]>,
  looser: CallExplanation["looser"],
) {
  const row = (when: string, explanation: Explanation, why: string | null) => {
    const { layer, because, at } = explanation.decidedBy;
    const title = `${tools} ${when}`.trim();
    return { title, isAllowed: isLet(explanation, why), because: why ?? `${layer}: ${because}`, at };
  };
  const isSame =
    isLet(unasked, looser.unasked) === isLet(onYes, looser.onYes) &&
    unasked.decidedBy.because === onYes.decidedBy.because;
  return isSame
    ? [row(tools === "" ? "always" : "", onYes, looser.onYes)]
    : [row("without approval", unasked, looser.unasked), row("with approval", onYes, looser.onYes)];
}
