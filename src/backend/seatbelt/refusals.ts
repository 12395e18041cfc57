import { type AbsolutePath, foldedPath, isInside, knownPath, upwards } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import { indexEntries, nearestEntry, type Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import type { Launch } from "../../tool/launch.ts";
import type { Facts, MacFacts } from "../facts.ts";
import type { Refusal } from "../plan.ts";
import { isProxied } from "../proxy-way.ts";
import { portsRefusal } from "../way-in.ts";
import { linkOn } from "./links.ts";
import { foldsCaseAt } from "./volumes.ts";

/** Places that all programs of a machine share, or that give the whole disk a second name. */
const SHARED_PLACES = [
  "/dev",
  "/private/tmp",
  "/private/var/run",
  "/private/var/tmp",
  "/System/Volumes/Data",
].map(knownPath);

/** Why rules can't enforce the profile on this Mac, whatever they are; null where they can. */
export function refusedProfile(
  profile: Profile,
  launch: Pick<Launch, "asksForHosts">,
  facts: Facts,
  mac: MacFacts,
): Refusal | null {
  return (
    refusedTerminal(profile) ??
    refusedDevices(profile) ??
    refusedNetwork(profile, launch, mac) ??
    portsRefusal(profile) ??
    refusedEntry(profile, facts, mac.calls)
  );
}

/** What stands for every profile on another system. */
export const NO_MAC: Refusal = {
  field: "platform",
  reason: "these walls are those of macOS, and this is another system",
  remedy: "use this machine's own backend",
};

/** Without a terminal that was demanded nothing runs: what a program does without one is another thing. */
function refusedTerminal({ terminal }: Profile): Refusal | null {
  if (!terminal) return null;
  return {
    field: "terminal",
    reason: "a terminal of its own is not given behind these walls",
    remedy: "do without: `shell.terminal: false`, `--no-terminal`",
  };
}

/** macOS has no such nodes: its graphics cards and serial ports are reached in other ways, which nobody has tried with these rules. */
function refusedDevices({ devices }: Profile): Refusal | null {
  if (devices.length === 0) return null;
  return {
    field: "devices",
    reason: `\`${devices.join("`, `")}\` can't be granted on macOS, only on Linux`,
    remedy:
      "leave `sandbox.devices` out, or take it away on this Mac with an operator profile that says `devices: []`",
  };
}

/** Where nothing is reached unless somebody says yes, nobody could be asked. */
function refusedNetwork(
  profile: Profile,
  launch: Pick<Launch, "asksForHosts">,
  { proxyPort }: MacFacts,
): Refusal | null {
  if (!isProxied(profile, launch) || proxyPort !== null) return null;
  return {
    field: "network",
    reason: "hosts need the egress proxy: the kernel's rules know no names or addresses but `localhost`",
    remedy: "use `network: false` or `network: host`",
  };
}

/** A granted path must be what the kernel calls it, no place that others share, and one folder by one spelling alone. */
function refusedEntry(profile: Profile, facts: Facts, calls: AbsolutePath): Refusal | null {
  const { files, sockets } = profile;
  const nearest = nearestEntry(indexEntries(files), calls);
  if (nearest.access !== "none") {
    const reason = `${nearest.path} holds ${calls}, where calls have what is theirs alone`;
    return { field: "files", reason, remedy: "grant the folders in it that are needed" };
  }
  for (const { path, access } of files) {
    const refusal = refusedLink(path, facts, "files");
    if (refusal !== null) return refusal;
    if (
      access !== "none" &&
      SHARED_PLACES.some((place) => isInside(place, path) || (place === "/dev" && isInside(path, place)))
    ) {
      const reason = `${path} is, or holds, a place that all programs share`;
      return { field: "files", reason, remedy: "grant the folders below it that are needed" };
    }
  }
  const links = listedSockets(sockets).map((path) => refusedLink(path, facts, "sockets"));
  return links.find((one) => one !== null) ?? refusedSpelling(profile, facts);
}

function refusedLink(path: AbsolutePath, facts: Facts, field: string): Refusal | null {
  const on = linkOn(facts, path);
  if (on === null) return null;
  return {
    field,
    reason: `${path} goes through the symlink ${on.link}, where no rule would match`,
    remedy: on.leadsTo === null ? `make ${on.link} lead somewhere` : `write ${on.leadsTo}`,
  };
}

/**
 * Two spellings of one name, in different case, can't be given two things: where case does not count they are one, and
 * whether the kernel's rules ever tell them apart is not documented. What masks name is spelled as it is on the disk where
 * the volume tells them apart; elsewhere any spelling will do.
 */
function refusedSpelling({ files, masks }: Profile, facts: Facts): Refusal | null {
  const spellings = new Map<string, AbsolutePath>();
  const starts = masks
    .map(({ pattern }) => pattern.literal ?? literalPrefix(pattern))
    .filter((path) => !foldsCaseAt(facts, path));
  for (const at of [...files.map(({ path }) => path), ...starts].flatMap((path) => [...upwards(path)])) {
    const known = spellings.get(foldedPath(at));
    if (known !== undefined && known !== at) {
      const reason = `${known} and ${at} differ in case alone, which rules may not tell apart`;
      return { field: "files", reason, remedy: "write one of them, as it is spelled on the disk" };
    }
    spellings.set(foldedPath(at), at);
  }
  return null;
}
