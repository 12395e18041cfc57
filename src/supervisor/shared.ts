import type { Broker } from "../approval/broker.ts";
import type { Loaded } from "../config/config.ts";
import type { CofferdamError } from "../errors.ts";
import type { LauncherAhead } from "../host/ahead.ts";
import type { Host } from "../host/host.ts";
import type { Ledger } from "../host/ledger.ts";
import type { LiveCalls } from "../host/live-calls.ts";
import type { Machine } from "../host/machine.ts";
import type { OwnProgram } from "../host/own-program.ts";
import type { StartedBy } from "../host/spawn.ts";
import type { Surroundings } from "../host/surroundings.ts";
import type { Journal } from "../journal/journal.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { SharedProxy } from "../network/shared-proxy.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { AppearedParts } from "./appeared/parts.ts";
import type { Ending } from "./ending.ts";
import type { Standing } from "./standing.ts";

/** The walls that this machine can build, or why it can't. */
export type Walls =
  | {
      readonly kind: "standing";
      readonly machine: Machine;
      readonly surroundings: Surroundings;
      /** Where the next call's launcher waits. */
      readonly ahead: LauncherAhead;
    }
  | { readonly kind: "unavailable"; readonly error: CofferdamError };

/** What all sessions of one supervisor share. */
export interface Shared extends AppearedParts {
  readonly host: Host;
  readonly loaded: Loaded;
  readonly standing: Standing;
  readonly walls: Walls;
  readonly ledger: Ledger;
  /** Who else is at work where. */
  readonly liveCalls: LiveCalls;
  readonly journal: Journal;
  readonly recorder: Recorder;
  /** Where questions and answers meet. */
  readonly broker: Broker;
  /** A store that nobody gave, and that ends with the supervisor; null where one was given. */
  readonly ownStore: AsyncDisposable | null;
  /** What was found of calls that were cut off: lines for stderr. */
  readonly leftBehind: readonly string[];
  readonly cwd: AbsolutePath;
  /** What was told already and is not told again. */
  readonly toldOnce: Set<string>;
  /** What workers are started with; read once, before any tool runs. */
  readonly ownProgram: () => OwnProgram;
  /** The egress proxy that all calls share; null where each has one in a network of its own. */
  readonly egressProxy: SharedProxy | null;
  /** What gives workers mounts of their own, tried when the first is started; null where nothing does. */
  readonly privateMounts: () => Promise<StartedBy | null>;
  /** The end of them all. */
  readonly ending: Ending;
  /** What sessions keep between calls and that ends with the supervisor. */
  readonly running: Set<AsyncDisposable>;
}
