import type { Broker } from "../approval/broker.ts";
import type { LoadedConfig } from "../config/config.ts";
import { loadConfig, loadForAnswers } from "../config/load.ts";
import { type Host, thisHost } from "../host/look/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import { assertOptions, type OptionsOf } from "../policy/options.ts";
import { openRecords, type RunRecords } from "./records.ts";
import { SUPERVISOR_OPTIONS, type SupervisorOptions } from "./supervisor-options.ts";

/** Options of a desk; everything has a default, and the meaning it has for a supervisor. */
export interface DeskOptions
  extends Pick<SupervisorOptions, "config" | "profiles" | "cwd" | "journal" | "store"> {
  /** @internal */
  readonly host?: Host;
}

const DESK_OPTIONS: OptionsOf<DeskOptions> = SUPERVISOR_OPTIONS.pick({
  config: true,
  profiles: true,
  cwd: true,
  journal: true,
  store: true,
  host: true,
});

/**
 * Answers requests of other processes' supervisors: it has the requests, grants and events of a shared store, and no
 * tools. Made by `createDesk`.
 */
export class Desk implements AsyncDisposable {
  /** @internal */
  readonly host: Host;
  /** @internal */
  readonly loaded: LoadedConfig;
  readonly #records: RunRecords;

  /** @internal */
  constructor(host: Host, loaded: LoadedConfig, records: RunRecords) {
    this.host = host;
    this.loaded = loaded;
    this.#records = records;
  }

  /** All requests of the store, to be read and answered. */
  get broker(): Broker {
    return this.#records.broker;
  }

  /** Records the actions of this desk. */
  get recorder(): Recorder {
    return this.#records.recorder;
  }

  /** Closes the desk, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { broker, ownStore, journal } = this.#records;
    await broker[Symbol.asyncDispose]();
    await ownStore?.[Symbol.asyncDispose]();
    journal[Symbol.dispose]();
  }
}

/**
 * A desk on the store of the current config, or on a given one. It runs nothing, so it needs no sandbox. Throws what
 * `loadConfig` and `openStore` throw, and `USAGE` for unknown options.
 */
export function createDesk(options: DeskOptions = {}): Promise<Desk> {
  return deskBy(loadConfig, options);
}

/** A desk also where the config that is found may not be used; `loaded.notes` then says which store it is on. */
export function createDeskInAnyConfig(options: DeskOptions = {}): Promise<Desk> {
  return deskBy(loadForAnswers, options);
}

async function deskBy(load: typeof loadConfig, options: DeskOptions): Promise<Desk> {
  assertOptions("createDesk", DESK_OPTIONS, options);
  const host = options.host ?? thisHost();
  const { config, profiles, cwd = host.cwd } = options;
  const loaded = load(host, { cwd, config, profiles });
  return new Desk(host, loaded, await openRecords(host, loaded, options));
}
