import { isDeepStrictEqual } from "node:util";
import { followAppeared } from "../call/appeared/parts.ts";
import { CallsStoppedError, type ConfigChange } from "../call/config-watch.ts";
import type { SupervisorContext, SupervisorWatch } from "../call/supervisor-context.ts";
import type { LoadedConfig } from "../config/config.ts";
import { meetConfigs } from "../config/met-config.ts";
import { operatorFiles, type ReloadedConfig, reloadConfig, watchedFor } from "../config/reload.ts";
import { trustPath } from "../config/trust-file.ts";
import { meetPolicies } from "../decide/meet-policies.ts";
import { CofferdamError } from "../errors.ts";
import { runningSupervisors, SupervisorFile } from "../host/launch/live-supervisors.ts";
import { FileStates } from "../host/look/file-states.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { configChange } from "./config-change.ts";
import { setupFor } from "./resolve-setup.ts";
import { supportFor } from "./sandbox-support.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";

/** Files that change more often than this while they are read can't be used. */
const MAX_TRIES = 5;
/** The time between two looks if no call is made, and before a config that can't be used is tried again. */
const LOOK_MS = 1_000;

/** The parts of a supervisor, before they follow its config. */
export type ContextAtStart = Omit<SupervisorContext, "watch">;

/**
 * Follows the config, the operator profiles and trust of one supervisor. Each look compares the states of their files.
 * After a change everything is loaded again, as at a start:
 * - what is trusted applies, be it tighter or wider;
 * - a changed config that is not trusted is met with the one that was trusted last;
 * - if nothing can be used, or trust was revoked, no call runs. Revoking also stops everything that runs.
 * Changes are recorded before they apply.
 */
export class LiveConfig implements SupervisorWatch, Disposable {
  readonly #options: SupervisorOptions;
  readonly #atStart: LoadedConfig;
  readonly #named: readonly AbsolutePath[];
  readonly #listeners = new Set<(change: ConfigChange) => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #file: SupervisorFile;
  /** The last state in which everything was trusted. */
  #trusted: SupervisorContext;
  #shared: SupervisorContext;
  #states: FileStates | null;
  #lookedAtMs = 0;
  readonly #beganAt: number;
  #loading: Promise<void> | null = null;

  /** `states` are those from before the config was loaded, at the clock's `sinceMs`. */
  constructor(context: ContextAtStart, options: SupervisorOptions, states: FileStates, sinceMs: number) {
    const { host, loaded } = context;
    this.#options = options;
    this.#atStart = loaded;
    this.#beganAt = host.now();
    this.#trusted = { ...context, watch: this };
    this.#shared = this.#trusted;
    this.#named = watchedFor(host, this.#request);
    this.#states = this.#statesSince(states, sinceMs, [loaded]);
    // Removes the files of killed ones.
    runningSupervisors(host.stateFolder);
    this.#file = new SupervisorFile(host.stateFolder, context.recorder.runId);
    this.#show("applied");
    this.#timer = setInterval(() => void this.#lookMeanwhile(), LOOK_MS).unref();
  }

  get shared(): SupervisorContext {
    return this.#shared;
  }

  async look(): Promise<SupervisorContext> {
    while (!this.#isUnchanged()) {
      this.#loading ??= this.#load();
      await this.#loading;
    }
    const { stopped } = this.#shared;
    if (stopped !== null) throw new CallsStoppedError(stopped);
    return this.#shared;
  }

  isCurrent(shared: SupervisorContext): boolean {
    return shared === this.#shared && shared.stopped === null && this.#isUnchanged();
  }

  onChange(listener: (change: ConfigChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#file[Symbol.dispose]();
    this.#listeners.clear();
  }

  get #request() {
    const { config, profiles, cwd } = this.#options;
    return { config, profiles, cwd };
  }

  #isUnchanged(): boolean {
    if (this.#loading !== null) return false;
    const { stopped } = this.#shared;
    // The reason may lie in a file that is not known.
    if (stopped !== null && performance.now() - this.#lookedAtMs > LOOK_MS) return false;
    return this.#states?.isSame(Date.now()) === true;
  }

  /** Programs that run on come under a change, and people hear of it, without another call. */
  async #lookMeanwhile(): Promise<void> {
    await this.look().catch(() => undefined);
  }

