import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import type { Store } from "../../../src/store/store.ts";
import { requestWith } from "../approval/request.ts";
import { newsOf } from "./named-news.ts";

/** Something that is done to a store, with the request, grant, session and run of one name. */
export type Did = (store: Store, id: string) => Promise<unknown>;

/** A step, what was done before it, and how it ends: what it returns, and what is so afterwards. */
export interface Step {
  /** What its statement is called. */
  readonly statement: string;
  readonly before: readonly Did[];
  readonly step: Did;
  readonly returns: unknown;
  readonly after: Did;
  readonly is: unknown;
  /** Whether there is an event of it. */
  readonly isTold: boolean;
}

export const YES = approved("ann");
export const NO = rejected("bob");
const EXPIRED = { status: "expired" } as const;

export const add: Did = async (store, id) =>
  store.add(requestWith({ approvalId: id }), { call: null, presentation: null }, newsOf("asked"));
export const decide =
  (decision: Decision): Did =>
  async (store, id) =>
    store.resolve(id, decision, newsOf("answered"));
export const append: Did = async (store) => store.append(newsOf("news"));
export const statusOf: Did = async (store, id) => (await store.find(id))?.status;
const claim: Did = async (store, id) => store.claim(id, id);
const finish: Did = async (store, id) => store.finish(id, id, "done");
const abandon: Did = async (store, id) => store.abandon(id, newsOf("abandoned"));
const saveGrant: Did = async (store, id) => store.saveGrant(grantOf(id), id, newsOf("granted"));
const removeGrant: Did = async (store, id) => store.removeGrant(id, newsOf("taken back"));
const grants: Did = async (store, id) => (await store.grants(id)).length;
const keepAlive: Did = async (store, id) => store.keepAlive(id, 60_000);
const isAlive: Did = async (store, id) => store.isAlive(id);
const note: Did = async (store, id) => store.note(id, "page", "7");
const noted: Did = async (store, id) => store.noted(id, "page");
const nothing: Did = async () => null;

/** Every step that changes a store, each where it does something. */
export const STEPS: readonly Step[] = [
  step("add", [], add, undefined, [statusOf, "pending"]),
  step("approve", [add], decide(YES), "accepted", [statusOf, "approved"]),
  step("reject", [add], decide(NO), "accepted", [statusOf, "rejected"]),
  step("expire", [add], decide(EXPIRED), "accepted", [statusOf, "expired"]),
  step("claim", [add, decide(YES)], claim, true, [statusOf, "executing"], false),
  step("finish", [add, decide(YES), claim], finish, true, [statusOf, "done"], false),
  step("abandon", [add, decide(YES), claim], abandon, true, [statusOf, "failed"]),
  step("append", [], append, undefined, [nothing, null]),
  step("save grant", [], saveGrant, undefined, [grants, 1]),
  step("remove grant", [saveGrant], removeGrant, true, [grants, 0]),
  step("keep alive", [], keepAlive, undefined, [isAlive, true], false),
  step("note", [add], note, undefined, [noted, "7"], false),
];

/** Steps that come behind others of their kind: they do nothing, and say so. */
export const LATE_STEPS: readonly Step[] = [
  step("approve", [add, decide(NO)], decide(YES), "duplicate", [statusOf, "rejected"], false),
  step("reject", [add, decide(EXPIRED)], decide(NO), "expired", [statusOf, "expired"], false),
  step("expire", [], decide(EXPIRED), "unknown", [statusOf, undefined], false),
  step("claim", [add, decide(YES), claim], claim, false, [statusOf, "executing"], false),
  step("finish", [add, decide(YES), claim, finish], finish, false, [statusOf, "done"], false),
  step("abandon", [add, decide(YES), claim, abandon], abandon, false, [statusOf, "failed"], false),
  step("remove grant", [saveGrant, removeGrant], removeGrant, false, [grants, 0], false),
];

function step(
  statement: string,
  before: readonly Did[],
  step: Did,
  returns: unknown,
  [after, is]: readonly [Did, unknown],
  isTold = true,
): Step {
  return { statement, before, step, returns, after, is, isTold };
}

function grantOf(id: string): Grant {
  return {
    kind: "call",
    grantId: id,
    sessionId: id,
    tool: "deploy",
    key: { cacheKey: "k", toolVersion: "1", program: null, granted: null },
    covers: "every use of deploy",
    by: "ann",
    grantedAt: 1_900_000_000_000,
  };
}
