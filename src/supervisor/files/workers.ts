import { type Facts, nodeAt } from "../../backend/facts.ts";
import type { Plan } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import { type Appearances, NOTHING_APPEARED, whyUnknown } from "../../host/appeared.ts";
import { failures } from "../../host/attest.ts";
import { FactsMemory, lookUpFacts } from "../../host/facts.ts";
import type { Machine } from "../../host/machine.ts";
import type { Trail } from "../../journal/trail.ts";
import { printProfile } from "../../profile/canonical.ts";
import { intersect, intersectAll } from "../../profile/intersect.ts";
import { mayWrite, type Profile } from "../../profile/profile.ts";
import type { FileWork } from "../../tool/derive.ts";
import type { Files } from "../../tool/files/file-tool.ts";
import type { FileRequest } from "../../tool/files/protocol.ts";
import type { Launch } from "../../tool/launch.ts";
import type { MadeByCall } from "../appeared/made-by-call.ts";
import { enterWorker, factsBeside, planBeside } from "../beside.ts";
import { ended } from "../ending.ts";
import { belowFloor, weakened } from "../floor.ts";
import { planned } from "../receipt.ts";
import type { Shared } from "../shared.ts";
import { foundIn, type Granted, type Standing, standingIn, standingWithin } from "../standing.ts";
import { Pool, type PoolUse, type Started } from "./pool.ts";
import { explained, seesLateMounts } from "./started-as.ts";
import { FileWorker } from "./worker.ts";
import {
  keptUnmade,
  withLinks,
  withoutDangling,
  withoutMissing,
  workerLaunch,
  workerProfile,
} from "./worker-profile.ts";

/** How long one request may take, in milliseconds; of a walk, on top of its own time. */
const REQUEST_MS = 30_000;

/** So often repositories may come and go before a worker that knows of them all can be used. */
const MOST_TRIES = 10;

/** What decides where a worker's sandbox has these limits. */
type Within = Pick<Plan, "limits"> & { readonly standing: Standing };

/** Follows a use that may make files, from before it begins. */
export type Follow = (parts: { readonly shared: Shared; readonly facts: Facts }) => MadeByCall;

/** For how long a worker is had, and where it is told that one was started; null: nowhere. */
interface WorkerUse extends Omit<PoolUse<FileWorker>, "onStart"> {
  readonly trail: Trail | null;
}

/**
 * The workers of one session: for each profile that tools are granted a few, started when they are first needed. Before
 * each use the walls of a worker are looked at again; one whose walls are not as planned any more is replaced, and so is
 * one that is old.
 */
