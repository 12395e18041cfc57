import { meetEnv } from "./env-pattern.ts";
import { meetGroups } from "./groups.ts";
import { meetLimits } from "./limits.ts";
import { meetNetworks } from "./network.ts";
import { meetPorts } from "./ports.ts";
import { meetFiles, normalMasks, OPEN, type Profile } from "./profile.ts";
import { meetSockets } from "./sockets.ts";

/**
 * The profile of what both allow. For every path, `accessTo(intersect(a, b), p)` is the lesser of `accessTo(a, p)` and
 * `accessTo(b, p)`; the same pointwise for targets, sockets, environment names, system calls, devices, ports, limits
 * and the terminal. Commutative, associative, idempotent, monotone; `OPEN` is its unit, `CLOSED` its zero. Throws
 * `USAGE` for invalid limits made by hand.
 */
export function intersect(a: Profile, b: Profile): Profile {
  const files = meetFiles(a.files, b.files);
  return {
    files,
    masks: normalMasks([...a.masks, ...b.masks], files),
    network: meetNetworks(a.network, b.network),
    sockets: meetSockets(a.sockets, b.sockets),
    env: meetEnv(a.env, b.env),
    terminal: a.terminal && b.terminal,
    syscalls: meetGroups(a.syscalls, b.syscalls),
    devices: meetGroups(a.devices, b.devices),
    macos: meetGroups(a.macos, b.macos),
    ports: meetPorts(a.ports, b.ports),
    limits: meetLimits(a.limits, b.limits),
  };
}

/** The intersection of all; without any, `OPEN`: a layer that says nothing forbids nothing. */
export function intersectAll(profiles: readonly Profile[]): Profile {
  return profiles.reduce(intersect, OPEN);
}
