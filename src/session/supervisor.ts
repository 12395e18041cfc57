import type { Broker } from "../approval/broker.ts";
import { appearedParts } from "../call/appeared/parts.ts";
import { sweepAppeared } from "../call/appeared/sweep.ts";
import type { ResumeOptions } from "../call/call-options.ts";
import type { ConfigChange } from "../call/config-watch.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../call/session-options.ts";
import { Shutdown } from "../call/shutdown.ts";
import type { SandboxSupport, SupervisorContext, SupervisorWatch } from "../call/supervisor-context.ts";
import { operatorFiles, watchedFor } from "../config/reload.ts";
import type { Outcome } from "../decide/outcome.ts";
import { CofferdamError } from "../errors.ts";
import { endForsaken } from "../host/launch/building.ts";
import { Ledger } from "../host/launch/ledger.ts";
import { LiveCalls } from "../host/launch/live-calls.ts";
import { findOwnProgram } from "../host/launch/own-program.ts";
import { platformOf } from "../host/launch/platform.ts";
import { FileStates } from "../host/look/file-states.ts";
import { thisHost } from "../host/look/host.ts";
import { assertRootIsKnown } from "../host/look/outer-sandbox.ts";
import { assertOptions } from "../policy/options.ts";
import { keptRequest } from "./kept-request.ts";
import { type ContextAtStart, LiveConfig } from "./live-config.ts";
import { openRecords } from "./records.ts";
import { type ResolvedSetup, resolvePolicy } from "./resolve-setup.ts";
import { endSandboxSupport, findSandboxSupport, privateMountsOnce, withProxy } from "./sandbox-support.ts";
import { Session } from "./session.ts";
import { SUPERVISOR_OPTIONS, type SupervisorOptions } from "./supervisor-options.ts";

/** Runs tools in the sandbox, after a check by the gate. Made by `createSupervisor`. */
export class Supervisor implements AsyncDisposable {
  readonly #watch: SupervisorWatch & Disposable;

  /** @internal */
  constructor(watch: SupervisorWatch & Disposable) {
    this.#watch = watch;
  }

  /** @internal The config, the ceiling and everything else that calls share, as the last look at the config found it. */
  get shared(): SupervisorContext {
    return this.#watch.shared;
  }

  /** Calls the listener after each change of the config, an operator profile or trust, until the result is disposed. */
  onConfigChange(listener: (change: ConfigChange) => void): Disposable {
    return this.#watch.onChange(listener);
  }

  /** All requests of this supervisor, to be read and answered from anywhere. */
  get broker(): Broker {
    return this.shared.broker;
  }

  /** A session: calls of one agent or person, in one record. Throws `USAGE` for unknown options, and after the end. */
  session(options: SessionOptions = {}): Session {
    this.shared.shutdown.assertOpen();
    assertOptions("session", SESSION_OPTIONS, options);
    return new Session(this.#watch, options);
  }

  /**
   * Runs the call of a request from any process that was approved since, in its own session and as the agent that
   * asked. `own` says who is asked if the call has changed since, and brings the host's tools. See `Session.resume`.
   */
  async resume(approvalId: string, own: SessionOptions = {}, options: ResumeOptions = {}): Promise<Outcome> {
    const { agent } = (await keptRequest(this.broker, approvalId)).stored.request;
    // Applies to calls that a person typed too: now its answer counts, and not who typed it.
    const caller = "agent";
    await using session = this.session({ ...own, caller, ...(agent === null ? {} : { agent }) });
    return await session.resume(approvalId, options);
  }

  /** Closes the supervisor, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Ends all sessions: releases waiting requests, ends running programs and waits for them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.shared.shutdown.close();
    this.#watch[Symbol.dispose]();
    await this.shared.broker[Symbol.asyncDispose]();
    await this.shared.shutdown.come();
    await Promise.all([...this.shared.running].map((one) => one[Symbol.asyncDispose]()));
    const { sandbox, egressProxy, ownStore, journal, watches } = this.shared;
    watches[Symbol.dispose]();
    egressProxy?.[Symbol.dispose]();
    await endSandboxSupport(sandbox);
    await ownStore?.[Symbol.asyncDispose]();
    journal[Symbol.dispose]();
  }
}

/**
 * Loads the config and every operator profile, and verifies the sandbox: the launcher is found and queried, and a
 * self-check runs in a real sandbox (or is remembered). Leftovers of killed supervisors are removed. Nothing is lazy.
 * Throws what `loadConfig` throws; `SANDBOX_UNAVAILABLE` if no sandbox is available and the config says `fail_fast`;
 * `CONFIG_INVALID` for a mode that an operator forbids; `USAGE` for unknown options.
 */
export async function createSupervisor(options: SupervisorOptions = {}): Promise<Supervisor> {
  assertOptions("createSupervisor", SUPERVISOR_OPTIONS, options);
  const given = { ...options, host: options.host ?? thisHost() };
  assertRootIsKnown(given.host);
  const sinceMs = Date.now();
  const states = new FileStates([...watchedFor(given.host, given), ...operatorFiles(given.host)], sinceMs);
  const { host, cwd, loaded, policy } = resolvePolicy(given);
  if (host.simulated !== null)
    throw new CofferdamError("USAGE", "a simulated Mac can't run anything", {
      hint: "use `createDraft`, which runs nothing, or remove `simulated` from the host",
    });
  const sandbox = await findSandboxSupport(host, loaded);
  try {
    const context = await sharedBy({ host, cwd, loaded, policy }, sandbox, options);
    return new Supervisor(new LiveConfig(context, given, states, sinceMs));
  } catch (cause) {
    await endSandboxSupport(sandbox);
    throw cause;
  }
}

/** Removes leftovers of killed supervisors, and opens all outputs; the proxy last, so that no failure leaks it. */
async function sharedBy(
  { host, cwd, loaded, policy }: ResolvedSetup,
  sandbox: SandboxSupport,
  options: SupervisorOptions,
): Promise<ContextAtStart> {
  const ledger = new Ledger(host.stateFolder);
  const hasShelter = sandbox.kind === "available" && sandbox.machine.selfCheckResult.hasShelter;
  const liveCalls = new LiveCalls(host.stateFolder, hasShelter);
  if (sandbox.kind === "available") {
    endForsaken();
    await Promise.all([ledger.sweep(), liveCalls.sweep()]);
    await platformOf(host).sweep(host, sandbox.machine.cgroups, sandbox.machine.facts);
  }
  const parts = appearedParts(host, loaded);
  const records = await openRecords(host, loaded, options);
  return {
    host,
    loaded,
    changed: null,
    stopped: null,
    policy,
    ledger,
    liveCalls,
    ...parts,
    ...records,
    reportedOnce: new Set(),
    leftBehind: await sweepAppeared({ host, loaded, policy, ledger, sandbox, ...parts, ...records }),
    cwd,
    ownProgram: ownProgramOnce(),
    privateMounts: privateMountsOnce(host, sandbox, loaded),
    reviewer: options.reviewer ?? null,
    shutdown: new Shutdown("supervisor"),
    running: new Set(),
    ...(await withProxy(sandbox, policy)),
  };
}

/** Read now, before any tool runs: tools can change a package in a workspace. Its absence is reported on use. */
function ownProgramOnce(): SupervisorContext["ownProgram"] {
  try {
    const own = findOwnProgram();
    return () => own;
  } catch (cause) {
    return () => {
      throw new CofferdamError(
        "SANDBOX_UNAVAILABLE",
        "the program of the file tools is missing from the package",
        {
          hint: "install cofferdam again, or run `npm run build`",
          cause,
        },
      );
    };
  }
}
