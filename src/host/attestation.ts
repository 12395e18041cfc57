import { z } from "zod";

const Finding = z.strictObject({
  name: z.string(),
  protection: z.string(),
  holds: z.boolean(),
  control: z.boolean(),
});

/** One act that the sandbox must refuse, and whether the same act succeeds outside (its control). */
export type Finding = z.infer<typeof Finding>;

export const Attestation = z.strictObject({
  key: z.string(),
  at: z.iso.datetime(),
  findings: z.array(Finding),
  /** Walls can be built in a shelter: see `hasShelter`. */
  hasShelter: z.boolean(),
  /** A symlink can be held by a mount on it: see `coversLinks`. */
  coversLinks: z.boolean(),
});

/** What a real sandbox on this machine was seen to refuse. Kept per launcher, kernel, user and feature set. */
export type Attestation = z.infer<typeof Attestation>;

/** What a battery found. */
export type Found = Pick<Attestation, "findings" | "hasShelter" | "coversLinks">;
