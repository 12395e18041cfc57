import { Broker } from "../approval/broker.ts";
import type { LoadedConfig } from "../config/config.ts";
import { keptRulesOf } from "../config/kept-rules.ts";
import type { Host } from "../host/look/host.ts";
import type { Journal } from "../journal/journal.ts";
import { Recorder } from "../journal/recorder.ts";
import type { Store } from "../store/store.ts";
import { openJournal } from "./open-journal.ts";
import { openStore } from "./open-store.ts";

/** The requests and the journal of one run: its record, its store, and the broker over both. */
export interface RunRecords {
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly broker: Broker;
  readonly ownStore: Store | null;
}

/** Replacements for the configured journal and store. */
export interface GivenRecords {
  readonly journal?: Journal;
  readonly store?: Store;
}

/** Opens them without writing. Throws what `openStore` and `openJournal` throw. */
export async function openRecords(
  host: Host,
  loaded: LoadedConfig,
  given: GivenRecords,
): Promise<RunRecords> {
  const runId = host.id();
  const journal = given.journal ?? openJournal(host, loaded.config, runId);
  const recorder = new Recorder(host, journal, runId);
  const store = given.store ?? (await openStore(loaded, host));
  const ownStore = given.store === undefined ? store : null;
  return {
    journal,
    recorder,
    broker: new Broker(host, store, recorder, keptRulesOf(host, loaded.config)),
    ownStore,
  };
}
