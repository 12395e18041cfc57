import type { Host } from "../host/host.ts";
import type { Trail } from "../journal/trail.ts";
import type { Decision } from "../policy/decision.ts";
import { redactText } from "../policy/redact.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { isByYes } from "../policy/verdict.ts";
import type { Broker } from "./broker.ts";
import { createApprovalRequest } from "./factories.ts";
import type { ApprovalHandler } from "./handler.ts";
import type { Asker, Passage, Question } from "./question.ts";
import { Rejections } from "./rejections.ts";
import { deadlineOf, type Wait } from "./wait.ts";

/** More changes than this while people think, and the call is given up. */
const MOST_TRIES = 3;

/** Whom a gate asks, how long it waits, and for whom. */
export interface GateOptions {
  readonly broker: Broker;
  readonly host: Pick<Host, "now" | "id">;
  readonly runId: string;
  readonly sessionId: string;
  readonly handlers: readonly ApprovalHandler[];
  readonly wait: Wait;
  /** So many questions of the session may wait at once; null: any number. */
  readonly mostPending: number | null;
  /** False: a yes can't be remembered. */
  readonly sessionGrants: boolean;
}

/** How one call passes. */
export interface PassOptions {
  readonly signal: AbortSignal | null;
  /** An answer that was waited for elsewhere: the id of its request. Never anything that a model said. */
  readonly approvalId: string | null;
  /** Where it is written down. */
  readonly trail: Trail;
}

/** Decides a call; `edited` is an input that a person put in place of its own. */
export type Prepare<Asked extends Question> = (edited?: unknown) => Promise<Asked>;

/** What became of asking about one call. */
type Answered =
  | { readonly kind: "approved"; readonly decision: Approved; readonly request: ApprovalRequest }
  | Exclude<Passage<never>, { readonly kind: "permitted" }>
  | { readonly kind: "changed" };

type Rejected = Extract<Decision, { readonly status: "rejected" }>;
type Approved = Extract<Decision, { readonly status: "approved" }>;
type Denied = Extract<Passage<never>, { readonly kind: "denied" }>;

