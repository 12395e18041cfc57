import type { Plan } from "../../backend/plan.ts";
import { columns } from "../../channel/columns.ts";
import { escapeInvisible } from "../../errors.ts";
import type { Action } from "../../policy/action.ts";
import { printDeviceGroup } from "../../profile/devices.ts";
import { printPorts } from "../../profile/ports.ts";
import { createDraft, type Draft } from "../../supervisor/draft.ts";
import { draftFetchTools, fetchOutlook } from "../../supervisor/fetch-outlook.ts";
import { type Outlook, outlookOf } from "../../supervisor/files/outlook.ts";
import { shellOutlook } from "../../supervisor/shell-outlook.ts";
import { type Standing, standingWithin } from "../../supervisor/standing.ts";
import { type ToolCard, toolCards } from "../../supervisor/tool-cards.ts";
import { FILE_TOOLS } from "../../tool/files/all.ts";
import { COMMON, chosen, knownWord, readArguments, takeWords } from "../arguments.ts";
import { limitFindings, lookAtPlan } from "../plan-look.ts";
import type { Print } from "../print.ts";

/** A tool, and what would be asked about it. */
interface Told {
  readonly card: ToolCard;
  readonly outlook: readonly Outlook[];
  /** Ports of this machine that may lead into its calls; null where none may. */
  readonly ports: string | null;
}

/** Lists the tools that there are, and what would be asked; or tells all about one. */
export async function tools(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("tools", args, COMMON);
  takeWords("tools", positionals, ["TOOL"], 0);
  const draft = createDraft(chosen(values));
  const { plan } = await lookAtPlan(draft);
  const pages = draftFetchTools(draft);
  const cards = toolCards(pages);
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
  const told = await Promise.all(
    shown.map(async (card): Promise<Told> => {
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
      told.map(({ card, outlook, ports }) => ({ ...card, outlook, ...(ports === null ? {} : { ports }) })),
    );
  else if (name === null) showAll(told, print);
  else for (const one of told) showOne(one, plan, draft.standing, print);
  return 0;
}

function showAll(told: readonly Told[], print: Print): void {
  const { ink } = print;
  const rows = told.map(({ card, outlook }) => [card.name, card.risk, inShort(outlook)]);
  for (const line of columns(rows, [ink.bold, ink.dim])) print.result(line);
}

function showOne({ card, outlook, ports }: Told, plan: Plan | null, { onYes }: Standing, print: Print): void {
  const { ink } = print;
  const limits = plan === null ? [] : limitFindings(plan);
  print.result(`${ink.bold(card.name)} ${ink.dim(card.risk)}`);
  print.result(card.description);
  print.result();
  const rows = outlook.map(({ root, action, reason }) => [
    escapeInvisible(root),
    SAYS[action],
    escapeInvisible(reason),
  ]);
  for (const line of columns(rows, [ink.bold, undefined, ink.dim])) print.result(line);
  if (ports !== null) print.result(`  ${ink.bold("ports:")} ${ports}, while a call runs that asks for them`);
  for (const group of card.name === "shell" ? onYes.profile.devices : [])
    print.result(`  ${ink.warn("devices:")} it may ${printDeviceGroup(group)}`);
  // Reading is limited by none of them.
  for (const { message } of card.risk === "read_only" ? [] : limits)
    print.result(`  ${ink.warn("limited:")} ${escapeInvisible(message)}`);
  print.result();
  print.json(card.schema);
}

const SAYS: Readonly<Record<Action, string>> = { allow: "asks nobody", ask: "asks", deny: "denied" };

/** `notes, diary: asks; cache: asks nobody` */
function inShort(outlook: readonly Outlook[]): string {
  return [...Map.groupBy(outlook, ({ action }) => action)]
    .map(([action, of]) => `${of.map(({ root }) => escapeInvisible(root)).join(", ")}: ${SAYS[action]}`)
    .join("; ");
}

function portsOf({ standing }: Draft): string | null {
  const { ports } = standing.onYes.profile;
  return ports.length === 0 ? null : printPorts(ports);
}

function outlookFor({ name }: ToolCard, { standing }: Draft, plan: Plan | null): readonly Outlook[] {
  const file = FILE_TOOLS.find((tool) => tool.name === name);
  return file === undefined ? [shellOutlook(standing)] : outlookOf(file, limited(standing, plan), null);
}

/** What a command's sandbox adds holds for tools on files as well, but for what suffixes leave to them. */
function limited(standing: Standing, plan: Plan | null): Standing {
  if (plan === null) return standing;
  const limits = plan.limits.filter(({ except }) => except === null);
  return standingWithin(standing, { limits, fixed: plan.fixed });
}
