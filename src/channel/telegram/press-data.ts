import { createHash } from "node:crypto";

/** What a button answers. */
export type Answer = "once" | "session" | "no";

/** Which button was pressed, about which request. */
export interface PressData {
  readonly answer: Answer;
  readonly key: string;
}

/** A button carries 1 to 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
const MOST_BYTES = 64;
const LETTERS = { once: "a", session: "s", no: "r" } as const satisfies Record<Answer, string>;

/**
 * What buttons carry of a request's id: the id itself behind `:`, whatever is in it, or, where it does not fit or would not
 * come back as it is, the first 128 bits of its SHA-256 behind `#`.
 */
export function keyOf(approvalId: string): string {
  const key = `:${approvalId}`;
  if (key.length < MOST_BYTES && /^[!-~]*$/.test(approvalId)) return key;
  return `#${createHash("sha256").update(approvalId, "utf16le").digest().subarray(0, 16).toString("base64url")}`;
}

/** The id that a key holds; null where it holds a digest of it. */
export function idIn(key: string): string | null {
  return key.startsWith(":") ? key.slice(1) : null;
}

/** What a button carries. */
export function pressData(answer: Answer, key: string): string {
  return `${LETTERS[answer]}${key}`;
}

/** What a pressed button carried; null for what is none of ours. Anybody may have made it up. */
export function readPressData(data: string): PressData | null {
  const key = data.slice(1);
  if (!key.startsWith(":") && !/^#[\w-]{22}$/.test(key)) return null;
  switch (data[0]) {
    case LETTERS.once:
      return { answer: "once", key };
    case LETTERS.session:
      return { answer: "session", key };
    case LETTERS.no:
      return { answer: "no", key };
    default:
      return null;
  }
}