/**
 * The gate that every call of a session passes: what rules let pass goes on, what they deny ends here, and about the rest
 * a person is asked, once. A yes holds for exactly what was shown: the call is decided again after it, and asked about
 * again when anything of it changed.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #rejections = new Rejections();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Brings one call through; `decided` is what `prepare` told of it just before, if it was asked. Throws what `prepare`
   * throws, and what keeps an event from being written.
   */
  async pass<Asked extends Question>(
    asker: Asker,
    prepare: Prepare<Asked>,
    options: PassOptions & { readonly decided?: Asked },
  ): Promise<Passage<Asked>> {
    let decided = options.decided ?? null;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const asked = decided ?? (await prepare());
      decided = null;
      if (asked.verdict.action !== "ask") return withoutAsking(asked, options);
      const answer = await this.#answer(asker, asked, options, tries === 0);
      if (answer.kind === "changed") continue;
      if (answer.kind !== "approved") return answer;
      const { editedInput } = answer.decision;
      const again = await this.#prepareAgain(() => prepare(editedInput), answer.request);
      // Whoever edits an input says yes to what they wrote; else the yes is for what was shown, and nothing else.
      const isMeant = editedInput !== undefined || again.argsHash === asked.argsHash;
      if (isMeant && again.verdict.action !== "deny") return this.#use(again, answer);
      await this.#drop(answer.request);
      if (again.verdict.action === "deny") return withoutAsking(again, options);
    }
    return denied(
      "FACTS_UNSTABLE",
      "what the call is about kept changing while it waited for an answer",
      "run it again when the files are at rest",
    );
  }

  /** Runs what was permitted, and says how it ended where somebody said yes to it. */
  async run<Result extends { readonly kind: string }>(
    { approvalId }: { readonly approvalId: string | null },
    work: () => Promise<Result>,
  ): Promise<Result> {
    let how: "done" | "failed" = "failed";
    try {
      const result = await work();
      if (result.kind === "done") how = "done";
      return result;
    } finally {
      if (approvalId !== null) await this.#options.broker.finish(approvalId, how);
    }
  }

  /** The answer that was given under an id, the first time; else the one that somebody gives now. */
  async #answer(asker: Asker, asked: Question, options: PassOptions, isFirst: boolean): Promise<Answered> {
    const { approvalId } = options;
    if (!isFirst || approvalId === null) return this.#ask(asker, asked, options);
    const stored = await this.#options.broker.find(approvalId);
    const isTheirs =
      stored !== null && stored.request.tool === asker.tool && stored.request.agent === asker.agent;
    if (!isTheirs)
      return denied(
        "APPROVAL_DENIED",
        "there is no request under this id for this tool and agent",
        ASK_AGAIN,
      );
    const { request, decision, status } = stored;
    if (status === "pending") return pending(request);
    if (decision === null || decision.status !== "approved") return this.#read(request, decision ?? EXPIRED);
    if (status !== "approved") return denied("APPROVAL_DENIED", "this approval was used already", ASK_AGAIN);
    const isSame = request.argsHash === asked.argsHash || decision.editedInput !== undefined;
    return isSame ? { kind: "approved", decision, request } : { kind: "changed" };
  }

  async #ask(asker: Asker, asked: Question, { signal, trail }: PassOptions): Promise<Answered> {
    const { broker, handlers, wait, mostPending, sessionId } = this.#options;
    const refused = (reason: string, hint: string): Denied => {
      trail.record({ type: "approval.auto", argsHash: asked.argsHash, approved: false, by: reason });
      return denied("APPROVAL_DENIED", reason, hint);
    };
    if (this.#rejections.isEnough(asked.grantKey.cacheKey))
      return refused("the same was answered no three times in this session", "ask for something else");
    if (mostPending !== null && broker.countWaiting(sessionId) >= mostPending)
      return refused(`${mostPending} questions of this session wait already`, "wait for their answers");
    const request = this.#requestFor(asker, asked);
    const answer = await broker.request(request, {
      handlers,
      present: asked.present,
      signal,
      isBlocking: wait.style === "block",
    });
    if (answer.status === "pending") return pending(request);
    trail.answered(request.approvalId, answer);
    return this.#read(request, answer);
  }

  #requestFor(asker: Asker, { verdict, argsHash, grantKey, groupId, show }: Question): ApprovalRequest {
    const { host, wait, runId, sessionId, sessionGrants } = this.#options;
    const now = host.now();
    const { covers, ...shown } = show();
    return createApprovalRequest({
      approvalId: host.id(),
      runId,
      sessionId,
      ...asker,
      groupId: (asker.groupId ?? groupId)?.slice(0, MOST_OF_A_NAME) ?? null,
      reason: redactText(verdict.reason).text,
      demandsPerson: verdict.demandsPerson,
      why: verdict.hits.slice(0, MOST_HITS).map(shownHit),
      argsHash,
      cacheKey: grantKey.cacheKey,
      ...shown,
      covers: sessionGrants && !verdict.demandsPerson ? covers : null,
      createdAt: now,
      expiresAt: deadlineOf(wait, now),
    });
  }

  #read(request: ApprovalRequest, decision: Decision): Answered {
    switch (decision.status) {
      case "approved":
        return { kind: "approved", decision, request };
      case "rejected":
        if (decision.by === NOBODY)
          return denied("APPROVAL_DENIED", whyNot(request, decision), REMEDIES.mode);
        this.#rejections.add(request.cacheKey, request.approvalId);
        return denied("APPROVAL_DENIED", whyNot(request, decision), ASK_AGAIN);
      case "expired":
        return this.#options.wait.onTimeout === "deny"
          ? denied("APPROVAL_DENIED", "nobody answered in time", ASK_AGAIN)
          : denied("APPROVAL_TIMEOUT", "nobody answered in time", "try again when somebody is there");
    }
  }

  /** Takes the yes, which holds once, and remembers it where it was for the session. */
  async #use<Asked extends Question>(
    asked: Asked,
    { decision, request }: Extract<Answered, { readonly kind: "approved" }>,
  ): Promise<Passage<Asked>> {
    const { broker, host, sessionId } = this.#options;
    const { approvalId, covers, tool } = request;
    if (!(await broker.claim(approvalId)))
      return denied("APPROVAL_DENIED", "this approval was used already", ASK_AGAIN);
    // What is remembered is what was shown: neither an edited call nor a payload that has changed since.
    const isAsShown = decision.editedInput === undefined && asked.grantKey.cacheKey === request.cacheKey;
    try {
      if (decision.scope === "session" && covers !== null && isAsShown)
        await broker.saveGrant({
          kind: "call",
          grantId: host.id(),
          sessionId,
          tool,
          key: asked.grantKey,
          covers,
          by: decision.by,
          grantedAt: host.now(),
        });
    } catch (cause) {
      await broker.finish(approvalId, "failed");
      throw cause;
    }
    return { kind: "permitted", asked, isByYes: true, approvalId, by: decision.by };
  }

  /** Decides once more after a yes. Where that throws, the yes was to something else. */
  async #prepareAgain<Asked>(prepare: () => Promise<Asked>, request: ApprovalRequest): Promise<Asked> {
    try {
      return await prepare();
    } catch (cause) {
      await this.#drop(request);
      throw cause;
    }
  }

  /** A yes to what is no more, or is denied by now: nobody can use it. */
  async #drop({ approvalId }: ApprovalRequest): Promise<void> {
    const { broker } = this.#options;
    if (await broker.claim(approvalId)) await broker.finish(approvalId, "failed");
  }
}

