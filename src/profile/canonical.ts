import { z } from "zod";
import { Access } from "./access.ts";
import { DeviceGroup } from "./devices.ts";
import { sha256 } from "./digest.ts";
import { EnvPattern } from "./env-pattern.ts";
import { parseHostRule, printHostRule } from "./host-rule.ts";
import { Limits, normalLimits } from "./limits.ts";
import { MacosGroup } from "./macos.ts";
import type { Network } from "./network.ts";
import { type AbsolutePath, absolutePath, isAbsolutePath } from "./path.ts";
import { readPattern } from "./pattern.ts";
import { Port } from "./ports.ts";
import { type Mask, normalProfile, type Profile } from "./profile.ts";
import { Suffix } from "./suffix.ts";
import { SyscallGroup } from "./syscalls.ts";

/** SHA-256 of a profile's canonical text, in hex. Equal digest, equal meaning. */
export type ProfileDigest = string;

const CanonicalProfile = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      access: Access,
      suffixes: z.union([z.literal("any"), z.array(Suffix)]),
    }),
  ),
  masks: z.array(
    z.strictObject({
      pattern: z.string(),
      atMost: z.enum(["none", "read"]),
      ignoreCase: z.boolean(),
      exceptTreesOf: z.array(z.string()).exactOptional(),
    }),
  ),
  network: z.union([
    z.enum(["none", "open", "host"]),
    z.strictObject({
      hosts: z.array(z.string()),
      never: z.array(z.string()),
      strictSni: z.literal(true).exactOptional(),
      proxies: z.union([z.literal("any"), z.array(z.string())]).exactOptional(),
    }),
  ]),
  sockets: z.union([z.enum(["any", "none"]), z.array(z.string())]),
  env: z.array(EnvPattern),
  terminal: z.boolean(),
  syscalls: z.array(SyscallGroup),
  devices: z.array(DeviceGroup),
  macos: z.array(MacosGroup),
  ports: z.union([z.literal("any"), z.array(Port)]).exactOptional(),
  limits: Limits,
});
type CanonicalProfile = z.infer<typeof CanonicalProfile>;

/**
 * The one text of a profile: JSON, two spaces, keys in the order of the type; without `ports` if there are none.
 * `parseProfile` reads it. Throws `USAGE` for invalid limits.
 */
export function printProfile(profile: Profile): string {
  return JSON.stringify(plain(profile), null, 2);
}

/**
 * Reads the text of `printProfile`. Throws a `SyntaxError` or zod's error if it is no profile, `PATH_INVALID`,
 * `PATTERN_INVALID` or `HOST_INVALID` for invalid content.
 */
export function parseProfile(text: string): Profile {
  const { files, masks, network, sockets, ...rest } = CanonicalProfile.parse(JSON.parse(text));
  return normalProfile({
    ...rest,
    files: files.map((entry) => ({ ...entry, path: readPath(entry.path) })),
    masks: masks.map(readMask),
    network:
      typeof network === "string"
        ? network
        : {
            ...network,
            hosts: network.hosts.map(parseHostRule),
            never: network.never.map(parseHostRule),
          },
    sockets: typeof sockets === "string" ? sockets : sockets.map(readPath),
  });
}

/** SHA-256 of `printProfile`'s text: independent of order, spelling and duplicates in the source. */
export function digest(profile: Profile): ProfileDigest {
  return sha256(printProfile(profile));
}

/** A path in a profile may come from the disk, so it may contain what `absolutePath` refuses in written paths. */
function readPath(text: string): AbsolutePath {
  return isAbsolutePath(text) ? text : absolutePath(text);
}

function readMask({ exceptTreesOf, ...mask }: CanonicalProfile["masks"][number]): Mask {
  const read = { ...mask, pattern: readPattern(mask.pattern) };
  return exceptTreesOf === undefined ? read : { ...read, exceptTreesOf: exceptTreesOf.map(readPath) };
}

function plain(profile: Profile): CanonicalProfile {
  const { files, masks, network, sockets, env, terminal, syscalls, devices, macos, ports, limits } = profile;
  return {
    files: files.map(({ path, access, suffixes }) => ({
      path,
      access,
      suffixes: suffixes === "any" ? suffixes : [...suffixes],
    })),
    masks: masks.map(({ pattern, exceptTreesOf, ...mask }) => ({
      pattern: pattern.text,
      ...mask,
      ...(exceptTreesOf === undefined ? {} : { exceptTreesOf: [...exceptTreesOf] }),
    })),
    network: plainNetwork(network),
    sockets: typeof sockets === "string" ? sockets : [...sockets],
    env: [...env],
    terminal,
    syscalls: [...syscalls],
    devices: [...devices],
    macos: [...macos],
    ...(ports.length === 0 ? {} : { ports: ports === "any" ? ports : [...ports] }),
    limits: normalLimits(limits),
  };
}

function plainNetwork(network: Network): CanonicalProfile["network"] {
  if (typeof network === "string") return network;
  const { hosts, never, proxies, ...rest } = network;
  return {
    hosts: hosts.map(printHostRule),
    never: never.map(printHostRule),
    ...rest,
    ...(proxies === undefined ? {} : { proxies: proxies === "any" ? proxies : [...proxies] }),
  };
}
