import { z } from "zod";

/**
 * Where an item is. `moving`, `restoring`: it was about to be moved, or given back; a process that was killed leaves it so. `taken`:
 * in the folder of its record. `aside`: where it was found, under another name, because it could not be brought into that folder.
 * `kept`: given back. `dropped`: removed. `gone`: it was not there any more. `live`: it could not be moved at all.
 */
export const ItemState = z.enum(["moving", "taken", "aside", "restoring", "kept", "dropped", "gone", "live"]);
export type ItemState = z.infer<typeof ItemState>;

/** One file, folder or link that was taken. */
export const QuarantineItem = z.strictObject({
  /** Where it was found. */
  path: z.string(),
  /** Which program does what it says, and when. */
  by: z.string(),
  when: z.string(),
  /** `unread`: what it holds was not looked at yet. */
  kind: z.enum(["unread", "file", "folder", "link", "other"]),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** SHA-256 of all that it holds; null where that was too much to be read. */
  digest: z.string().nullable(),
  state: ItemState,
  /** Its path under another name, where it is aside. */
  aside: z.string().nullable(),
  /** Why it could not be brought into the folder, or not as a whole; null where it was. */
  problem: z.string().nullable(),
  /** When it was given back, in milliseconds since 1970; null where it was not. */
  keptAt: z.number().nullable(),
});
export type QuarantineItem = z.infer<typeof QuarantineItem>;

/** What was taken after one call. */
export const QuarantineRecord = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  /** The process that takes it, or that gave back or removed what was taken. */
  pid: z.int().positive(),
  startedAt: z.string().nullable(),
  /** Milliseconds since 1970. */
  takenAt: z.number(),
  sessionId: z.string(),
  callId: z.string(),
  tool: z.string(),
  /** The folder of the config, or where the supervisor was started. */
  workspace: z.string(),
  items: z.array(QuarantineItem),
});
export type QuarantineRecord = z.infer<typeof QuarantineRecord>;

/** True for what can still be given back or removed. */
export function isHeld({ state }: Pick<QuarantineItem, "state">): boolean {
  return state === "taken" || state === "aside";
}
