import type { Broker } from "../approval/broker.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import type { CofferdamError } from "../errors.ts";
import type { Ledger } from "../host/launch/ledger.ts";
import type { LiveCalls } from "../host/launch/live-calls.ts";
import type { Machine } from "../host/launch/machine.ts";
import type { OwnProgram } from "../host/launch/own-program.ts";
import type { PrewarmedLauncher } from "../host/launch/prewarmed-launcher.ts";
import type { StartedBy } from "../host/launch/spawn.ts";
import type { Surroundings } from "../host/launch/surroundings.ts";
import type { Host } from "../host/look/host.ts";
import type { Journal } from "../journal/journal.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { SharedProxy } from "../network/shared-proxy.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { AppearedParts } from "./appeared/parts.ts";
import type { ConfigWatch } from "./config-watch.ts";
import type { FunctionReviewer } from "./function-reviewer.ts";
import type { Shutdown } from "./shutdown.ts";

/** The sandbox that this machine can build, or why it can't. */
export type SandboxSupport =
  | {
      readonly kind: "available";
      readonly machine: Machine;
      readonly surroundings: Surroundings;
      /** The launcher of the next call, started early. */
      readonly ahead: PrewarmedLauncher;
    }
  | { readonly kind: "unavailable"; readonly error: CofferdamError };

/** Keeps the parts of a supervisor to its config as it is now. */
export type SupervisorWatch = ConfigWatch<SupervisorContext>;

/**
 * The parts that all sessions of one supervisor share. They change as a whole when the config, an operator profile or
 * trust changes: each decision takes one value, and `ConfigWatch` has the newest.
 */
export interface SupervisorContext extends AppearedParts {
  readonly host: Host;
  readonly loaded: LoadedConfig;
  /** The config as it is now, if it has changed and is not trusted: it can only restrict. Null if it is in force. */
  readonly changed: LoadedConfig | null;
  /** Why no call may run now; null if calls may. */
  readonly stopped: CofferdamError | null;
  readonly policy: CallPolicy;
  readonly sandbox: SandboxSupport;
  readonly ledger: Ledger;
  readonly liveCalls: LiveCalls;
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly broker: Broker;
  /** The default store, which ends with the supervisor; null if the host supplied one. */
  readonly ownStore: AsyncDisposable | null;
  /** Findings about interrupted calls: lines for stderr. */
  readonly leftBehind: readonly string[];
  readonly cwd: AbsolutePath;
  readonly reportedOnce: Set<string>;
  /** The program that workers are started with; read once, before any tool runs. */
  readonly ownProgram: () => OwnProgram;
  /** The egress proxy that all calls share; null if each call has one in its own network. */
  readonly egressProxy: SharedProxy | null;
  /** The way to give workers private mounts, tried when the first is started; null if there is none. */
  readonly privateMounts: () => Promise<StartedBy | null>;
  /** The host's own reviewer, which replaces that of the config; null without one. */
  readonly reviewer: FunctionReviewer | null;
  readonly shutdown: Shutdown;
  readonly watch: SupervisorWatch;
  /** Parts that sessions keep between calls, and that end with the supervisor. */
  readonly running: Set<AsyncDisposable>;
}
