import { type Facts, nodeAt } from "../../backend/facts.ts";
import type { Plan } from "../../backend/plan.ts";
import {
  type CallPolicy,
  type EffectiveProfile,
  foundIn,
  withinPlan,
  withRepositories,
} from "../../decide/call-policy.ts";
import { belowFloor, weakened } from "../../decide/floor.ts";
import {
  keptUnmade,
  withLinks,
  withoutDangling,
  withoutMissing,
  workerLaunch,
  workerProfile,
} from "../../decide/worker-profile.ts";
import { CofferdamError } from "../../errors.ts";
import { type Appearances, NOTHING_APPEARED, whyUnknown } from "../../host/launch/appeared.ts";
import { FactsMemory, lookUpFacts } from "../../host/launch/facts.ts";
import type { Machine } from "../../host/launch/machine.ts";
import { failures } from "../../host/launch/self-check.ts";
import type { CallLog } from "../../journal/call-log.ts";
import { printProfile } from "../../profile/canonical.ts";
import { intersect, intersectAll } from "../../profile/intersect.ts";
import { mayWrite, type Profile } from "../../profile/profile.ts";
import type { FileWork } from "../../tool/derive.ts";
import type { Files } from "../../tool/files/file-tool.ts";
import type { ProgramStart } from "../../tool/launch.ts";
import type { MadeByCall } from "../appeared/made-by-call.ts";
import { factsWithoutPlaceholders, planForShared, registerWorker } from "../concurrency.ts";
import { planned } from "../receipt.ts";
import { ended } from "../shutdown.ts";
import type { SupervisorContext } from "../supervisor-context.ts";
import { Pool, type PoolUse, type Started } from "./pool.ts";
import { explained, seesLateMounts } from "./started-as.ts";
import { FileWorker, timeFor } from "./worker.ts";

/** Maximum of tries: repositories may come and go before a worker that knows all of them is ready. */
const MAX_TRIES = 10;

type Within = Pick<Plan, "limits"> & { readonly policy: CallPolicy };

/** Follows a use that may make files, from before it begins. */
export type Follow = (parts: { readonly shared: SupervisorContext; readonly facts: Facts }) => MadeByCall;

/** Finds the workers under a state of the config. */
export type WorkersFor = (shared: SupervisorContext) => Workers;

/** The scope of a worker's use, and the log for its start; null: no log. */
interface WorkerUse extends Omit<PoolUse<FileWorker>, "onStart"> {
  readonly log: CallLog | null;
}

/**
 * The workers of one session under one config: a few for each granted profile, started when first needed. A worker's
 * sandbox is checked before each use; a worker that is old, or whose sandbox has changed, is replaced.
 */
export class Workers implements AsyncDisposable {
  readonly #shared: SupervisorContext;
  readonly #pools = new Map<string, Pool<FileWorker>>();
  /** The current grants for each digest: less than at first, if more was found. */
  readonly #granted = new Map<string, EffectiveProfile>();
  /** The protected state at the start of each worker, by `#heldIn`. */
  readonly #heldTo = new WeakMap<FileWorker, string>();
  #facts: Facts | null = null;
  /** Facts are values: a result derived from them is valid as long as they are referenced. */
  readonly #within = new WeakMap<Facts, Within>();
  readonly #memory: FactsMemory;
  #isOver = false;
  #isRetired = false;

  constructor(shared: SupervisorContext) {
    this.#shared = shared;
    this.#memory = new FactsMemory(shared.memory.search);
  }

