import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** Which requests are meant; every part that is given must agree. */
const RequestFilter = z.strictObject({
  runId: z.string().exactOptional(),
  sessionId: z.string().exactOptional(),
  groupId: z.string().exactOptional(),
});
export type RequestFilter = Readonly<z.infer<typeof RequestFilter>>;

/**
 * True for the requests that are meant. Throws `USAGE` for a filter with a part that there is not, or that is undefined:
 * it would mean more than was meant.
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
