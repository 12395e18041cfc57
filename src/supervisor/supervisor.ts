import { existsSync } from "node:fs";
import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import { backendFor } from "../backend/all.ts";
import type { Backend } from "../backend/backend.ts";
import type { Ceiling, Loaded } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { shippedFolder } from "../config/shipped.ts";
import { upstreamOf } from "../config/upstream.ts";
import { CofferdamError } from "../errors.ts";
import { endForsaken } from "../host/building.ts";
import { type Host, thisHost } from "../host/host.ts";
import { Ledger } from "../host/ledger.ts";
import { LiveCalls } from "../host/live-calls.ts";
import { assertRootIsKnown } from "../host/outer-sandbox.ts";
import { findOwnProgram } from "../host/own-program.ts";
import { writableOf } from "../host/owner.ts";
import { platformOf } from "../host/platform.ts";
import { findPrivateMounts } from "../host/private-mounts.ts";
import type { StartedBy } from "../host/spawn.ts";
import type { Journal } from "../journal/journal.ts";
import { Mode } from "../policy/action.ts";
import { type AbsolutePath, isAbsolutePath, isInside } from "../profile/path.ts";
import type { Store } from "../store/store.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import { appearedParts } from "./appeared/parts.ts";
import { sweepAppeared } from "./appeared/sweep.ts";
import { buildWalls, endWalls, withProxy } from "./build-walls.ts";
import type { ResumeOptions } from "./call-options.ts";
import { Ending } from "./ending.ts";
import { keptRequest } from "./kept-request.ts";
import { assertOptions, having, type OptionsOf, text } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { openRecords } from "./records.ts";
import { Session } from "./session.ts";
import { SESSION_OPTIONS, type SessionOptions } from "./session-options.ts";
import type { Shared, Walls } from "./shared.ts";
import { type Standing, standingFor } from "./standing.ts";
import { settingsOn } from "./stated.ts";

const PROFILES = 'a list of names or paths: `["strict"]`';
const FOLDER = "an absolute path without `..` or a slash at its end";

/** What a supervisor is made from; everything has a default. */
export interface SupervisorOptions {
  /** A config file to use, instead of the nearest trusted one. */
  readonly config?: string;
  /** Further operator profiles: shipped names or files. They can only tighten. */
  readonly profiles?: readonly string[];
  /** Where to look for a config, and where calls start by default. */
  readonly cwd?: AbsolutePath;
  /** Where `cwd` lies in no root, calls start in the first that can be written, or else in the first. Default false. */
  readonly startsInRoot?: boolean;
  /** How asks are answered, instead of what the config says. */
  readonly mode?: Mode;
  /** A person who typed a command is asked about it like an agent. */
  readonly asksCaller?: boolean;
  /**
   * Whether commands get terminals of their own: true says so where the config leaves it open, false keeps them from it
   * whatever the config says. What operators do not allow, they do not get.
   */
  readonly terminal?: boolean;
  /** Where events go, instead of a file in the journal's folder. */
  readonly journal?: Journal;
  /** Where requests, grants and events are kept, instead of where the config says. */
  readonly store?: Store;
  readonly host?: Host;
}

/** How the same is checked when it comes from JavaScript. */
export const SUPERVISOR_OPTIONS: OptionsOf<SupervisorOptions> = z.strictObject({
  config: text("a path, as a text").optional(),
  profiles: z.array(text(PROFILES), { error: PROFILES }).optional(),
  cwd: text(FOLDER).refine(isAbsolutePath, { error: FOLDER }).optional(),
  startsInRoot: z.boolean({ error: "`true` or `false`" }).optional(),
  mode: z.enum(Mode.options, { error: `one of ${Mode.options.join(", ")}` }).optional(),
  asksCaller: z.boolean({ error: "`true` or `false`" }).optional(),
  terminal: z.boolean({ error: "`true` or `false`" }).optional(),
  journal: having("an object that events can be written to", "write").optional(),
  store: having("a store", "add", "resolve", "claim", "eventsAfter").optional(),
  host: having("what `thisHost` gives", "now", "id").optional(),
});

/** Runs tools behind the gate and inside the walls. Made by `createSupervisor`. */
export class Supervisor implements AsyncDisposable {
  /** The config, the ceiling and what else was decided before any call. */
  readonly shared: Shared;