  /**
   * The policy for such tools. For writing tools, it is reduced by repositories found before their last use, or now;
   * reading changes none. Writing tools look for them again before each write. Throws `NOT_ENFORCEABLE` if the roots
   * can't be searched, and `FACTS_UNSTABLE` if other processes keep changing them.
   */
  async policyFor(work: FileWork, how: "known" | "anew" = "known"): Promise<CallPolicy> {
    const { policy, sandbox } = this.#shared;
    if (sandbox.kind === "unavailable" || work === "reading") return policy;
    if (how === "anew" || this.#facts === null)
      this.#facts = await this.#look(sandbox.machine, policy.files.writing.withApproval.profile);
    return this.known;
  }

  get known(): CallPolicy {
    return this.#facts === null ? this.#shared.policy : this.#withinFor(this.#facts).policy;
  }

  #withinFor(facts: Facts): Within {
    const { policy, sandbox } = this.#shared;
    if (sandbox.kind === "unavailable") return { policy, limits: [] };
    const before = this.#within.get(facts);
    if (before !== undefined) return before;
    const { held, launch, plannedWith } = this.#heldBy(
      policy.files.writing.withApproval,
      facts,
      sandbox.machine,
    );
    const { plan } = this.#planned(held, launch, plannedWith);
    const made = { policy: withinPlan(withRepositories(policy, facts), plan), limits: plan.limits };
    this.#within.set(facts, made);
    return made;
  }

  /** The protection that follows from repositories, copies and limits, as a text. */
  #heldIn(facts: Facts): string {
    const { limits } = this.#withinFor(facts);
    return [
      ...foundIn(facts).map(({ profile }) => printProfile(profile)),
      ...facts.repositories.flatMap(({ detours }) => detours),
      // The number of mounts depends on the search.
      ...limits.flatMap(({ name, path }) => (name === "mount-budget" ? [] : [path])),
    ].join("\n");
  }

  #heldBy(
    granted: EffectiveProfile,
    facts: Facts,
    { facts: { tree } }: Machine,
  ): { readonly held: Profile; readonly launch: ProgramStart; readonly plannedWith: Facts } {
    const { loaded, ownProgram } = this.#shared;
    const own = ownProgram();
    const all = workerProfile(granted.profile, own, loaded.config.runtimes, tree);
    const held = intersectAll([all, ...foundIn(facts).map((layer) => layer.profile)]);
    return {
      held,
      launch: workerLaunch(own, granted.profile.limits),
      plannedWith: withLinks(facts, own.links),
    };
  }

  #look(machine: Machine, profile: Profile): Promise<Facts> {
    const { host, ledger } = this.#shared;
    return factsWithoutPlaceholders(ledger, (held) =>
      lookUpFacts(host, machine.facts, [profile], this.#memory, held),
    );
  }

  /**
   * Runs work that may write with a worker of the profile, and reports files it made that other programs may obey. If
   * the roots could not be searched before, as while another program changes them, reports why that is unknown. Returns
   * null, with nothing done and the worker ended, if its sandbox was built for other repositories: use another worker.
   * Throws errors of the work.
   */
  async telling<Value>(
    profile: Profile,
    worker: FileWorker,
    follow: Follow,
    work: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly appeared: Appearances } | null> {
    const { sandbox } = this.#shared;
    if (sandbox.kind === "unavailable" || !mayWrite(profile))
      return { value: await work(), appeared: NOTHING_APPEARED };
    const found = await this.#look(sandbox.machine, profile).catch(whyUnknown);
    // The last look proves what existed before. More may then count as made by this use, never less.
    const before = typeof found === "string" ? this.#facts : found;
    if (before === null) throw new CofferdamError("INTERNAL", "a worker was started without a look");
    this.#facts = before;
    if (this.#heldTo.get(worker) !== this.#heldIn(before)) {
      await worker[Symbol.asyncDispose]();
      return null;
    }
    await using made = follow({ shared: { ...this.#shared, memory: this.#memory }, facts: before });
    made.begin([]);
    const value = await worker.untilAtRest(work);
    const appeared = await made.settle();
    return { value, appeared: typeof found === "string" ? { ...appeared, unknown: found } : appeared };
  }

  /** Runs work with a worker. Throws its errors, `SANDBOX_UNAVAILABLE`, `NOT_ENFORCEABLE`, `FACTS_UNSTABLE`. */
  async use<Value>(
    granted: EffectiveProfile,
    work: (ask: Files["ask"], worker: FileWorker) => Promise<Value>,
    { signal, turn, log }: WorkerUse,
  ): Promise<Value> {
    if (this.#isOver) throw ended("session");
    const { digest } = granted;
    this.#granted.set(digest, granted);
    const pool = this.#pools.get(digest) ?? new Pool(() => this.#start(this.#granted.get(digest) ?? granted));
    this.#pools.set(digest, pool);
    if (this.#isRetired) await pool[Symbol.asyncDispose]();
    return pool.use(
      (worker) => {
        const { wallMs = Number.POSITIVE_INFINITY } = granted.profile.limits;
        // The time counts from the first request: before it, other work may have to end.
        let until: number | null = null;
        const ask: Files["ask"] = (request, body) => {
          until ??= performance.now() + wallMs;
          const timeoutMs = Math.min(timeFor(request), Math.max(0, Math.ceil(until - performance.now())));
          return worker.ask(request, body, { timeoutMs, signal });
        };
        return work(ask, worker);
      },
      {
        signal,
        turn,
        onStart: ({ plan, enforcement }) => {
          log?.record(planned(plan, granted.digest, []));
          log?.record({ type: "walls.proven", backend: plan.backend, standings: enforcement });
        },
      },
    );
  }

  /** Like `use`, but repeats work whose worker was ended by `telling` (null). Throws also `FACTS_UNSTABLE`. */
  async useAnew<Value>(
    granted: EffectiveProfile,
    work: (ask: Files["ask"], worker: FileWorker) => Promise<Value | null>,
    use: WorkerUse,
  ): Promise<Value> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const done = await this.use(granted, work, use);
      if (done !== null) return done;
    }
    throw new CofferdamError("FACTS_UNSTABLE", "repositories in the roots kept appearing and disappearing", {
      hint: "run it again when nothing else changes them",
    });
  }

  /** Ends all workers, once none is in use. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.retire();
  }

  /** Ends idle workers now, and others after their work: another config is in force. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
  }

  async #start(granted: EffectiveProfile): Promise<Started<FileWorker>> {
    const { sandbox, loaded, policy, ownProgram, privateMounts } = this.#shared;
    if (sandbox.kind === "unavailable") throw sandbox.error;
    const { machine, surroundings } = sandbox;
    const own = ownProgram();
    const all = workerProfile(granted.profile, own, loaded.config.runtimes, machine.facts.tree);
    const facts = await this.#look(machine, all);
    if (mayWrite(all)) this.#facts = facts;
    const profile = intersectAll([granted.profile, ...foundIn(facts).map((layer) => layer.profile)]);
    const { held, launch, plannedWith } = this.#heldBy(granted, facts, machine);
    const { plan, unmade } = this.#planned(held, launch, plannedWith);
    const enforcement = weakened(plan.enforcement, failures(machine.selfCheckResult));
    const [below] = loaded.config.sandbox.require_os_sandbox
      ? belowFloor(enforcement, profile, policy.backend)
      : [];
    if (below !== undefined)
      throw new CofferdamError("SANDBOX_UNAVAILABLE", `${below.protection} can't be enforced as required`, {
        hint: "run `cofferdam doctor`",
      });
    const startedBy = await privateMounts();
    using live = await registerWorker(this.#shared, held);
    const worker = await FileWorker.start({
      plan: planForShared(live, { plan, side: { profile: held }, policy, facts }),
      enforcement: startedBy === null ? seesLateMounts(enforcement) : enforcement,
      startedBy,
      surroundings,
      runAs: machine.runAs,
      cgroups: machine.cgroups,
      profile: printProfile(intersect(profile, unmade)),
    }).catch((cause: unknown) => {
      throw explained(cause, own, machine);
    });
    this.#heldTo.set(worker, this.#heldIn(facts));
    const hasEveryRoot = profile.files.every(
      ({ path }) => !["missing", "link"].includes(nodeAt(facts, path).kind),
    );
    return { worker, hasEveryRoot };
  }

  /** Plans a sandbox. `unmade` forbids the worker to make paths without placeholder. Throws `NOT_ENFORCEABLE`. */
  #planned(
    held: Profile,
    launch: ProgramStart,
    facts: Facts,
  ): { readonly plan: Plan; readonly unmade: Profile } {
    const rendered = (from: Facts): Plan => {
      const rendering = this.#shared.policy.backend.render(withoutMissing(held, from), launch, from);
      if (rendering.kind === "plan") return rendering.plan;
      const { reason, remedy } = rendering.refusal;
      throw new CofferdamError("NOT_ENFORCEABLE", reason, { hint: remedy });
    };
    const plan = rendered(facts);
    const unmade = keptUnmade(plan.placeholders);
    return { plan: plan.placeholders.length === 0 ? plan : rendered(withoutDangling(facts)), unmade };
  }
}
