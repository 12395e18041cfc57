import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { StoredRequest } from "../store/store.ts";
import { approved } from "./factories.ts";
import type { ApprovalHandler } from "./handler.ts";
import type { RequestOptions } from "./pending-request.ts";

/** True for a request that a reviewer denied, and that no person has answered since. */
export function isDeniedByReviewer(stored: Pick<StoredRequest, "request" | "status"> | null): boolean {
  return stored?.status === "pending" && stored.request.review?.verdict === "deny";
}

/** True for a decision of the reviewer of the request, and for none of a person, whatever their name is. */
export function isByReviewer({ review }: Pick<ApprovalRequest, "review">, decision: Decision): boolean {
  return review?.verdict === "allow_once" && "by" in decision && decision.by === review.by;
}

/** True unless a reviewer answered: then no handler asks people about it, though they may answer. */
export function isForPerson({ review }: Pick<ApprovalRequest, "review">): boolean {
  return review === undefined || review.verdict === "person" || review.verdict === "none";
}

/** The handlers of a request, and whether its call waits. A reviewer that allowed answers at once; what it denied waits for nobody. */
export function askedBy(
  { review }: Pick<ApprovalRequest, "review">,
  handlers: readonly ApprovalHandler[],
  isBlocking: boolean,
): Pick<RequestOptions, "handlers" | "isBlocking"> {
  if (review?.verdict === "deny") return { handlers: [], isBlocking: false };
  if (review?.verdict !== "allow_once") return { handlers, isBlocking };
  return { handlers: [{ requestApproval: async () => approved(review.by) }], isBlocking: true };
}
