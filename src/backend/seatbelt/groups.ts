import { type MacosGroup, printMacosGroup } from "../../profile/macos.ts";
import { knownPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { NOT_TYPING, named, nodes, READ, within, words } from "./base.ts";
import { allOf, type Filter, type SbplRule, type Section, type Some } from "./sbpl.ts";

/** The addition of a group: the reason, in a line of the profile's text, and the rules. */
type Group = (profile: Profile) => readonly SbplRule[];

const PTMX = knownPath("/dev/ptmx");
/** A terminal belongs to a process by an extension that the kernel gives the opener of its other end. */
const OWN_TERMINALS: Some<Filter> = [
  { kind: "regex", text: "^/dev/ttys[0-9]+$" },
  { kind: "extension", text: "com.apple.sandbox.pty" },
];

const GROUPS: Readonly<Record<MacosGroup, Group>> = {
  java: () => named(["sysctl-write"], words("sysctl-name", ["kern.grade_cputype"])),
  listen: () => [
    {
      action: "allow",
      operations: ["network-bind", "network-inbound"],
      filter: { kind: "local", protocol: "ip", end: "localhost:*" },
    },
  ],
  openmp: () =>
    named(
      [
        "ipc-posix-shm-read-data",
        "ipc-posix-shm-read-metadata",
        "ipc-posix-shm-write-create",
        "ipc-posix-shm-write-data",
        "ipc-posix-shm-write-unlink",
      ],
      words("ipc-posix-name-regex", ["^/__KMP_REGISTERED_LIB_[0-9]+$"]),
    ),
  prefs: () => [
    ...named(
      ["mach-lookup"],
      words("global-name", ["com.apple.cfprefsd.agent", "com.apple.cfprefsd.daemon"]),
    ),
    ...named(
      ["ipc-posix-shm-read-data", "ipc-posix-shm-read-metadata"],
      words("ipc-posix-name-regex", ["^apple[.]cfprefs[.][^/]+$"]),
    ),
    { action: "allow", operations: ["user-preference-read"], filter: null },
  ],
  processes: () => [
    ...named(["mach-lookup"], words("global-name", ["com.apple.sysmond"])),
    ...named(
      ["sysctl-read"],
      [
        ...words("sysctl-name", ["kern.proc.all"]),
        ...words("sysctl-name-prefix", ["kern.proc.pgrp.", "kern.proc.pid."]),
      ],
    ),
  ],
  pty: ({ masks }) => {
    const devices = [PTMX, knownPath("/dev/ttys000")];
    if (within(masks)("write", devices).length < devices.length) return [];
    return [
      { action: "allow", operations: ["pseudo-tty"], filter: null },
      ...nodes([...READ, "file-write-data"], [PTMX]),
      ...nodes(["file-ioctl"], [PTMX], NOT_TYPING),
      { action: "allow", operations: [...READ, "file-write-data"], filter: allOf(OWN_TERMINALS) },
      { action: "allow", operations: ["file-ioctl"], filter: allOf([...OWN_TERMINALS, NOT_TYPING]) },
    ];
  },
  python: () => [{ action: "allow", operations: ["ipc-posix-sem*"], filter: null }],
  tls: () =>
    named(
      ["mach-lookup"],
      words("global-name", ["com.apple.ocspd", "com.apple.trustd", "com.apple.trustd.agent"]),
    ),
  watch: () => named(["mach-lookup"], words("global-name", ["com.apple.FSEvents"])),
};

export function groupSections(profile: Profile): readonly Section[] {
  return profile.macos.map((group) => ({
    about: [`${group}: ${printMacosGroup(group)}.`],
    rules: GROUPS[group](profile),
  }));
}
