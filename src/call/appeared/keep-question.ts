import { isUtf8 } from "node:buffer";
import type { DecidedCall } from "../../approval/gate-result.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { HeldContent } from "../../host/launch/quarantine/content.ts";
import type { Quarantine } from "../../host/launch/quarantine/quarantine.ts";
import type { QuarantineItem, QuarantineRecord } from "../../host/launch/quarantine/record.ts";
import { argsHashOf, cacheKeyOf } from "../../policy/hashes.ts";
import { KEEP_TOOL } from "../../policy/keep-tool.ts";
import type { Presentation } from "../../policy/presentation.ts";
import { redact } from "../../policy/redact.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import { printObeyed } from "../../profile/executed.ts";
import type { AfterCall, Asks } from "./after-call.ts";

/** Maximum of names in the question's own words; its arguments name more. */
const MAX_NAMED = 10;
const MAX_LISTED = 200;
const MAX_SHOWN = 20;

/** Asks a person, never a rule, mode or grant, whether to restore taken-away files. Returns who approved, or null. */
export async function keepQuestion(
  record: QuarantineRecord,
  call: AfterCall,
  asks: Asks,
): Promise<string | null> {
  const { gate, agent, groupId, signal, log } = asks;
  const question = questionOf(record, call);
  const result = await gate.pass(
    { callId: call.from.callId, tool: KEEP_TOOL, agent, groupId },
    question,
    async (edited) => {
      if (edited !== undefined) throw notEdited();
      return question;
    },
    { signal, approvalId: null, log, call: null },
  );
  if (result.kind !== "approved") return null;
  await gate.track(result, async () => ({ kind: "done" }));
  return result.by;
}

function questionOf(record: QuarantineRecord, { from, shared }: AfterCall): DecidedCall {
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
  // A name on the disk may hold any bytes.
  const digests = items.map(({ path, digest }) => [spelledOut(path), digest]);
  const reason = `programs outside the sandbox execute or obey files that ${from.tool} created; if rejected, they stay in quarantine`;
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
    // After three rejections of the same, it is not asked again.
    grantKey: { cacheKey: cacheKeyOf(KEEP_TOOL, digests), toolVersion: "1", program: null, granted: null },
    groupId: null,
    summarize: () => ({
      risk: "destructive",
      description: descriptionOf(items),
      ...redact({ quarantine: id, ...args }),
      covers: null,
      granted: null,
    }),
    preview: () => presentationOf(record, shared.quarantine),
  };
}

/** `keep the files that the call created: .envrc, obeyed by direnv when a shell enters the folder`. */
function descriptionOf(items: readonly QuarantineItem[]): string {
  const named = items.slice(0, MAX_NAMED).map((item) => `${visible(item.path)}, ${printObeyed(item)}`);
  const more = items.length - named.length;
  return `keep the files that the call created: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

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

/** Bytes that are not text are described: a person would not see them in a text. */
function textOfFile(bytes: Buffer): string {
  return bytes.includes(0) || !isUtf8(bytes) ? "(not a text)" : bytes.toString("utf8");
}

function indented(text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, "  ");
}

/** The files exist already: their content can't be edited in the request. */
function notEdited(): CofferdamError {
  return new CofferdamError("USAGE", "files that a call created can't be edited in the request", {
    hint: "reject the request, and edit them in the quarantine: `cofferdam quarantine show`",
  });
}
