import { createHash } from "node:crypto";
import type { ScopeChoiceName } from "../../policy/scope-choices.ts";

/** The answer that a button gives. */
export type ButtonAnswer = "once" | "session" | "no" | ScopeChoiceName;

/** The pressed button and its request. */
export interface PressData {
  readonly answer: ButtonAnswer;
  readonly key: string;
}

/** A button carries 1 to 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
const MAX_BYTES = 64;
const LETTERS: ReadonlyMap<ButtonAnswer, string> = new Map([
  ["once", "a"],
  ["session", "s"],
  ["no", "r"],
  ["similar", "m"],
  ["similar-timed", "t"],
  ["similar-counted", "c"],
  ["session-timed", "u"],
  ["session-counted", "v"],
  ["project", "p"],
  ["rejected", "x"],
]);

/** The key of a request: `:` and its id or, if that does not fit or survive, `#` and 128 bits of the id's SHA-256. */
export function keyOf(approvalId: string): string {
  const key = `:${approvalId}`;
  if (key.length < MAX_BYTES && /^[!-~]*$/.test(approvalId)) return key;
  return `#${createHash("sha256").update(approvalId, "utf16le").digest().subarray(0, 16).toString("base64url")}`;
}

/** The id in a key; null if the key holds a digest. */
export function idIn(key: string): string | null {
  return key.startsWith(":") ? key.slice(1) : null;
}

export function pressData(answer: ButtonAnswer, key: string): string {
  return `${LETTERS.get(answer) ?? ""}${key}`;
}

/** The content of a button's data; null if it is not ours. Anybody may have forged it. */
export function readPressData(data: string): PressData | null {
  const key = data.slice(1);
  if (!key.startsWith(":") && !/^#[\w-]{22}$/.test(key)) return null;
  const [answer] = [...LETTERS].find(([, letter]) => letter === data[0]) ?? [];
  return answer === undefined ? null : { answer, key };
}
