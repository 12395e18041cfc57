import { handlersOf } from "../../approval/handlers.ts";
import { waitOf } from "../../approval/wait.ts";
import type { Facts } from "../../backend/facts.ts";
import type { Placeholder } from "../../backend/placeholder.ts";
import { type Appearances, type Before, boundedAppearances, NOTHING_APPEARED } from "../../host/appeared.ts";
import type { Watch } from "../../host/call-watches.ts";
import { statesInTrees } from "../../host/changed-builds.ts";
import type { ToBeMade } from "../../host/quarantine/quarantine.ts";
import { digestOfFile } from "../../host/quarantine/tree.ts";
import type { RunningCall } from "../../host/running-calls.ts";
import { printProfile } from "../../profile/canonical.ts";
import { type AbsolutePath, isInside, upwards } from "../../profile/path.ts";
import { mayWrite, type Profile, writableIn } from "../../profile/profile.ts";
import { appearedBeside, eventsOf } from "../beside.ts";
import type { Corridor } from "../corridor.ts";
import type { Shared } from "../shared.ts";
import type { AfterCall, Agreed, Asks } from "./after-call.ts";
import { settleAppeared } from "./settle.ts";

/** Who is asked about what a call made, after it: nobody where no handler is there, and where calls do not wait for answers. */
export function asksAbout(
  { gate, options, shared }: Pick<Corridor, "gate" | "options" | "shared">,
  asks: Omit<Asks, "gate">,
): Asks | null {
  const { style } = waitOf(options.wait ?? {}, shared.standing.config.approval);
  if (style === "suspend" || handlersOf(options.handler).length === 0) return null;
  return { gate, ...asks };
}

/** A call that may make files, and who can be asked about what it made. */
export interface Making extends Pick<AfterCall, "from" | "record" | "agreed" | "asks" | "onTaken"> {
  readonly shared: Shared;
  readonly profile: Profile;
  /** What there was before it. */
  readonly facts: Facts;
}

/**
 * Follows one call from before it begins until everything that it made, and that hosts execute, was seen to. It is written down
 * meanwhile, so that another supervisor sees to it where this one is killed. It is disposed of once all processes of the call have
 * ended.
 */
export class MadeByCall implements AsyncDisposable {
  readonly #making: Making;
  readonly #startedAt: number;
  readonly #before: Facts & Before;
  readonly #sinceMs = performance.now();
  readonly #watch: Watch | null;
  /** Null for one that can write nothing. */
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

  #watched(call: RunningCall): Watch {
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

  /** From now on it may make files; its placeholders are nobody's. */
  begin(placeholders: readonly Placeholder[]): void {
    this.#isOpen = true;
    this.#placeholders = placeholders;
    const { agreed, profile, shared, from } = this.#making;
    const places = agreed.flatMap((file) => placesOf(file, writableIn(profile)));
    if (places.length === 0) return;
    this.#allowed = shared.quarantine.allowMaking(places, from);
  }

  /** Finds what was made, once the call has ended, tells it, and sees to it. */
  async settle(): Promise<Appearances> {
    this.#hasEnded = true;
    this.#end();
    const settled = await this.#next(this.#making.onTaken);
    // What could not be looked at now is looked at when the next supervisor starts.
    this.#isOpen = settled.unknown !== null;
    return settled;
  }

  /** The same while it goes on: what it made until now. Nothing once it has ended. */
  async settleMeanwhile(): Promise<Appearances> {
    return this.#hasEnded ? NOTHING_APPEARED : this.#next(() => undefined);
  }

  /** One after another: what is asked about is not looked at again meanwhile. */
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
    const found = await appearedBeside(shared, profile, facts, this.#placeholders, {
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

  /** Sees to what was made where something was thrown before that was done. What was not seen to stays written down. */
  async [Symbol.asyncDispose](): Promise<void> {
    // What the call threw is told; that this failed too, the next supervisor finds by what stays written down.
    if (this.#isOpen && !this.#hasEnded) await this.settle().catch(() => undefined);
    this.#end();
    this.#call?.forget();
    if (this.#isOpen) this.#watch?.leave();
    else this.#watch?.[Symbol.dispose]();
    this.#allowed?.[Symbol.dispose]();
  }
}

/** The file itself, and folders that hold it alone: each may be what is found. */
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