/** Who says no where there is nobody to ask. */
const NOBODY = "nobody";
const EXPIRED: Decision = { status: "expired" };
const ASK_AGAIN = "ask for something else, or run it again to be asked again";
/** A longer name of a group is cut. */
const MOST_OF_A_NAME = 256;
/** Nobody reads more rules than these. */
const MOST_HITS = 50;

function whyNot({ reason }: ApprovalRequest, { by, note }: Rejected): string {
  if (by === NOBODY) return `${reason}, and ${note ?? "nobody answered"}`;
  return note ?? `${by} said no`;
}

function shownHit(hit: RuleHit): RuleHit {
  const { rule, reason } = hit;
  return { ...hit, rule: redactText(rule).text, reason: reason === null ? null : redactText(reason).text };
}

/** What rules, grants and modes decided by themselves. */
function withoutAsking<Asked extends Question>(asked: Asked, { trail }: PassOptions): Passage<Asked> {
  const { verdict, argsHash } = asked;
  const isAllowed = verdict.action === "allow";
  trail.record({ type: "approval.auto", argsHash, approved: isAllowed, by: verdict.reason });
  if (isAllowed) return { kind: "permitted", asked, isByYes: isByYes(verdict), approvalId: null, by: null };
  const layer = verdict.hits.find(({ action }) => action === "deny")?.layer ?? "tool";
  return denied(layer === "mode" ? "APPROVAL_DENIED" : "APPROVAL_BLOCKED", verdict.reason, REMEDIES[layer]);
}

/** What helps against a deny, by who said it. */
const REMEDIES: Readonly<Record<RuleHit["layer"], string>> = {
  operator: "only whoever wrote the operator's profile can allow it",
  project: "change the rule of the config, if it is meant",
  agent: "change the agent's rule in the config, if it is meant",
  tool: "no yes lifts it: what the config or a profile says of it would have to change",
  risk: "a rule of the config would have to allow it",
  mode: "run it where a person can be asked",
  grant: ASK_AGAIN,
  caller: ASK_AGAIN,
};

function pending({
  approvalId,
  reason,
}: ApprovalRequest): Extract<Passage<never>, { readonly kind: "pending" }> {
  const hint = "call it again with this `approvalId` once there is an answer";
  return { kind: "pending", approvalId, reason, hint };
}

function denied(code: Denied["code"], reason: string, hint: string): Denied {
  return { kind: "denied", code, reason, hint };
}
