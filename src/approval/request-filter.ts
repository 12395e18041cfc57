import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** A filter for requests; all given parts must match. */
export const RequestFilter = z.strictObject({
  runId: z.string().exactOptional(),
  sessionId: z.string().exactOptional(),
  groupId: z.string().exactOptional(),
});
export type RequestFilter = Readonly<z.infer<typeof RequestFilter>>;

/**
 * True for the matching requests. Throws `USAGE` for a filter with an unknown or undefined part: it would match more
 * than intended.
 */
export function matching(filter: RequestFilter): (request: ApprovalRequest) => boolean {
  const read = RequestFilter.safeParse(filter);
  if (!read.success)
    throw new CofferdamError("USAGE", "this is no filter for requests", {
      hint: `it has ${Object.keys(RequestFilter.shape).join(", ")}, each a text or left out`,
    });
  const { runId, sessionId, groupId } = read.data;
  return (request) =>
    (runId === undefined || request.runId === runId) &&
    (sessionId === undefined || request.sessionId === sessionId) &&
    (groupId === undefined || request.groupId === groupId);
}
