import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";

const ANSWER = "the answer is `{ approved: true | false, by: who, reason?: why }`, awaited";

/** A person's answer, and who they are. Only `true` is a yes. */
const Approval = z
  .strictObject({
    approved: z.boolean(),
    by: z.string().min(1),
    /** Why not, in place of "… said no". */
    reason: z.string().optional(),
  })
  .readonly();
export type Approval = z.infer<typeof Approval>;

/** What `approve` came back with, as an answer. Throws `USAGE` for anything else: what is not understood is no yes. */
export function readApproval(given: unknown): Approval {
  const read = Approval.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path[0];
  const what = place === undefined ? "is none" : `has no usable ${visible(String(place))}`;
  throw new CofferdamError("USAGE", `what \`approve\` answered ${what}`, { hint: ANSWER });
}