  async #load(): Promise<void> {
    try {
      const found = this.#reload();
      this.#lookedAtMs = performance.now();
      const now = await this.#contextFor(found).catch((error: unknown) => {
        if (error instanceof CofferdamError) return { ...this.#trusted, stopped: error };
        throw error;
      });
      this.#apply(now, found.kind === "stopped" && found.isRevoked);
    } catch (error) {
      // A change that could not be recorded or used is looked at again before the next call.
      this.#states = null;
      throw error;
    } finally {
      this.#loading = null;
    }
  }

  /** Loads everything again, until no file changed meanwhile. */
  #reload(): ReloadedConfig {
    const { host, loaded } = this.#trusted;
    let states = new FileStates(this.#paths(this.#known), Date.now());
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const startedAtMs = Date.now();
      const found = reloadConfig(host, this.#request, loaded);
      const known = [...this.#known, ...(found.kind === "stopped" ? [] : [found.loaded])];
      this.#states = this.#statesSince(states, startedAtMs, known);
      if (this.#states !== null) return found;
      states = new FileStates(this.#paths(known), Date.now());
    }
    const error = new CofferdamError("FACTS_UNSTABLE", "the config and its profiles keep changing", {
      hint: "run it again when they are saved",
    });
    return { kind: "stopped", error, isRevoked: false };
  }

  /** The states of all files that were read since, or null if one of them has changed meanwhile. */
  #statesSince(before: FileStates, sinceMs: number, known: readonly LoadedConfig[]): FileStates | null {
    const states = new FileStates(this.#paths(known), Date.now());
    return states.isOlderThan(sinceMs, before) && before.isSame(Date.now()) ? states : null;
  }

  get #known(): readonly LoadedConfig[] {
    const { loaded, changed } = this.#shared;
    return [this.#trusted.loaded, loaded, ...(changed === null ? [] : [changed])];
  }

  #paths(known: readonly LoadedConfig[]): readonly AbsolutePath[] {
    const { host } = this.#trusted;
    const records = known.flatMap(({ config: { origin } }) =>
      origin.kind === "default" ? [] : [trustPath(host, origin.file)],
    );
    const read = known.flatMap(({ watched }) => watched);
    return [...new Set([...this.#named, ...operatorFiles(host), ...records, ...read])];
  }

  async #contextFor(found: ReloadedConfig): Promise<SupervisorContext> {
    const trusted = this.#trusted;
    switch (found.kind) {
      case "stopped":
        return { ...trusted, stopped: found.error };
      case "changed":
        return this.#meetWith(found.loaded);
      case "trusted": {
        const { loaded } = found;
        // Only its trust record may be another, or the reviewer that it holds.
        if (loaded.digests.all === trusted.loaded.digests.all && hasSameReviewer(loaded, trusted.loaded))
          return isDeepStrictEqual(loaded.trust, trusted.loaded.trust)
            ? trusted
            : { ...trusted, loaded: { ...trusted.loaded, trust: loaded.trust } };
        const { host } = trusted;
        const setup = setupFor(host, this.#options, loaded);
        return {
          ...trusted,
          loaded,
          ...setup,
          ...followAppeared(host, loaded, trusted),
          ...(await supportFor(trusted, loaded, setup.policy)),
        };
      }
    }
  }

  async #meetWith(changed: LoadedConfig): Promise<SupervisorContext> {
    const { host, policy } = this.#trusted;
    const loaded = meetConfigs(this.#trusted.loaded, changed);
    const { config, ceiling } = loaded;
    const setup = setupFor(host, this.#options, changed);
    const around = { config: { ...config, roots: policy.config.roots }, ceiling };
    const met = meetPolicies(policy, setup.policy, around);
    return {
      ...this.#trusted,
      loaded,
      changed,
      policy: met,
      ...followAppeared(host, loaded, this.#trusted),
      ...(await supportFor(this.#trusted, loaded, met)),
    };
  }

  #apply(now: SupervisorContext, isRevoked: boolean): void {
    const before = this.#shared;
    if (isSameState(before, now)) {
      this.#take(now);
      return;
    }
    const change = configChange(before, now, this.#atStart);
    now.recorder.write("none", null, { type: "config.changed", ...change, restart: [...change.restart] });
    this.#take(now);
    if (isRevoked) now.shutdown.interrupt(new CallsStoppedError(now.stopped ?? REVOKED));
    this.#show(change.effect);
    for (const listener of this.#listeners) quietly(() => listener(change));
  }

  #take(now: SupervisorContext): void {
    this.#shared = now;
    if (now.stopped === null && now.changed === null) this.#trusted = now;
  }

  /** Shows other processes what is in force here. */
  #show(effect: ConfigChange["effect"]): void {
    const { loaded } = this.#trusted;
    const { origin } = loaded.config;
    if (origin.kind === "default") return;
    this.#file.write({ config: origin.file, digest: loaded.digests.config, effect, at: this.#beganAt });
  }
}

const REVOKED = new CofferdamError("CONFIG_UNTRUSTED", "the trust in the config was revoked");

/** The failure of a listener is its own: calls go on. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    return;
  }
}

function hasSameReviewer({ config: a }: LoadedConfig, { config: b }: LoadedConfig): boolean {
  return isDeepStrictEqual(a.reviewer, b.reviewer);
}

/** True if a session behaves alike by both, so that nothing is to be told. */
function isSameState(a: SupervisorContext, b: SupervisorContext): boolean {
  const changed = (one: SupervisorContext): string | null => one.changed?.digests.all ?? null;
  return (
    a === b ||
    (a.loaded.digests.all === b.loaded.digests.all &&
      changed(a) === changed(b) &&
      a.stopped?.message === b.stopped?.message)
  );
}