  constructor(shared: Shared) {
    this.shared = shared;
  }

  /** Where every question of this supervisor waits, and can be answered from wherever. */
  get broker(): Broker {
    return this.shared.broker;
  }

  /** A session: calls of one agent or person, in one record. Throws `USAGE` for options that there are not, and behind the end. */
  session(options: SessionOptions = {}): Session {
    this.shared.ending.assertOpen();
    assertOptions("session", SESSION_OPTIONS, options);
    return new Session(this.shared, options);
  }

  /**
   * Runs what was asked about under this id, in whatever process, and has been approved since: in a session of its own,
   * as the agent that asked. `own` says who is asked where it has changed since, and brings the host's tools. See
   * `Session.resume`.
   */
  async resume(approvalId: string, own: SessionOptions = {}, options: ResumeOptions = {}): Promise<Outcome> {
    const { agent } = (await keptRequest(this.broker, approvalId)).stored.request;
    // Also what a person typed was asked about: by now it is its answer that counts, and not who typed it.
    const caller = "agent";
    await using session = this.session({ ...own, caller, ...(agent === null ? {} : { agent }) });
    return await session.resume(approvalId, options);
  }

  /** Ends all sessions: questions that wait are let go, programs that run are ended and waited for, nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.shared.ending.close();
    await this.shared.broker[Symbol.asyncDispose]();
    await this.shared.ending.come();
    await Promise.all([...this.shared.running].map((one) => one[Symbol.asyncDispose]()));
    const { walls, egressProxy, ownStore, journal, watches } = this.shared;
    watches[Symbol.dispose]();
    egressProxy?.[Symbol.dispose]();
    await endWalls(walls);
    await ownStore?.[Symbol.asyncDispose]();
    journal[Symbol.dispose]();
  }
}

/**
 * Loads the config and every operator profile, and makes sure of the walls: the launcher is found and asked, a battery
 * is run in a real sandbox (or remembered), what killed supervisors left is swept. Nothing is lazy.
 * Throws what `loadConfig` throws; `SANDBOX_UNAVAILABLE` when the walls can't be had and the config says `fail_fast`;
 * `CONFIG_INVALID` for a mode that an operator forbids; `USAGE` for options that there are not.
 */
export async function createSupervisor(options: SupervisorOptions = {}): Promise<Supervisor> {
  assertOptions("createSupervisor", SUPERVISOR_OPTIONS, options);
  assertRootIsKnown(options.host ?? thisHost());
  const { host, cwd, loaded, standing } = decideStanding(options);
  if (host.stated !== null)
    throw new CofferdamError("USAGE", "nothing can be run on a Mac that is only stated", {
      hint: "use `createDraft`, which runs nothing, or take `stated` out of the host",
    });
  const walls = await buildWalls(host, loaded);
  try {
    return new Supervisor(await sharedBy({ host, cwd, loaded, standing }, walls, options));
  } catch (cause) {
    await endWalls(walls);
    throw cause;
  }
}

/** Sweeps what killed supervisors left, and opens what is written to; the egress proxy last, which nothing then leaves open. */
async function sharedBy(
  { host, cwd, loaded, standing }: Decided,
  walls: Walls,
  options: SupervisorOptions,
): Promise<Shared> {
  const ledger = new Ledger(host.stateFolder);
  const hasShelter = walls.kind === "standing" && walls.machine.attestation.hasShelter;
  const liveCalls = new LiveCalls(host.stateFolder, hasShelter);
  if (walls.kind === "standing") {
    endForsaken();
    await Promise.all([ledger.sweep(), liveCalls.sweep()]);
    await platformOf(host).sweep(host, walls.machine.cgroups, walls.machine.facts);
  }
  const parts = appearedParts(host, loaded);
  const records = await openRecords(host, loaded, options);
  return {
    host,
    loaded,
    standing,
    ledger,
    liveCalls,
    ...parts,
    ...records,
    toldOnce: new Set(),
    leftBehind: await sweepAppeared({ host, loaded, standing, ledger, walls, ...parts, ...records }),
    cwd,
    ownProgram: ownProgramOnce(),
    privateMounts: privateMountsOnce(host, walls, loaded),
    ending: new Ending("supervisor"),
    running: new Set(),
    ...(await withProxy(walls, standing)),
  };
}

/** What stands before any machine is looked at: the config, the ceiling, and what every call has in common. */
export interface Decided {
  readonly host: Host;
  readonly cwd: AbsolutePath;
  readonly loaded: Loaded;
  readonly standing: Standing;
}

/**
 * Loads the config and every operator profile; writes and starts nothing. Throws what `loadConfig` throws, and
 * `CONFIG_INVALID`.
 */
export function decideStanding(options: SupervisorOptions): Decided {
  const host = options.host ?? thisHost();
  const cwd = options.cwd ?? host.cwd;
  const loaded = loadConfig(host, { cwd, config: options.config, profiles: options.profiles });
  const { config, ceiling } = loaded;
  const mode = options.mode ?? config.approval.mode;
  refuseForbiddenMode(mode, ceiling);
  const upstream = upstreamOf(host, loaded);
  const settings = {
    ...withTerminal(settingsOn(host, settingsOf(loaded)), options.terminal),
    ...(upstream === null ? {} : { upstream }),
  };
  const standing = standingFor({
    backend: backendOf(host),
    settings,
    config: { ...config, roots: settings.roots },
    ceiling,
    mode,
    asksCaller: options.asksCaller ?? false,
  });
  return { host, cwd: options.startsInRoot === true ? startIn(cwd, config.roots) : cwd, loaded, standing };
}

function startIn(cwd: AbsolutePath, roots: readonly Root[]): AbsolutePath {
  if (roots.some(({ path }) => isInside(cwd, path))) return cwd;
  return (roots.find(({ mode }) => mode === "rw") ?? roots[0])?.path ?? cwd;
}

/**
 * What the tools' derivation reads of a loaded config; own files are masked where they exist in a root. Shipped profiles lie in
 * the package, which the layer of the installation keeps.
 */
export function settingsOf({ config, files }: Loaded): ToolSettings {
  const { roots, runtimes, sandbox, shell } = config;
  const shipped = shippedFolder();
  const ownFiles = files.filter(
    (file) => existsSync(file) && roots.some((root) => isInside(file, root.path)) && !isInside(file, shipped),
  );
  return { roots, runtimes, sandbox, shell, ownFiles };
}

function withTerminal(settings: ToolSettings, isWanted: boolean | undefined): ToolSettings {
  const { shell } = settings;
  const terminal = isWanted === false ? false : (shell.terminal ?? isWanted ?? false);
  return { ...settings, shell: { ...shell, terminal } };
}

function refuseForbiddenMode(mode: Mode, ceiling: Ceiling): void {
  if (ceiling.approval.modes.includes(mode)) return;
  const allowed = ceiling.approval.modes.map((one) => `\`${one}\``).join(", ");
  throw new CofferdamError("CONFIG_INVALID", `operator profiles do not allow the mode \`${mode}\``, {
    hint: allowed === "" ? "no mode is allowed by all of them" : `use ${allowed}`,
  });
}

function backendOf(host: Host): Backend {
  const backend = backendFor(host.stated === null ? host.platform : "darwin");
  if (backend !== null) return backend;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", `there is no backend for ${host.platform}`, {
    hint: "use Linux with bubblewrap",
  });
}

/** Read now, before any tool runs: a package in a workspace is a file that tools can change. A lack is told when it is used. */
function ownProgramOnce(): Shared["ownProgram"] {
  try {
    const own = findOwnProgram();
    return () => own;
  } catch (cause) {
    return () => {
      throw new CofferdamError(
        "SANDBOX_UNAVAILABLE",
        "the program that works on files is missing from the package",
        {
          hint: "install cofferdam again, or run `npm run build`",
          cause,
        },
      );
    };
  }
}

function privateMountsOnce(host: Host, walls: Walls, { config }: Loaded): Shared["privateMounts"] {
  let found: Promise<StartedBy | null> | null = null;
  return () => {
    found ??=
      walls.kind === "standing"
        ? findPrivateMounts(host, walls.machine, writableOf(config.roots))
        : Promise.resolve(null);
    return found;
  };
}
