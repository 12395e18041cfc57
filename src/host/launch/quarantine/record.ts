import { z } from "zod";

/**
 * The place of an item. `moving`, `restoring`: it was about to be moved, or given back; a killed process leaves it so.
 * `taken`: in the folder of its record. `aside`: where it was found, under another name, as it could not be moved
 * there. `kept`: given back. `dropped`: removed. `gone`: it was missing. `live`: it could not be moved at all.
 */
export const ItemState = z.enum(["moving", "taken", "aside", "restoring", "kept", "dropped", "gone", "live"]);
export type ItemState = z.infer<typeof ItemState>;

export const QuarantineItem = z.strictObject({
  path: z.string(),
  /** The program that obeys it, and when. */
  by: z.string(),
  when: z.string(),
  /** `unread`: its content was not looked at yet. */
  kind: z.enum(["unread", "file", "folder", "link", "other"]),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** SHA-256 of all of its content; null if that was too much to be read. */
  digest: z.string().nullable(),
  state: ItemState,
  /** Its path under another name, if it is aside. */
  aside: z.string().nullable(),
  /** The reason why it could not be brought into the folder, or not as a whole; null if it was. */
  problem: z.string().nullable(),
  /** Time when it was given back, in milliseconds since 1970; null if it was not. */
  keptAt: z.number().nullable(),
});
export type QuarantineItem = z.infer<typeof QuarantineItem>;

export const QuarantineRecord = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  /** The process that takes the items, or that gave back or removed them. */
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  /** Milliseconds since 1970. */
  takenAt: z.number(),
  sessionId: z.string(),
  callId: z.string(),
  tool: z.string(),
  /** The folder of the config, or the one in which the supervisor was started. */
  workspace: z.string(),
  items: z.array(QuarantineItem),
});
export type QuarantineRecord = z.infer<typeof QuarantineRecord>;

/** True for an item that can still be given back or removed. */
export function isHeld({ state }: Pick<QuarantineItem, "state">): boolean {
  return state === "taken" || state === "aside";
}
