import { isUtf8 } from "node:buffer";
import type { Question } from "../../approval/question.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { HeldContent } from "../../host/quarantine/content.ts";
import type { Quarantine } from "../../host/quarantine/quarantine.ts";
import type { QuarantineItem, QuarantineRecord } from "../../host/quarantine/record.ts";
import { argsHashOf, cacheKeyOf } from "../../policy/hashes.ts";
import { KEEP_TOOL } from "../../policy/keep-tool.ts";
import type { Presentation } from "../../policy/presentation.ts";
import { redact } from "../../policy/redact.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import { printObeyed } from "../../profile/executed.ts";
import type { AfterCall, Asks } from "./after-call.ts";

/** So many are named in the question's own words; its arguments name more. */
const MAX_NAMED = 10;
const MAX_LISTED = 200;
/** So many are shown with their content. */
const MAX_SHOWN = 20;

/**
 * Asks whether what a call made, and what was taken away, is to be given back. Who said yes; null where nobody did. It demands a
 * person: neither a rule, a mode nor an earlier yes answers it.
 */
export async function keepQuestion(
  record: QuarantineRecord,
  call: AfterCall,
  asks: Asks,
): Promise<string | null> {
  const { gate, agent, groupId, signal, trail } = asks;
  const question = questionOf(record, call);
  const passage = await gate.pass(
    { callId: call.from.callId, tool: KEEP_TOOL, agent, groupId },
    async (edited) => {
      if (edited !== undefined) throw notEdited();
      return question;
    },
    { signal, approvalId: null, trail, call: null },
  );
  if (passage.kind !== "permitted") return null;
  await gate.run(passage, async () => ({ kind: "done" }));
  return passage.by;
}

function questionOf(record: QuarantineRecord, { from, shared }: AfterCall): Question {
  const { id, items } = record;
  const listed = items.slice(0, MAX_LISTED).map(({ path, by, when, kind, files, bytes }) => ({
    path: spelledOut(path),
    obeyed_by: by,
    when,
    kind,
    files,
    bytes,
  }));
  const args = { call: from.tool, made: listed, more: Math.max(0, items.length - listed.length) };
  // A name on the disk is any bytes.
  const digests = items.map(({ path, digest }) => [spelledOut(path), digest]);
  const reason = `programs outside the sandbox execute or obey what ${from.tool} made, without asking; after a no it stays in quarantine`;
  return {
    verdict: {
      action: "ask",
      demandsPerson: true,
      hits: [{ layer: "tool", rule: "appeared", action: "ask", reason }],
      reason,
    },
    argsHash: argsHashOf({
      tool: KEEP_TOOL,
      version: "1",
      input: { id, digests },
      cwd: shared.loaded.config.workspace,
    }),
    // Whoever said no to the same three times is not asked about it again.
    grantKey: { cacheKey: cacheKeyOf(KEEP_TOOL, digests), toolVersion: "1", program: null, granted: null },
    groupId: null,
    show: () => ({
      risk: "destructive",
      description: descriptionOf(items),
      ...redact({ quarantine: id, ...args }),
      covers: null,
      granted: null,
    }),
    present: () => presentationOf(record, shared.quarantine),
  };
}

/** `keep what the call made: .claude/settings.json, obeyed by Claude Code when a session starts in the folder`. */
function descriptionOf(items: readonly QuarantineItem[]): string {
  const named = items.slice(0, MAX_NAMED).map((item) => `${visible(item.path)}, ${printObeyed(item)}`);
  const more = items.length - named.length;
  return `keep what the call made: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The content of one file; of several, and of folders, what there is of each. */
async function presentationOf(record: QuarantineRecord, quarantine: Quarantine): Promise<Presentation> {
  const { presentFile, presentText } = await import("../../approval/present.ts");
  const [only, ...others] = record.items;
  const content = only === undefined ? null : await quarantine.contentOf(record, 0);
  if (only !== undefined && others.length === 0 && content?.kind === "file")
    return presentFile({ path: spelledOut(only.path), content: content.bytes });
  const parts: string[] = [];
  for (const [index, { path }] of record.items.slice(0, MAX_SHOWN).entries())
    parts.push(`${visible(path)}\n${indented(textOf(await quarantine.contentOf(record, index)))}`);
  const more = record.items.length - parts.length;
  return presentText([...parts, ...(more > 0 ? [`and ${more} more`] : [])].join("\n\n"));
}

function textOf(content: HeldContent | null): string {
  if (content === null) return "(can't be shown)";
  if (content.kind === "link") return `-> ${visible(content.target)}`;
  if (content.kind === "file") return textOfFile(Buffer.from(content.bytes));
  const { entries, more } = content;
  const shown = entries.map((entry) =>
    entry.name.endsWith("/")
      ? visible(entry.name)
      : `${visible(entry.name)}\n${indented(textOf(entry.content))}`,
  );
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

/** A person would not see in a text what is there of any other bytes. */
function textOfFile(bytes: Buffer): string {
  return bytes.includes(0) || !isUtf8(bytes) ? "(it is no text)" : bytes.toString("utf8");
}

function indented(text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, "  ");
}

/** What was made is what was made: nothing else can be put in its place. */
function notEdited(): CofferdamError {
  return new CofferdamError("USAGE", "what a call made can be kept as it is, or not at all", {
    hint: "say no, and edit it where it lies: `cofferdam quarantine show`",
  });
}
