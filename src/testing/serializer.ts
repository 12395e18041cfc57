import { printHostRule } from "../profile/host-rule.ts";
import { proxyWords } from "../profile/in-words.ts";
import { LIMITS, type LimitName, type Limits } from "../profile/limits.ts";
import type { Network } from "../profile/network.ts";
import { printPorts } from "../profile/ports.ts";
import { type FileEntry, OPEN, type Profile } from "../profile/profile.ts";
import { printDuration, printSize } from "../profile/quantity.ts";
import type { DerivedProfile } from "./derive-for.ts";

type Names = Pick<DerivedProfile, "names" | "protections">;

/** A vitest snapshot serializer that prints profiles and derived profiles in readable form. */
export const profileSerializer = {
  test: (value: unknown): boolean => isDerived(value) || isProfile(value),
  serialize: (value: unknown): string =>
    isDerived(value)
      ? printReadable(value.profile, value)
      : isProfile(value)
        ? printReadable(value)
        : String(value),
};

/**
 * A profile, one clause a line: read and write access, masks, network, sockets, environment, system calls, devices,
 * groups of macOS, ports, limits. Named paths are printed by their name, so that a snapshot is the same on every
 * machine.
 */
export function printReadable(
  profile: Profile,
  names: Pick<DerivedProfile, "names" | "protections"> = { names: new Map(), protections: new Set() },
): string {
  const own = profile.masks.filter((mask) => !names.protections.has(mask.pattern.text));
  const lines = [
    ...fileLines(profile.files, names),
    ...(own.length < profile.masks.length ? ["masks    those of `protected`"] : []),
    ...own
      .map(
        (mask) =>
          `mask     ${named(mask.pattern.text, names)} at most ${mask.atMost}${mask.ignoreCase ? ", in any case" : ""}${mask.exceptTreesOf === undefined ? "" : ", outside dependency and build trees"}`,
      )
      .sort(),
    `network  ${printNetwork(profile.network)}`,
    `sockets  ${typeof profile.sockets === "string" ? profile.sockets : profile.sockets.join(", ") || "none listed"}`,
    `env      ${profile.env.join(", ") || "none"}`,
    ...(profile.terminal ? ["terminal of its own"] : []),
    ...(profile.syscalls.length === 0 ? [] : [`syscalls ${profile.syscalls.join(", ")}`]),
    ...(profile.devices.length === 0 ? [] : [`devices  ${profile.devices.join(", ")}`]),
    ...(profile.macos.length === 0 ? [] : [`macos    ${profile.macos.join(", ")}`]),
    ...(profile.ports.length === 0 ? [] : [`ports    ${printPorts(profile.ports)}`]),
    ...limitLines(profile.limits),
  ];
  return lines.join("\n");
}

/** True for a result of `deriveFor`. */
export function isDerived(value: unknown): value is DerivedProfile {
  return (
    typeof value === "object" &&
    value !== null &&
    "profile" in value &&
    "names" in value &&
    isProfile(value.profile)
  );
}

/** True for a value with the shape of a profile. */
export function isProfile(value: unknown): value is Profile {
  return typeof value === "object" && value !== null && Object.keys(OPEN).every((key) => key in value);
}

/** Paths of a runtime with the same access are one line. Lines are sorted by their printed names. */
function fileLines(files: readonly FileEntry[], names: Names): readonly string[] {
  const lines = files.map((entry) => {
    const suffixes = entry.suffixes === "any" ? "" : ` for ${entry.suffixes.join(", ") || "folders only"}`;
    const group = [...names.names].find(([, paths]) => paths.length > 1 && paths.includes(entry.path));
    const name = group?.[0] ?? named(entry.path, names);
    return { name, line: `${entry.access.padEnd(8)} ${name}${suffixes}` };
  });
  return [...new Set(lines.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ line }) => line))];
}

function named(text: string, names: Names): string {
  for (const [name, paths] of names.names) {
    for (const path of paths)
      if (text === path || text.startsWith(`${path}/`)) return `${name}${text.slice(path.length)}`;
  }
  return text;
}

function printNetwork(network: Network): string {
  if (typeof network === "string") return network;
  const never = network.never.length === 0 ? "" : `, never ${network.never.map(printHostRule).join(", ")}`;
  const strict = network.strictSni === true ? ", strict_sni" : "";
  const proxies = proxyWords(network.proxies).map((words) => `, ${words}`);
  return `${network.hosts.map(printHostRule).join(", ")}${never}${strict}${proxies.join("")}`;
}

const LIMIT_NAMES = {
  wallMs: ["wall", printDuration],
  cpuSeconds: ["cpu", (seconds: number) => printDuration(seconds * 1000)],
  memoryBytes: ["memory", printSize],
  processes: ["processes", String],
  fileBytes: ["file size", printSize],
  openFiles: ["open files", String],
  outputBytes: ["output", printSize],
  scratchBytes: ["scratch", printSize],
  sharedMemoryBytes: ["shared memory", printSize],
  connections: ["connections", String],
  transferBytes: ["transfer", printSize],
  connectionMs: ["connection time", printDuration],
} as const satisfies Record<LimitName, readonly [string, (value: number) => string]>;

function limitLines(limits: Limits): readonly string[] {
  const bounds = LIMITS.flatMap((limit) => {
    const [name, print] = LIMIT_NAMES[limit];
    const value = limits[limit];
    return value === undefined ? [] : [`${name} ${print(value)}`];
  });
  return bounds.length === 0
    ? []
    : [`limits   ${[...bounds, ...(limits.strict === true ? ["strict"] : [])].join(", ")}`];
}
