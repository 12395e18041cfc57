import type { Broker } from "../approval/broker.ts";
import type { Loaded } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { type Host, thisHost } from "../host/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import { assertOptions, type OptionsOf } from "./options.ts";
import { openRecords, type Records } from "./records.ts";
import { SUPERVISOR_OPTIONS, type SupervisorOptions } from "./supervisor.ts";

/** What a desk is made from; everything has a default, and means what it means to a supervisor. */
export type DeskOptions = Pick<
  SupervisorOptions,
  "config" | "profiles" | "cwd" | "journal" | "store" | "host"
>;

const DESK_OPTIONS: OptionsOf<DeskOptions> = SUPERVISOR_OPTIONS.pick({
  config: true,
  profiles: true,
  cwd: true,
  journal: true,
  store: true,
  host: true,
});

/**
 * Where people answer what supervisors of other processes ask: the requests, grants and events of a shared store, and no
 * tools. Made by `createDesk`.
 */
export class Desk implements AsyncDisposable {
  readonly host: Host;
  readonly loaded: Loaded;
  readonly #records: Records;

  constructor(host: Host, loaded: Loaded, records: Records) {
    this.host = host;
    this.loaded = loaded;
    this.#records = records;
  }

  /** Where every question of the store waits, and can be answered. */
  get broker(): Broker {
    return this.#records.broker;
  }

  /** Writes down what is done here. */
  get recorder(): Recorder {
    return this.#records.recorder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { broker, ownStore, journal } = this.#records;
    await broker[Symbol.asyncDispose]();
    await ownStore?.[Symbol.asyncDispose]();
    journal[Symbol.dispose]();
  }
}

/**
 * A desk over the store that the config in force names, or over one that is given. No walls are needed: nothing is run.
 * Throws what `loadConfig` and `openStore` throw, and `USAGE` for options that there are not.
 */
export async function createDesk(options: DeskOptions = {}): Promise<Desk> {
  assertOptions("createDesk", DESK_OPTIONS, options);
  const host = options.host ?? thisHost();
  const { config, profiles, cwd = host.cwd } = options;
  const loaded = loadConfig(host, { cwd, config, profiles });
  return new Desk(host, loaded, await openRecords(host, loaded, options));
}
