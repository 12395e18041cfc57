import { createHash } from "node:crypto";
import type { RuleHit } from "../policy/rule-hit.ts";
import { sha256 } from "../profile/digest.ts";
import type { ApprovalBody, EventBody } from "./event.ts";

/** A text with more characters is cut. */
const MAX_CHARACTERS = 16 * 1024;
/** A list with more texts is cut, and so is one with more characters in all. */
const MAX_TEXTS = 256;
const MAX_LIST_CHARACTERS = 256 * 1024;

/** The maximum of recorded characters: of each word of a call, and of all its words together. */
export const MAX_RECORDED = { word: MAX_CHARACTERS, words: MAX_LIST_CHARACTERS } as const;

/**
 * The event with its texts bounded, so that no call decides how large a record grows. A longer text keeps its
 * beginning, a longer list its first texts. A note at the end gives the size and SHA-256 of the whole (of a list: of
 * its texts, each followed by a NUL). An uncut text with such an end is recognized by its length: only cut ones are
 * longer than the maximum.
 */
export function boundedEvent(body: ApprovalBody): ApprovalBody;
export function boundedEvent(body: EventBody): EventBody;
export function boundedEvent(body: EventBody): EventBody {
  switch (body.type) {
    case "call.received":
      return { ...body, words: boundedTexts(body.words), cwd: boundedText(body.cwd) };
    case "call.judged":
      return { ...body, reason: boundedText(body.reason), hits: boundedHits(body.hits) };
    case "approval.failed":
      return { ...body, reason: boundedText(body.reason) };
    case "approval.resolved":
      return { ...body, by: boundedText(body.by), note: body.note === null ? null : boundedText(body.note) };
    // An answer to an unknown request contains its id as well.
    case "approval.ignored":
      return { ...body, approvalId: boundedText(body.approvalId), by: boundedText(body.by) };
    case "approval.auto":
    case "grant.saved":
    case "grant.revoked":
      return { ...body, by: boundedText(body.by) };
    case "call.planned":
      return { ...body, env: boundedTexts(body.env), placeholders: boundedTexts(body.placeholders) };
    case "network.amended":
      return { ...body, by: boundedText(body.by) };
    // Hosts and reasons are bounded where they are counted.
    case "network.refused":
    case "network.used":
      return body;
    case "config.changed":
      return { ...body, message: boundedText(body.message) };
    // An HTTP client chooses the method and the path, and a short part of them is enough.
    case "http.refused":
      return { ...body, method: beginning(body.method, 16), path: beginning(body.path, 256) };
    // A server chooses its tools' names, and a short part of them is enough.
    case "mcp.refused":
      return { ...body, what: beginning(body.what, 256), because: beginning(body.because, 256) };
    case "call.appeared":
      return { ...body, paths: boundedTexts(body.paths), runs: boundedTexts(body.runs) };
    // Their number is bounded where they are reported.
    case "call.quarantined":
      return {
        ...body,
        items: body.items.map((item) => ({
          ...item,
          path: boundedText(item.path),
          aside: item.aside === null ? null : boundedText(item.aside),
        })),
      };
    case "call.restored":
      return { ...body, paths: boundedTexts(body.paths), by: boundedText(body.by) };
    case "call.ended":
      return { ...body, reason: body.reason === null ? null : boundedText(body.reason) };
    // A request is bounded when it is made: the journal has the text that people are shown.
    case "approval.requested":
    case "approval.reviewed":
    case "approval.expired":
    case "approval.abandoned":
    case "session.started":
    case "call.prepared":
    case "walls.proven":
    case "journal.continued":
      return body;
  }
}

function boundedHits(hits: readonly RuleHit[]): RuleHit[] {
  return hits.slice(0, MAX_TEXTS).map((hit) => ({
    ...hit,
    rule: boundedText(hit.rule),
    reason: hit.reason === null ? null : boundedText(hit.reason),
  }));
}

/** The texts that one step digests. */
const STEP_TEXTS = 512;

const BOUNDED = new WeakSet<readonly string[]>();

/** The result of `boundedEvent` for a list of any length, in steps; `boundedEvent` then leaves it unchanged. */
export function* boundedTextsInSteps(texts: readonly string[]): Generator<void, string[]> {
  if (texts.length <= STEP_TEXTS) return [...texts];
  const digest = createHash("sha256");
  for (let at = 0; at < texts.length; at += STEP_TEXTS) {
    for (const text of texts.slice(at, at + STEP_TEXTS)) digest.update(`${text}\0`);
    yield;
  }
  const bounded = [...firstOf(texts), cutTexts(texts.length, digest.digest("hex"))];
  BOUNDED.add(bounded);
  return bounded;
}

function boundedTexts(texts: string[]): string[] {
  if (BOUNDED.has(texts)) return texts;
  const first = firstOf(texts);
  if (first.length === texts.length) return first;
  return [...first, cutTexts(texts.length, sha256(texts.map((text) => `${text}\0`).join("")))];
}

function firstOf(texts: readonly string[]): string[] {
  const first: string[] = [];
  let left = MAX_LIST_CHARACTERS;
  for (const text of texts.slice(0, MAX_TEXTS)) {
    const one = boundedText(text);
    left -= one.length;
    if (left < 0) break;
    first.push(one);
  }
  return first;
}

function cutTexts(count: number, digest: string): string {
  return `… (cut: ${count} texts in total, sha256 ${digest})`;
}

function boundedText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const bytes = new TextEncoder().encode(text).length;
  return `${text.slice(0, MAX_CHARACTERS)}… (cut: ${bytes} bytes in total, sha256 ${sha256(text)})`;
}

function beginning(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
