import type { KeptRule } from "../policy/kept-rule.ts";
import type { RememberedAnswers } from "../policy/remembered.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Store } from "../store/store.ts";
import type { ApprovalLog } from "./approval-log.ts";
import { RecordedCalls } from "./recorded-calls.ts";

/** A rule as a person gives it: its keeper adds what the project is like. */
export type GivenRule = Omit<KeptRule, "places" | "rules" | "uses" | "lastUsed">;

/** Keeps the rules of one project, outside of it. */
export interface RuleKeeper {
  /** The rules that are active now, or why none could be read. */
  read(): Pick<RememberedAnswers, "kept" | "problem">;
  /** True as long as a rule was not dropped. */
  has(id: string): boolean;
  /** Counts one use: false if the rule is gone or no longer active. */
  use(id: string): Promise<boolean>;
  keep(rule: GivenRule): Promise<void>;
  /** False if there is no rule under this id. */
  drop(id: string): Promise<boolean>;
}

/** The answers that people gave for more than one call: those of sessions in the store, those of the project beside. */
export class ApprovalMemory {
  readonly recorded: RecordedCalls;
  readonly #store: Store;
  readonly #log: ApprovalLog;
  /** Null without a config: then nothing is kept for a project. */
  readonly keeper: RuleKeeper | null;

  constructor(store: Store, log: ApprovalLog, keeper: RuleKeeper | null) {
    this.#store = store;
    this.#log = log;
    this.keeper = keeper;
    this.recorded = new RecordedCalls(store);
  }

  /** All that may answer a call of a session, as it is now. */
  async of(sessionId: string): Promise<RememberedAnswers> {
    const kept = this.keeper?.read() ?? { kept: [], problem: null };
    return { grants: await this.#store.grants(sessionId), ...kept };
  }

  /** Counts one use of an answer before its call runs: false if it no longer holds. */
  use({ of, id }: NonNullable<Verdict["remembered"]>): Promise<boolean> {
    return of === "session" ? this.#store.useGrant(id) : (this.keeper?.use(id) ?? Promise.resolve(false));
  }

  /** True unless the answer was revoked since its use was counted. */
  async isKnown({ of, id }: NonNullable<Verdict["remembered"]>): Promise<boolean> {
    return of === "session" ? (await this.#store.findGrant(id)) !== null : (this.keeper?.has(id) ?? false);
  }

  /** Keeps a rule for the project, and tells every process that shares the store. */
  async keep(rule: GivenRule, sessionId: string): Promise<void> {
    if (this.keeper === null) return;
    await this.keeper.keep(rule);
    const { id, cover, covers, by, until, maxUses } = rule;
    await this.#log.news(sessionId, {
      type: "grant.saved",
      grantId: id,
      tool: cover.of === "commands" ? "shell" : cover.tool,
      cacheKey: null,
      host: null,
      covers,
      by,
      of: "project",
      ...(until === null ? {} : { until }),
      ...(maxUses === null ? {} : { maxUses }),
    });
  }

  /** Drops a rule of the project: it answers no call from now on, in any process. */
  async drop(id: string, by: string): Promise<boolean> {
    const isGone = (await this.keeper?.drop(id)) ?? false;
    if (isGone) await this.#log.news("none", { type: "grant.revoked", grantId: id, by });
    return isGone;
  }
}
