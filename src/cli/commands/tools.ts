import type { Plan } from "../../backend/plan.ts";
import { columns } from "../../channel/columns.ts";
import { commandRules } from "../../config/command-decisions.ts";
import { type CallPolicy, withinPlan } from "../../decide/call-policy.ts";
import { type Outlook, outlookOf } from "../../decide/outlook.ts";
import { shellOutlook } from "../../decide/shell-outlook.ts";
import { type ToolCard, toolCards } from "../../decide/tool-cards.ts";
import { escapeInvisible } from "../../errors.ts";
import type { Action } from "../../policy/action.ts";
import { printDeviceGroup } from "../../profile/devices.ts";
import { printPorts } from "../../profile/ports.ts";
import { createDraft, type Draft } from "../../session/draft.ts";
import { draftFetchTools, fetchOutlook } from "../../session/fetch-outlook.ts";
import { FILE_TOOLS } from "../../tool/files/all.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments } from "../arguments.ts";
import { limitFindings, lookAtPlan } from "../plan-look.ts";
import type { Print } from "../print.ts";

interface DescribedTool {
  readonly card: ToolCard;
  readonly outlook: readonly Outlook[];
  /** Ports of this machine that may lead into its calls, or null. */
  readonly ports: string | null;
}

/** Lists the tools and their approval rules, or prints all details of one tool. */
export async function tools(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("tools", args, COMMON);
  parseWords("tools", positionals, ["TOOL"], 0);
  const draft = createDraft(chosen(values));
  const { plan } = await lookAtPlan(draft);
  const pages = draftFetchTools(draft);
  const cards = toolCards(pages, commandRules(draft.policy, null));
  const [wanted] = positionals;
  const name =
    wanted === undefined
      ? null
      : knownWord(
          "tools",
          "tool",
          wanted,
          cards.map((card) => card.name),
        );
  const shown = name === null ? cards : cards.filter((card) => card.name === name);
  const described = await Promise.all(
    shown.map(async (card): Promise<DescribedTool> => {
      const page = pages.find((tool) => tool.name === card.name);
      return {
        card,
        outlook: page === undefined ? outlookFor(card, draft, plan) : await fetchOutlook(page, draft),
        ports: card.name === "shell" ? portsOf(draft) : null,
      };
    }),
  );
  if (values.json === true)
    print.json(
      described.map(({ card, outlook, ports }) => ({
        ...card,
        outlook,
        ...(ports === null ? {} : { ports }),
      })),
    );
  else if (name === null) showAll(described, print);
  else for (const one of described) showOne(one, plan, draft.policy, print);
  return 0;
}

function showAll(described: readonly DescribedTool[], print: Print): void {
  const { ink } = print;
  const rows = described.map(({ card, outlook }) => [card.name, card.risk, inShort(outlook)]);
  for (const line of columns(rows, [ink.bold, ink.dim])) print.result(line);
}

function showOne(
  { card, outlook, ports }: DescribedTool,
  plan: Plan | null,
  { withApproval }: CallPolicy,
  print: Print,
): void {
  const { ink } = print;
  const limits = plan === null ? [] : limitFindings(plan);
  print.result(`${ink.bold(card.name)} ${ink.dim(card.risk)}`);
  print.result(card.description);
  print.result();
  const rows = outlook.map((one) => [escapeInvisible(one.root), says(one), escapeInvisible(one.reason)]);
  for (const line of columns(rows, [ink.bold, undefined, ink.dim])) print.result(line);
  if (ports !== null) print.result(`  ${ink.bold("ports:")} ${ports}, for calls that request them`);
  for (const group of card.name === "shell" ? withApproval.profile.devices : [])
    print.result(`  ${ink.warn("devices:")} it may ${printDeviceGroup(group)}`);
  // None of them limits reading.
  for (const { message } of card.risk === "read_only" ? [] : limits)
    print.result(`  ${ink.warn("limited:")} ${escapeInvisible(message)}`);
  print.result();
  print.json(card.schema);
}

const SAYS: Readonly<Record<Action, string>> = { allow: "allowed", ask: "asks", deny: "denied" };

function says({ action, asksForAccess }: Outlook): string {
  return `${SAYS[action]}${asksForAccess === true ? ", unless approval would give it more access" : ""}`;
}

/** `notes, diary: asks; cache: allowed` */
function inShort(outlook: readonly Outlook[]): string {
  return [...Map.groupBy(outlook, says)]
    .map(([said, of]) => `${of.map(({ root }) => escapeInvisible(root)).join(", ")}: ${said}`)
    .join("; ");
}

function portsOf({ policy }: Draft): string | null {
  const { ports } = policy.withApproval.profile;
  return ports.length === 0 ? null : printPorts(ports);
}

function outlookFor({ name }: ToolCard, { policy }: Draft, plan: Plan | null): readonly Outlook[] {
  const file = FILE_TOOLS.find((tool) => tool.name === name);
  return file === undefined ? [shellOutlook(policy)] : outlookOf(file, limited(policy, plan), null);
}

/** Limits of the command sandbox also apply to file tools, except those that only concern suffixes. */
function limited(policy: CallPolicy, plan: Plan | null): CallPolicy {
  if (plan === null) return policy;
  const limits = plan.limits.filter(({ except }) => except === null);
  return withinPlan(policy, { limits, fixed: plan.fixed });
}