export class Workers implements AsyncDisposable {
  readonly #shared: Shared;
  readonly #pools = new Map<string, Pool<FileWorker>>();
  /** What is granted by now of what was granted under a digest: less, where more was found. */
  readonly #granted = new Map<string, Granted>();
  /** What was held to be as it is when each was started, by `#heldIn`. */
  readonly #heldTo = new WeakMap<FileWorker, string>();
  #facts: Facts | null = null;
  /** Facts are values: what follows from them once holds for as long as anyone has them. */
  readonly #within = new WeakMap<Facts, Within>();
  readonly #memory: FactsMemory;
  #isOver = false;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#memory = new FactsMemory(shared.memory.search);
  }

  /**
   * What decides about calls of such tools. For those that write it is cut down by the repositories that were found before
   * the last of them, or are found now; reading changes none. Each finds them anew before it writes. Throws `NOT_ENFORCEABLE` where the roots
   * can't be searched, and `FACTS_UNSTABLE` where others keep moving what is in them.
   */
  async standingFor(work: FileWork, how: "known" | "anew" = "known"): Promise<Standing> {
    const { standing, walls } = this.#shared;
    if (walls.kind === "unavailable" || work === "reading") return standing;
    if (how === "anew" || this.#facts === null)
      this.#facts = await this.#look(walls.machine, standing.files.writing.onYes.profile);
    return this.known;
  }

  /** What decides, by what was found so far, and by what a worker's sandbox adds. */
  get known(): Standing {
    return this.#facts === null ? this.#shared.standing : this.#withinFor(this.#facts).standing;
  }

  #withinFor(facts: Facts): Within {
    const { standing, walls } = this.#shared;
    if (walls.kind === "unavailable") return { standing, limits: [] };
    const before = this.#within.get(facts);
    if (before !== undefined) return before;
    const { held, launch, plannedWith } = this.#heldBy(standing.files.writing.onYes, facts, walls.machine);
    const { plan } = this.#planned(held, launch, plannedWith);
    const made = { standing: standingWithin(standingIn(standing, facts), plan), limits: plan.limits };
    this.#within.set(facts, made);
    return made;
  }

  /** What repositories, copies and limits that were found keep from being changed or moved, as a text. */
  #heldIn(facts: Facts): string {
    const { limits } = this.#withinFor(facts);
    return [
      ...foundIn(facts).map(({ profile }) => printProfile(profile)),
      ...facts.repositories.flatMap(({ detours }) => detours),
      // How many mounts there are differs with what was looked for.
      ...limits.flatMap(({ name, path }) => (name === "mount-budget" ? [] : [path])),
    ].join("\n");
  }

  /** What the kernel holds a worker to, how it is started, and the facts that its sandbox is planned with. */
  #heldBy(
    granted: Granted,
    facts: Facts,
    { facts: { tree } }: Machine,
  ): { readonly held: Profile; readonly launch: Launch; readonly plannedWith: Facts } {
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
    return factsBeside(ledger, (held) => lookUpFacts(host, machine.facts, [profile], this.#memory, held));
  }

  /**
   * Does what may write under a profile with a worker of it, and tells what it made that other programs may obey; why that is
   * not known, where the roots could not be searched before, as while another program changes them. Null, with nothing done
   * and the worker ended, where its walls are about other repositories than there are by now: another is to be used.
   * Throws what the work throws.
   */
  async telling<Value>(
    profile: Profile,
    worker: FileWorker,
    follow: Follow,
    work: () => Promise<Value>,
  ): Promise<{ readonly value: Value; readonly appeared: Appearances } | null> {
    const { walls } = this.#shared;
    if (walls.kind === "unavailable" || !mayWrite(profile))
      return { value: await work(), appeared: NOTHING_APPEARED };
    const found = await this.#look(walls.machine, profile).catch(whyUnknown);
    // What was there at the last look was there before: more may then be taken for made by this use, and nothing less.
    const before = typeof found === "string" ? this.#facts : found;
    if (before === null) throw new CofferdamError("INTERNAL", "a worker was started without a look");
    this.#facts = before;
    if (this.#heldTo.get(worker) !== this.#heldIn(before)) {
      await worker[Symbol.asyncDispose]();
      return null;
    }
    await using made = follow({ shared: { ...this.#shared, memory: this.#memory }, facts: before });
    made.begin([]);
    const value = await untilAtRest(worker, work);
    const appeared = await made.settle();
    return { value, appeared: typeof found === "string" ? { ...appeared, unknown: found } : appeared };
  }

  /**
   * Has a worker do something under a profile. Throws what the work throws, and `SANDBOX_UNAVAILABLE`,
   * `NOT_ENFORCEABLE` or `FACTS_UNSTABLE` when no walls could be had for it.
   */
  async use<Value>(
    granted: Granted,
    work: (ask: Files["ask"], worker: FileWorker) => Promise<Value>,
    { signal, turn, trail }: WorkerUse,
  ): Promise<Value> {
    if (this.#isOver) throw ended("session");
    const { digest } = granted;
    this.#granted.set(digest, granted);
    const pool = this.#pools.get(digest) ?? new Pool(() => this.#start(this.#granted.get(digest) ?? granted));
    this.#pools.set(digest, pool);
    return pool.use(
      (worker) => {
        const { wallMs = Number.POSITIVE_INFINITY } = granted.profile.limits;
        // From the first request on: before it others may have to end.
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
        onStart: ({ plan, standings }) => {
          trail?.record(planned(plan, granted.digest, []));
          trail?.record({ type: "walls.proven", backend: plan.backend, standings });
        },
      },
    );
  }

  /**
   * The same for what does nothing, and says null, where `telling` ended its worker: with another one then. Throws what
   * `use` throws, and `FACTS_UNSTABLE`.
   */
  async useAnew<Value>(
    granted: Granted,
    work: (ask: Files["ask"], worker: FileWorker) => Promise<Value | null>,
    use: WorkerUse,
  ): Promise<Value> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const done = await this.use(granted, work, use);
      if (done !== null) return done;
    }
    throw new CofferdamError("FACTS_UNSTABLE", "repositories in the roots kept coming and going", {
      hint: "run it again when they are at rest",
    });
  }

  /** Ends them all, once none is in use. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
  }

  async #start(granted: Granted): Promise<Started<FileWorker>> {
    const { walls, loaded, standing, ownProgram, privateMounts } = this.#shared;
    if (walls.kind === "unavailable") throw walls.error;
    const { machine, surroundings } = walls;
    const own = ownProgram();
    const all = workerProfile(granted.profile, own, loaded.config.runtimes, machine.facts.tree);
    const facts = await this.#look(machine, all);
    if (mayWrite(all)) this.#facts = facts;
    const profile = intersectAll([granted.profile, ...foundIn(facts).map((layer) => layer.profile)]);
    const { held, launch, plannedWith } = this.#heldBy(granted, facts, machine);
    const { plan, unmade } = this.#planned(held, launch, plannedWith);
    const standings = weakened(plan.standings, failures(machine.attestation));
    const [below] = loaded.config.sandbox.require_os_sandbox
      ? belowFloor(standings, profile, standing.backend)
      : [];
    if (below !== undefined)
      throw new CofferdamError("SANDBOX_UNAVAILABLE", `${below.protection} can't be enforced as demanded`, {
        hint: "run `cofferdam doctor`",
      });
    const startedBy = await privateMounts();
    using live = await enterWorker(this.#shared, held);
    const worker = await FileWorker.start({
      plan: planBeside(live, { plan, side: { profile: held }, standing, facts }),
      standings: startedBy === null ? seesLateMounts(standings) : standings,
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

  /**
   * The walls of a worker: what is missing and must not be made has no placeholder in them. `unmade` takes that away from
   * what the worker itself lets be made. Throws `NOT_ENFORCEABLE`.
   */
  #planned(held: Profile, launch: Launch, facts: Facts): { readonly plan: Plan; readonly unmade: Profile } {
    const rendered = (from: Facts): Plan => {
      const rendering = this.#shared.standing.backend.render(withoutMissing(held, from), launch, from);
      if (rendering.kind === "plan") return rendering.plan;
      const { reason, remedy } = rendering.refusal;
      throw new CofferdamError("NOT_ENFORCEABLE", reason, { hint: remedy });
    };
    const plan = rendered(facts);
    const unmade = keptUnmade(plan.placeholders);
    return { plan: plan.placeholders.length === 0 ? plan : rendered(withoutDangling(facts)), unmade };
  }
}

/** Does work with a worker: one that is ended meanwhile may go on making files until it has. */
async function untilAtRest<Value>(worker: FileWorker, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } finally {
    if (!worker.isRunning) await worker[Symbol.asyncDispose]();
  }
}

/** A walk has its own time, so that it can tell what it found until then. */
function timeFor(request: FileRequest): number {
  return "timeMs" in request ? request.timeMs + 2_000 : REQUEST_MS;
}
