import type { Plan } from "../backend/plan.ts";
import { columns, indented } from "../channel/columns.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { grantedView } from "../decide/granted-view.ts";
import { type Prepared, type PreparedRun, runFor } from "../decide/prepare.ts";
import { ERRORS, escapeInvisible } from "../errors.ts";
import { createDraft } from "../session/draft.ts";
import type { SupervisorOptions } from "../session/supervisor-options.ts";
import { quote } from "../shell/quote.ts";
import type { ShellInput } from "../tool/call.ts";
import { printPart, printTitle } from "./headings.ts";
import { optionsOf, planLines, planSize } from "./plan-text.ts";
import type { Print } from "./print.ts";
import { profileJson } from "./profile-json.ts";
import { enforcementLines, grantRows, ruleRows, tintOf } from "./verdict-text.ts";

/**
 * Prints the run: the verdict with every rule that applied, the access of the call, and the plan. Nothing is written or
 * run. The status is the one of the run before its program starts; an ask counts as approved.
 */
export async function dryRun(
  input: Extract<ShellInput, { readonly argv: unknown }>,
  options: SupervisorOptions,
  json: boolean,
  print: Print,
): Promise<number> {
  const draft = createDraft(options);
  const prepared = await draft.prepare(input);
  const side = runFor(prepared, prepared.verdict.action === "ask");
  if (json) print.json(dryRunJson(prepared, side));
  else {
    for (const note of draft.loaded.notes) print.result(print.ink.dim(escapeInvisible(note)));
    printCall(input.argv, prepared, side, prepared.policy, print);
    printRendering(side, prepared.policy, print);
  }
  return exitOf(prepared, side);
}

function exitOf({ verdict }: Prepared, { rendering }: PreparedRun): number {
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
  side: PreparedRun,
  policy: CallPolicy,
  print: Print,
): void {
  const { ink } = print;
  const { verdict } = prepared;
  const rows = [
    ["command", quote(argv)],
    ["verdict", `${verdict.action}: ${verdict.reason}`],
    ...(side.launch === null ? [] : [["in", side.launch.cwd]]),
    ...grantRows(grantedView(side, policy.settings)),
  ];
  print.result();
  for (const line of columns(rows, [ink.bold])) print.result(line);
  const tint = tintOf(verdict.action, ink);
  printTitle("matching rules", print);
  for (const line of indented(columns(ruleRows(verdict), [undefined, undefined, tint, ink.dim])))
    print.result(line);
}

function printRendering({ rendering, launch }: PreparedRun, policy: CallPolicy, print: Print): void {
  switch (rendering.kind) {
    case "not-found":
      printTitle(`no plan: ${rendering.reason}`, print);
      print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(rendering.hint)}`);
      return;
    case "denied":
    case "refusal":
      printTitle(`no plan: ${rendering.refusal.reason}`, print);
      print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(rendering.refusal.remedy)}`);
      return;
    case "plan":
      printPlan(rendering.plan, launch, policy, print);
  }
}

function printPlan(plan: Plan, launch: PreparedRun["launch"], policy: CallPolicy, print: Print): void {
  const { ink } = print;
  const { backend, version, placeholders, approximations, enforcement } = plan;
  printPart(
    `plan: ${backend} ${version}, ${planSize(plan)}`,
    [...planLines(plan, policy, ink, launch?.cwd ?? "/"), `-- ${quote(launch?.argv ?? [])}`],
    print,
  );
  printPart("placeholders during the run", columns(placeholders.map(({ path }) => [path])), print);
  printPart(
    "stricter than the profile",
    columns(
      approximations.map((one) => [one.path, one.reason]),
      [undefined, ink.dim],
    ),
    print,
  );
  printPart("protections", enforcementLines(enforcement, ink), print);
}

function dryRunJson({ verdict, argsHash }: Prepared, side: PreparedRun): unknown {
  const { rendering, launch } = side;
  const granted = { digest: side.digest, profile: profileJson(side.profile), shortfall: side.shortfall };
  const call = launch === null ? null : { argv: launch.argv, cwd: launch.cwd, env: Object.keys(launch.env) };
  if (rendering.kind !== "plan") return { verdict, argsHash, granted, call, plan: rendering };
  const { plan } = rendering;
  const { backend, version, file, placeholders, ports, approximations, enforcement } = plan;
  const text =
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
      ...text,
      placeholders: paths,
      ports,
      approximations,
      enforcement,
    },
  };
}
