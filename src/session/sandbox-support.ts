import { isProxied } from "../backend/proxy-way.ts";
import type { SandboxSupport, SupervisorContext } from "../call/supervisor-context.ts";
import type { Ceiling, Config, LoadedConfig } from "../config/config.ts";
import { asksForHosts, type CallPolicy } from "../decide/call-policy.ts";
import { CofferdamError } from "../errors.ts";
import { inspectAgain, inspectMachine, type Machine } from "../host/launch/machine.ts";
import { writableOf } from "../host/launch/owner.ts";
import { platformOf } from "../host/launch/platform.ts";
import { PrewarmedLauncher } from "../host/launch/prewarmed-launcher.ts";
import { findPrivateMounts } from "../host/launch/private-mounts.ts";
import { failures } from "../host/launch/self-check.ts";
import type { StartedBy } from "../host/launch/spawn.ts";
import type { Host } from "../host/look/host.ts";
import type { SharedProxy } from "../network/shared-proxy.ts";

/** With `refuse_tools`, or if no sandbox is required, a supervisor without one starts and refuses every process. */
export async function findSandboxSupport(
  host: Host,
  { config, ceiling }: LoadedConfig,
): Promise<SandboxSupport> {
  try {
    const machine = await inspectMachine(host, config.roots, config.runtimes, config.sandbox.devices);
    refuseRoot(machine, ceiling);
    refuseFailures(machine, config);
    return {
      kind: "available",
      machine,
      surroundings: await platformOf(host).surroundings(host, machine.facts),
      ahead: new PrewarmedLauncher(),
    };
  } catch (cause) {
    const isUnavailable = cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE";
    if (!isUnavailable || isFailFast(config)) throw cause;
    return { kind: "unavailable", error: cause };
  }
}

/**
 * The support for another config: the machine is inspected again if its roots, runtimes or devices differ. Throws
 * `SANDBOX_UNAVAILABLE`, also if an operator profile no longer allows this user, and `CONFIG_INVALID`.
 */
export async function supportFor(
  before: Pick<SupervisorContext, "host" | "loaded" | "sandbox" | "egressProxy" | "privateMounts">,
  loaded: LoadedConfig,
  policy: CallPolicy,
): Promise<Pick<SupervisorContext, "sandbox" | "egressProxy" | "privateMounts">> {
  const { host, sandbox, egressProxy, privateMounts } = before;
  if (sandbox.kind === "unavailable") return { sandbox, egressProxy, privateMounts };
  const { config, ceiling } = loaded;
  const isOther = machineInput(config) !== machineInput(before.loaded.config);
  const { roots, runtimes } = config;
  const machine = isOther
    ? await inspectAgain(host, sandbox.machine, roots, runtimes, config.sandbox.devices)
    : sandbox.machine;
  refuseRoot(machine, ceiling);
  refuseFailures(machine, config);
  const now = isOther ? { ...sandbox, machine: withPort(machine, egressProxy) } : sandbox;
  return {
    ...(egressProxy === null ? await withProxy(now, policy) : { sandbox: now, egressProxy }),
    privateMounts: isOther ? privateMountsOnce(host, now, loaded) : privateMounts,
  };
}

/** The part of a config that `inspectMachine` looks at. */
function machineInput({ roots, runtimes, sandbox }: Config): string {
  return JSON.stringify([roots.map(({ path, mode }) => [path, mode]), runtimes, sandbox.devices]);
}

/** The way to give workers private mounts, looked for on first use. */
export function privateMountsOnce(
  host: Host,
  sandbox: SandboxSupport,
  { config }: LoadedConfig,
): SupervisorContext["privateMounts"] {
  let found: Promise<StartedBy | null> | null = null;
  return () => {
    found ??=
      sandbox.kind === "available"
        ? findPrivateMounts(host, sandbox.machine, writableOf(config.roots))
        : Promise.resolve(null);
    return found;
  };
}

function isFailFast({ sandbox }: Config): boolean {
  return sandbox.require_os_sandbox && sandbox.os_sandbox_fallback === "fail_fast";
}

function refuseRoot(machine: Machine, ceiling: Ceiling): void {
  if (ceiling.runAs !== "not-root" || machine.facts.user.uid !== 0) return;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", "an operator profile does not allow tools to run as root", {
    hint: "start cofferdam as an ordinary user, or change the owner of the writable roots to one",
  });
}

function refuseFailures(machine: Machine, { sandbox }: Config): void {
  const [first] = failures(machine.selfCheckResult);
  if (first === undefined || !sandbox.require_os_sandbox) return;
  throw new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `the sandbox fails on this machine: a process in it could ${first.name}`,
    { hint: "run `cofferdam doctor --attest`" },
  );
}

/** Releases the sandbox support: no further process can start in a sandbox. */
export async function endSandboxSupport(sandbox: SandboxSupport): Promise<void> {
  if (sandbox.kind !== "available") return;
  await sandbox.ahead[Symbol.asyncDispose]();
  sandbox.surroundings[Symbol.dispose]();
  sandbox.machine.cgroups?.[Symbol.dispose]();
}

/**
 * The shared egress proxy, if calls share the machine's loopback and may reach hosts through it, and a sandbox that
 * allows its port. Throws `SANDBOX_UNAVAILABLE` without a free port.
 */
export async function withProxy(
  sandbox: SandboxSupport,
  policy: CallPolicy,
): Promise<{ readonly sandbox: SandboxSupport; readonly egressProxy: SharedProxy | null }> {
  const isNeeded = isProxied(policy.withApproval.profile, { asksForHosts: asksForHosts(policy) });
  if (sandbox.kind !== "available" || !policy.backend.sharesLoopback || !isNeeded)
    return { sandbox, egressProxy: null };
  const { SharedProxy } = await import("../network/shared-proxy.ts");
  const egressProxy = await SharedProxy.listen();
  return { sandbox: { ...sandbox, machine: withPort(sandbox.machine, egressProxy) }, egressProxy };
}

function withPort(machine: Machine, egressProxy: SharedProxy | null): Machine {
  const { mac } = machine.facts;
  if (mac === null || egressProxy === null) return machine;
  return { ...machine, facts: { ...machine.facts, mac: { ...mac, proxyPort: egressProxy.port } } };
}
