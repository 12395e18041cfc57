import { isProxied } from "../backend/proxy-way.ts";
import type { Ceiling, Config, Loaded } from "../config/config.ts";
import { CofferdamError } from "../errors.ts";
import { LauncherAhead } from "../host/ahead.ts";
import { failures } from "../host/attest.ts";
import type { Host } from "../host/host.ts";
import { inspectMachine, type Machine } from "../host/machine.ts";
import { platformOf } from "../host/platform.ts";
import type { SharedProxy } from "../network/shared-proxy.ts";
import type { Walls } from "./shared.ts";
import { asksForHosts, type Standing } from "./standing.ts";

/** With `refuse_tools`, and where no floor is demanded, a supervisor without walls starts and refuses every process. */
export async function buildWalls(host: Host, { config, ceiling }: Loaded): Promise<Walls> {
  try {
    const machine = await inspectMachine(host, config.roots, config.runtimes, config.sandbox.devices);
    refuseRoot(machine, ceiling);
    refuseFailures(machine, config);
    return {
      kind: "standing",
      machine,
      surroundings: await platformOf(host).surroundings(host, machine.facts),
      ahead: new LauncherAhead(),
    };
  } catch (cause) {
    const isUnavailable = cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE";
    if (!isUnavailable || isFailFast(config)) throw cause;
    return { kind: "unavailable", error: cause };
  }
}

function isFailFast({ sandbox }: Config): boolean {
  return sandbox.require_os_sandbox && sandbox.os_sandbox_fallback === "fail_fast";
}

function refuseRoot(machine: Machine, ceiling: Ceiling): void {
  if (ceiling.runAs !== "not-root" || machine.facts.user.uid !== 0) return;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", "an operator demands that tools do not run as root", {
    hint: "start cofferdam as an ordinary user, or give the writable roots to one",
  });
}

function refuseFailures(machine: Machine, { sandbox }: Config): void {
  const [first] = failures(machine.attestation);
  if (first === undefined || !sandbox.require_os_sandbox) return;
  throw new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `the walls do not hold here: a process in a real sandbox could ${first.name}`,
    {
      hint: "run `cofferdam doctor --attest`",
    },
  );
}

/** Nothing is started behind them any more, and nothing of them is left. */
export async function endWalls(walls: Walls): Promise<void> {
  if (walls.kind !== "standing") return;
  await walls.ahead[Symbol.asyncDispose]();
  walls.surroundings[Symbol.dispose]();
  walls.machine.cgroups?.[Symbol.dispose]();
}

/**
 * The egress proxy that calls share, where they share the machine's loopback and may reach anything by it; and the walls
 * that let its port be reached. Throws `SANDBOX_UNAVAILABLE` where no port is free.
 */
export async function withProxy(
  walls: Walls,
  standing: Standing,
): Promise<{ readonly walls: Walls; readonly egressProxy: SharedProxy | null }> {
  const isNeeded = isProxied(standing.onYes.profile, { asksForHosts: asksForHosts(standing) });
  if (walls.kind !== "standing" || !standing.backend.sharesLoopback || !isNeeded)
    return { walls, egressProxy: null };
  const { SharedProxy } = await import("../network/shared-proxy.ts");
  const egressProxy = await SharedProxy.listen();
  const { machine } = walls;
  const { mac } = machine.facts;
  const facts = { ...machine.facts, mac: mac === null ? null : { ...mac, proxyPort: egressProxy.port } };
  return { walls: { ...walls, machine: { ...machine, facts } }, egressProxy };
}
