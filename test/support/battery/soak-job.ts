import { z } from "zod";

/** How calls end: each is met. */
export const ENDINGS = ["SANDBOX_UNAVAILABLE", "denied", "done", "failed", "timed-out"] as const;

/** What a soaked supervisor is given. */
export const SoakJob = z.strictObject({
  config: z.string(),
  profiles: z.array(z.string()),
  cwd: z.string(),
  /** Stands in the command line of every program. */
  word: z.string(),
  calls: z.int().positive(),
  perSession: z.int().positive(),
  /** So many calls lie between two looks. */
  every: z.int().positive(),
  seed: z.int(),
});
export type SoakJob = z.infer<typeof SoakJob>;

/** One line of what it prints. */
export const Figures = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("figures"),
    calls: z.int(),
    heapBytes: z.int(),
    externalBytes: z.int(),
    rssBytes: z.int(),
    descriptors: z.int(),
    /** Below the supervisor. */
    processes: z.int(),
    /** That wait for a signal which outlives every call. */
    listeners: z.int(),
  }),
  /** How many calls ended how. */
  z.strictObject({ kind: z.literal("ends"), ends: z.record(z.string(), z.int()) }),
]);
export type Figures = z.infer<typeof Figures>;
