import { type AbsolutePath, foldedPath, isInside, knownPath, upwards } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import { indexEntries, nearestEntry, type Profile } from "../../profile/profile.ts";
import { listedSockets } from "../../profile/sockets.ts";
import type { ProgramStart } from "../../tool/launch.ts";
import type { Facts, MacFacts } from "../facts.ts";
import type { NotEnforceable } from "../plan.ts";
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

/** The reason why no rules can enforce the profile on this Mac; null if there is none. */
export function refusedProfile(
  profile: Profile,
  launch: Pick<ProgramStart, "asksForHosts">,
  facts: Facts,
  mac: MacFacts,
): NotEnforceable | null {
  return (
    refusedTerminal(profile) ??
    refusedDevices(profile) ??
    refusedNetwork(profile, launch, mac) ??
    portsRefusal(profile) ??
    refusedEntry(profile, facts, mac.calls)
  );
}

/** The refusal of every profile on another system. */
export const NO_MAC: NotEnforceable = {
  field: "platform",
  reason: "this sandbox works only on macOS",
  remedy: "use the backend of this platform",
};

function refusedTerminal({ terminal }: Profile): NotEnforceable | null {
  if (!terminal) return null;
  return {
    field: "terminal",
    reason: "this sandbox can't provide a terminal",
    remedy: "use no terminal: `shell.terminal: false`, `--no-terminal`",
  };
}

/** macOS has no such nodes: its graphics cards and serial ports use other ways, untested with these rules. */
function refusedDevices({ devices }: Profile): NotEnforceable | null {
  if (devices.length === 0) return null;
  return {
    field: "devices",
    reason: `\`${devices.join("`, `")}\` can't be granted on macOS, only on Linux`,
    remedy: "remove `sandbox.devices`, or on this Mac add an operator profile with `devices: []`",
  };
}

function refusedNetwork(
  profile: Profile,
  launch: Pick<ProgramStart, "asksForHosts">,
  { proxyPort }: MacFacts,
): NotEnforceable | null {
  if (!isProxied(profile, launch) || proxyPort !== null) return null;
  return {
    field: "network",
    reason: "hosts need the egress proxy: the kernel's rules support only the host `localhost`",
    remedy: "use `network: false` or `network: host`",
  };
}

/** A granted path must be the kernel's name for it, no shared place, and one folder by one spelling alone. */
function refusedEntry(profile: Profile, facts: Facts, calls: AbsolutePath): NotEnforceable | null {
  const { files, sockets } = profile;
  const nearest = nearestEntry(indexEntries(files), calls);
  if (nearest.access !== "none") {
    const reason = `${nearest.path} contains ${calls}, the private folders of calls`;
    return { field: "files", reason, remedy: "grant only the folders in it that are needed" };
  }
  for (const { path, access } of files) {
    const refusal = refusedLink(path, facts, "files");
    if (refusal !== null) return refusal;
    if (
      access !== "none" &&
      SHARED_PLACES.some((place) => isInside(place, path) || (place === "/dev" && isInside(path, place)))
    ) {
      const reason = `${path} is or contains a folder that all programs share`;
      return { field: "files", reason, remedy: "grant only the folders below it that are needed" };
    }
  }
  const links = listedSockets(sockets).map((path) => refusedLink(path, facts, "sockets"));
  return links.find((one) => one !== null) ?? refusedSpelling(profile, facts);
}

function refusedLink(path: AbsolutePath, facts: Facts, field: string): NotEnforceable | null {
  const on = linkOn(facts, path);
  if (on === null) return null;
  return {
    field,
    reason: `${path} goes through the symlink ${on.link}, so no rule would match`,
    remedy: on.leadsTo === null ? `create the target of ${on.link}` : `write ${on.leadsTo}`,
  };
}

/**
 * Two spellings of one name that differ in case cannot get different access. Where case does not count they are the
 * same, and whether the kernel's rules ever tell them apart is not documented. Names of masks are spelled as on the
 * disk where the volume tells them apart; elsewhere any spelling will do.
 */
function refusedSpelling({ files, masks }: Profile, facts: Facts): NotEnforceable | null {
  const spellings = new Map<string, AbsolutePath>();
  const starts = masks
    .map(({ pattern }) => pattern.literal ?? literalPrefix(pattern))
    .filter((path) => !foldsCaseAt(facts, path));
  for (const at of [...files.map(({ path }) => path), ...starts].flatMap((path) => [...upwards(path)])) {
    const known = spellings.get(foldedPath(at));
    if (known !== undefined && known !== at) {
      const reason = `${known} and ${at} differ only in case, which rules may not distinguish`;
      return { field: "files", reason, remedy: "write only one of them, with the spelling on the disk" };
    }
    spellings.set(foldedPath(at), at);
  }
  return null;
}
