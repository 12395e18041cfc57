import { handlersOf } from "../../approval/handlers.ts";
import { waitOf } from "../../approval/wait.ts";
import type { Facts } from "../../backend/facts.ts";
import type { Placeholder } from "../../backend/placeholder.ts";
import {
  type Appearances,
  type Before,
  boundedAppearances,
  NOTHING_APPEARED,
} from "../../host/launch/appeared.ts";
import type { CallWatch } from "../../host/launch/call-watches.ts";
import type { ToBeMade } from "../../host/launch/quarantine/quarantine.ts";
import { digestOfFile } from "../../host/launch/quarantine/tree.ts";
import type { RunningCall } from "../../host/launch/running-calls.ts";
import { statesInTrees } from "../../host/look/changed-builds.ts";
import { printProfile } from "../../profile/canonical.ts";
import { type AbsolutePath, isInside, upwards } from "../../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../../profile/profile.ts";
import { appearedDuring, eventsOf } from "../concurrency.ts";
import type { SessionContext } from "../session-context.ts";
import type { SupervisorContext } from "../supervisor-context.ts";
import type { AfterCall, Agreed, Asks } from "./after-call.ts";
import { settleAppeared } from "./settle.ts";

/** How to ask about a call's files after it: null without a handler, and if calls do not wait for answers. */
export function asksAbout(
  { gate, options, shared }: Pick<SessionContext, "gate" | "options" | "shared">,
  asks: Omit<Asks, "gate">,
): Asks | null {
  const { style } = waitOf(options.wait ?? {}, shared.policy.config.approval);
  if (style === "suspend" || handlersOf(options.handler).length === 0) return null;
  return { gate, ...asks };
}

/** A call that may make files, and how to ask people about them. */
export interface Making extends Pick<AfterCall, "from" | "record" | "agreed" | "asks" | "onTaken"> {
  readonly shared: SupervisorContext;
  readonly profile: Profile;
  readonly facts: Facts;
}

/**
 * Follows one call from before it begins until every file it made that hosts execute was handled. It is recorded
 * meanwhile, so that another supervisor takes over if this one is killed. Dispose it once all processes of the call
 * have ended.
 */
export class MadeByCall implements AsyncDisposable {
  readonly #making: Making;
  readonly #startedAt: number;
  readonly #before: Facts & Before;
  readonly #sinceMs = performance.now();
  readonly #watch: CallWatch | null;
  /** Null for a call that can write nothing. */
  readonly #call: RunningCall | null;
  #allowed: Disposable | null = null;
  #placeholders: readonly Placeholder[] = [];
  #isOpen = false;
  #hasEnded = false;
  #last: Promise<unknown> = Promise.resolve();

  /** Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk: then the call must not begin. */
  constructor(making: Making) {
    const { shared, profile, facts } = making;
    this.#making = making;
    this.#startedAt = shared.host.now();
    const mayBeLinkedTo = () => shared.memory.hasLinksOutsideTrees(profile, facts.mac);
    const treeStates = statesInTrees(facts.hits, shared.executed, writableIn(profile), mayBeLinkedTo);
    this.#before = { ...facts, treeStates };
    if (!shared.calls.isAnyRunning) shared.memory.manifests.note();
    this.#call = mayWrite(profile)
      ? shared.calls.begin({ before: this.#before, startedAt: this.#startedAt }, profile)
      : null;
    try {
      this.#watch = this.#call === null ? null : this.#watched(this.#call);
    } catch (cause) {
      this.#end();
      throw cause;
    }
  }

  #watched(call: RunningCall): CallWatch {
    const { shared, profile, facts, from } = this.#making;
    const { before, startedAt } = call.leastBasis();
    return shared.watches.begin({
      ...from,
      beganAt: startedAt,
      appeared: shared.appeared,
      profile: printed(profile),
      before,
      watched: shared.memory.watchedIn(profile, facts.mac),
    });
  }

  /** Marks the start: from now on the call may make files. Its placeholders are not counted as made. */
  begin(placeholders: readonly Placeholder[]): void {
    this.#isOpen = true;
    this.#placeholders = placeholders;
    const { agreed, profile, shared, from } = this.#making;
    const places = agreed.flatMap((file) => placesOf(file, writableIn(profile)));
    if (places.length === 0) return;
    this.#allowed = shared.quarantine.allowMaking(places, from);
  }

  /** Finds, reports and handles the files made by the ended call. */
  async settle(): Promise<Appearances> {
    this.#hasEnded = true;
    this.#end();
    const settled = await this.#next(this.#making.onTaken);
    // Paths that could not be checked now are checked when the next supervisor starts.
    this.#isOpen = settled.unknown !== null;
    return settled;
  }

  /** Does the same while the call runs, for the files made so far. Finds nothing once it has ended. */
  async settleMeanwhile(): Promise<Appearances> {
    return this.#hasEnded ? NOTHING_APPEARED : this.#next(() => undefined);
  }

  /** Runs one at a time: files in an open question are not checked again meanwhile. */
  #next(onTaken: () => void): Promise<Appearances> {
    const settled = this.#last.then(() => this.#settle(onTaken));
    this.#last = settled.catch(() => undefined);
    return settled;
  }

  async #settle(onTaken: () => void): Promise<Appearances> {
    const { shared, profile, record } = this.#making;
    const own = { before: this.#before, startedAt: this.#startedAt };
    const { before, startedAt } = this.#call?.basis() ?? own;
    const facts = { ...this.#before, ...before };
    const found = await appearedDuring(shared, profile, facts, this.#placeholders, {
      sinceMs: this.#sinceMs,
      startedAt,
    });
    for (const event of await eventsOf(found)) record(event);
    const call = { ...this.#making, before: facts, startedAt, onTaken };
    return boundedAppearances(await settleAppeared(found, call));
  }

  #end(): void {
    if (this.#call !== null) this.#making.shared.calls.end(this.#call);
  }

  /** Handles the files if an error came first. Unhandled files stay recorded. */
  async [Symbol.asyncDispose](): Promise<void> {
    // The call's own error is reported. The next supervisor finds this failure in the record.
    if (this.#isOpen && !this.#hasEnded) await this.settle().catch(() => undefined);
    this.#end();
    this.#call?.forget();
    if (this.#isOpen) this.#watch?.leave();
    else this.#watch?.[Symbol.dispose]();
    this.#allowed?.[Symbol.dispose]();
  }
}

/** The file itself, and folders that contain only it: each may be found. */
function placesOf({ path, content, by, when }: Agreed, roots: readonly AbsolutePath[]): readonly ToBeMade[] {
  if (content === null) return [];
  return [...upwards(path)]
    .filter((at) => roots.some((root) => at !== root && isInside(at, root)))
    .map((at) => ({
      path: at,
      by,
      when,
      kind: at === path ? "file" : "folder",
      files: 1,
      bytes: content.length,
      digest: digestOfFile(content, path.slice(at.length + 1)),
    }));
}

const PRINTED = new WeakMap<Profile, Uint8Array>();

/** Profiles are the same objects from call to call. */
function printed(profile: Profile): Uint8Array {
  const bytes = PRINTED.get(profile) ?? Buffer.from(printProfile(profile));
  PRINTED.set(profile, bytes);
  return bytes;
}
