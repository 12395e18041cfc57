import { columns } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import { accessTo } from "../profile/access-to.ts";
import { DEVICE_GROUPS, type Devices } from "../profile/devices.ts";
import { printHostRule } from "../profile/host-rule.ts";
import { printLimits, printNetwork, proxyWords } from "../profile/in-words.ts";
import type { Limits } from "../profile/limits.ts";
import { MACOS_GROUPS, type Macos } from "../profile/macos.ts";
import type { Network } from "../profile/network.ts";
import { isInside } from "../profile/path.ts";
import { printPorts } from "../profile/ports.ts";
import type { FileEntry, Mask, Profile } from "../profile/profile.ts";

/** The origin of a file entry and of a mask, in words; empty if unknown. */
export interface Origins {
  readonly entry: (entry: FileEntry) => string;
  readonly mask: (mask: Mask) => string;
}

/** Origins that are all unknown. */
export const NO_ORIGINS: Origins = { entry: () => "", mask: () => "" };

type Row = readonly string[];

/** A profile for people. Masks without effect are counted. Masks of one origin that differ only by name are one row. */
export function profileLines(profile: Profile, origins: Origins, ink: Ink): readonly string[] {
  const { biting, idle } = sortMasks(profile);
  const rows = [
    ...section("files", fileRows(profile.files, origins)),
    ...section("masks", maskRows(biting, idle, origins)),
    ...section("network", networkRows(profile.network)),
    ...section("sockets", socketRows(profile)),
    ...section("env", [[profile.env.length === 0 ? "none" : profile.env.join(" ").replace(/^\*$/, "any")]]),
    ...section("terminal", [[profile.terminal ? "its own" : "none"]]),
    ...section("syscalls", [[profile.syscalls.join(" ") || "the usual"]]),
    ...section("devices", groupRows(profile.devices, DEVICE_GROUPS)),
    ...section("macos", groupRows(profile.macos, MACOS_GROUPS)),
    ...section("ports", profile.ports.length === 0 ? [] : [[printPorts(profile.ports)]]),
    ...section("limits", limitRows(profile.limits)),
  ];
  return columns(rows, [ink.bold, undefined, undefined, ink.dim]);
}

function section(name: string, rows: readonly Row[]): readonly Row[] {
  return rows.map((row, index) => [index === 0 ? name : "", ...row]);
}

/** Entries with the same origin and access are one row: the shortest path, and the number of the others. */
function fileRows(files: readonly FileEntry[], origins: Origins): readonly Row[] {
  if (files.length === 0) return [["none"]];
  const groups = Map.groupBy(files, (entry) => `${entry.access} ${origins.entry(entry) || entry.path}`);
  return [...groups.values()].flatMap((entries): Row[] => {
    const [first] = entries.toSorted((a, b) => a.path.length - b.path.length);
    return first === undefined
      ? []
      : [
          [
            first.access === "none" ? "hidden" : first.access,
            withMore(printEntry(first), entries.length),
            origins.entry(first),
          ],
        ];
  });
}

function withMore(text: string, count: number): string {
  return count === 1 ? text : `${text} and ${count - 1} more`;
}

function printEntry({ path, suffixes }: FileEntry): string {
  return suffixes === "any" ? path : `${path} (only ${suffixes.join(" ")})`;
}

/** A mask has an effect if an entry gives more access at its path or below; a glob may have one anywhere. */
function sortMasks(profile: Profile): { readonly biting: readonly Mask[]; readonly idle: readonly Mask[] } {
  const free = { ...profile, masks: [] };
  const bites = ({ pattern: { literal } }: Mask): boolean =>
    literal === null ||
    accessTo(free, literal, { kind: "folder", bornInside: false }) !== "none" ||
    profile.files.some((entry) => entry.access !== "none" && isInside(entry.path, literal));
  return { biting: profile.masks.filter(bites), idle: profile.masks.filter((mask) => !bites(mask)) };
}

function maskRows(biting: readonly Mask[], idle: readonly Mask[], origins: Origins): readonly Row[] {
  const groups = Map.groupBy(biting, (mask) => `${mask.atMost} ${origins.mask(mask) || mask.pattern.text}`);
  const rows = [...groups.values()].flatMap((masks): Row[] => {
    const [first] = masks;
    if (first === undefined) return [];
    return [
      [
        first.atMost === "none" ? "hidden" : "read only",
        withMore(first.pattern.text, masks.length),
        origins.mask(first),
      ],
    ];
  });
  const rest: readonly Row[] = idle.length === 0 ? [] : [[`${idle.length} without effect`]];
  return rows.length + rest.length === 0 ? [["none"]] : [...rows, ...rest];
}

function networkRows(network: Network): readonly Row[] {
  if (typeof network === "string") return [[printNetwork(network)]];
  return [
    ...network.hosts.map((rule) => ["allow", printHostRule(rule)]),
    ...network.never.map((rule) => ["never", printHostRule(rule)]),
    ...proxyWords(network.proxies).map((words) => ["proxy", words]),
    ...(network.strictSni === true ? [["strict_sni", "a TLS hello must name the requested host"]] : []),
  ];
}

function socketRows({ sockets }: Profile): readonly Row[] {
  if (sockets === "any") return [["any"]];
  if (sockets === "none") return [["none"]];
  return sockets.length === 0 ? [["none listed"]] : sockets.map((path) => ["connect", path]);
}

/** Without a grant there are no rows, least of all about another system. */
function groupRows(groups: Devices | Macos, all: Devices | Macos): readonly Row[] {
  if (groups.length === 0) return [];
  return [[groups.length === all.length ? "any" : groups.join(" ")]];
}

function limitRows(limits: Limits): readonly Row[] {
  const words = printLimits(limits);
  return [[words.length === 0 ? "none" : words.join(", ")]];
}
