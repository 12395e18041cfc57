import type { Plan } from "../backend/plan.ts";
import { columns, indented } from "../channel/columns.ts";
import { ERRORS, escapeInvisible } from "../errors.ts";
import { quote } from "../shell/quote.ts";
import { createDraft } from "../supervisor/draft.ts";
import { grantedView } from "../supervisor/granted-view.ts";
import { type Prepared, type Side, sideOf } from "../supervisor/prepare.ts";
import type { Standing } from "../supervisor/standing.ts";
import type { SupervisorOptions } from "../supervisor/supervisor.ts";
import type { ShellInput } from "../tool/call.ts";
import { optionsOf, planLines, planSize } from "./plan-text.ts";
import type { Print } from "./print.ts";
import { profileJson } from "./profile-json.ts";
import { grantRows, ruleRows, standingLines, tintOf } from "./verdict-text.ts";

/**
 * Prints what would be run: the verdict with every rule that spoke, what the call gets, and the plan. Nothing is written
 * and nothing is run. The status is the one that the run would have before its program starts; an ask counts as a yes.
 */
export async function dryRun(
  input: Extract<ShellInput, { readonly argv: unknown }>,
  options: SupervisorOptions,
  json: boolean,
  print: Print,
): Promise<number> {
  const draft = createDraft(options);
  const prepared = await draft.prepare(input);
  const side = sideOf(prepared, prepared.verdict.action === "ask");
  if (json) print.json(dryRunJson(prepared, side));
  else {
    for (const note of draft.loaded.notes) print.result(print.ink.dim(escapeInvisible(note)));
    printCall(input.argv, prepared, side, prepared.standing, print);
    printRendering(side, prepared.standing, print);
  }
  return exitOf(prepared, side);
}

function exitOf({ verdict }: Prepared, { rendering }: Side): number {
  if (verdict.action === "deny") return ERRORS.DENIED.exit;
  switch (rendering.kind) {
    case "plan":
      return 0;
    case "not-found":
      return 127;
    case "denied":
      return ERRORS.CEILING_CUTS_RUNTIME.exit;
    case "refusal":
      return ERRORS.NOT_ENFORCEABLE.exit;
  }
}

function printCall(
  argv: readonly string[],
  prepared: Prepared,
  side: Side,
  standing: Standing,
  print: Print,
): void {
  const { ink } = print;
  const { verdict } = prepared;
  const rows = [
    ["command", quote(argv)],
    ["verdict", `${verdict.action}: ${verdict.reason}`],
    ...(side.launch === null ? [] : [["in", side.launch.cwd]]),
    ...grantRows(grantedView(side, standing.settings)),
  ];
  print.result();
  for (const line of columns(rows, [ink.bold])) print.result(line);
  title("the rules that spoke", print);
  const tint = tintOf(verdict.action, ink);
  for (const line of indented(columns(ruleRows(verdict), [undefined, undefined, tint, ink.dim])))
    print.result(line);
}

function printRendering({ rendering, launch }: Side, standing: Standing, print: Print): void {
  switch (rendering.kind) {
    case "not-found":
      title(`there is no plan: ${rendering.reason}`, print);
      print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(rendering.hint)}`);
      return;
    case "denied":
    case "refusal":
      title(`there is no plan: ${rendering.refusal.reason}`, print);
      print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(rendering.refusal.remedy)}`);
      return;
    case "plan":
      printPlan(rendering.plan, launch, standing, print);
  }
}

function printPlan(plan: Plan, launch: Side["launch"], standing: Standing, print: Print): void {
  const { ink } = print;
  const { backend, version, placeholders, approximations, standings } = plan;
  const part = (heading: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    title(heading, print);
    for (const line of indented(lines)) print.result(line);
  };
  part(`the plan: ${backend} ${version}, ${planSize(plan)}`, [
    ...planLines(plan, standing, ink, launch?.cwd ?? "/"),
    `-- ${quote(launch?.argv ?? [])}`,
  ]);
  part("held by a placeholder while it runs", columns(placeholders.map(({ path }) => [path])));
  part(
    "tighter than the profile",
    columns(
      approximations.map((one) => [one.path, one.reason]),
      [undefined, ink.dim],
    ),
  );
  part("the protections", standingLines(standings, ink));
}

function title(text: string, print: Print): void {
  print.result();
  print.result(print.ink.bold(escapeInvisible(text)));
}

function dryRunJson({ verdict, argsHash }: Prepared, side: Side): unknown {
  const { rendering, launch } = side;
  const granted = { digest: side.digest, profile: profileJson(side.profile), shortfall: side.shortfall };
  const call = launch === null ? null : { argv: launch.argv, cwd: launch.cwd, env: Object.keys(launch.env) };
  if (rendering.kind !== "plan") return { verdict, argsHash, granted, call, plan: rendering };
  const { plan } = rendering;
  const { backend, version, file, placeholders, ports, approximations, standings } = plan;
  const walls =
    plan.kind === "rules"
      ? { rules: plan.rules }
      : { options: optionsOf(plan).map((words) => (words[0] === "--setenv" ? words.slice(0, 2) : words)) };
  const paths = placeholders.map(({ path }) => path);
  return {
    verdict,
    argsHash,
    granted,
    call,
    plan: {
      kind: "plan",
      backend,
      version,
      file,
      ...walls,
      placeholders: paths,
      ports,
      approximations,
      standings,
    },
  };
}
