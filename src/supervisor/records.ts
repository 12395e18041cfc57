import { Broker } from "../approval/broker.ts";
import type { Loaded } from "../config/config.ts";
import type { Host } from "../host/host.ts";
import type { Journal } from "../journal/journal.ts";
import { Recorder } from "../journal/recorder.ts";
import type { Store } from "../store/store.ts";
import { openJournal } from "./open-journal.ts";
import { openStore } from "./open-store.ts";

/** Where one run asks and writes: its record, its store, and the broker over both. */
export interface Records {
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly broker: Broker;
  /** A store that nobody gave, and that ends with the run. */
  readonly ownStore: Store | null;
}

/** What is given in place of what the config says. */
export interface GivenRecords {
  readonly journal?: Journal;
  readonly store?: Store;
}

/** Opens them; nothing is written yet. Throws what `openStore` and `openJournal` throw. */
export async function openRecords(host: Host, loaded: Loaded, given: GivenRecords): Promise<Records> {
  const runId = host.id();
  const journal = given.journal ?? openJournal(host, loaded.config, runId);
  const recorder = new Recorder(host, journal, runId);
  const store = given.store ?? (await openStore(loaded, host));
  const ownStore = given.store === undefined ? store : null;
  return { journal, recorder, broker: new Broker(host, store, recorder), ownStore };
}
