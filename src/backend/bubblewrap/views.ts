import { type AbsolutePath, isInside, joinPath, knownPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import { type GrantedDevices, grantedDevices } from "../granted-devices.ts";
import { inFilesystem } from "../host-mounts.ts";
import type { ExpectedMount } from "../plan.ts";
import { scratchBytes, sharedMemoryBytes } from "../scratch.ts";
import { HOME } from "./identity.ts";

const RUN_BYTES = 1024 ** 2;

/** The one part of `/sys` that programs read to count processors. */
const CPU = knownPath("/sys/devices/system/cpu");

/** The device nodes of a sandbox: those that bwrap's `--dev` binds from the host (bubblewrap.c, `SETUP_MOUNT_DEV`). */
export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
/** The name of a device node. */
export type DeviceName = (typeof DEVICES)[number];

/** What bwrap may cover with read-only binds of the new `/proc` itself. */
const PROC_COVERS = ["sys", "sysrq-trigger", "irq", "bus"] as const;

/** Options that make the private places, the ones that seal them at the very end, and what must be seen of both. */
export interface Views {
  readonly open: readonly string[];
  readonly seal: readonly string[];
  readonly mounts: readonly ExpectedMount[];
}

/**
 * The places that are made for the call: `/dev`, `/dev/shm`, `/proc`, `/tmp` (with `/var/tmp` and HOME on it), `/run`,
 * and of `/sys` the processor list; with them the devices that the profile grants. They come before every bind of a root, so that a root below one is mounted into it.
 */
export function views(profile: Profile, facts: Facts): Views {
  const cpu = nodeAt(facts, CPU).kind === "folder" ? ["--ro-bind", CPU, CPU] : [];
  const varLinks = (["/var/tmp", "/var/run"] as const).filter(
    (path) => !profile.files.some((entry) => isInside(entry.path, knownPath(path))),
  );
  const granted = grantedDevices(profile, facts);
  return {
    open: [
      ...[
        "--dev",
        "/dev",
        ...madeDevices(facts),
        ...granted.nodes.flatMap(({ source, path }) => ["--dev-bind", source, path]),
        ...sized(facts, sharedMemoryBytes(profile.limits)),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
      ],
      ...["--proc", "/proc"],
      ...[...sized(facts, scratchBytes(profile.limits)), "--perms", "1777", "--tmpfs", "/tmp"],
      ...[...sized(facts, RUN_BYTES), "--perms", "0755", "--tmpfs", "/run"],
      ...varLinks.flatMap((path) => ["--symlink", path === "/var/tmp" ? "../tmp" : "../run", path]),
      ...["--perms", "0700", "--dir", HOME],
      ...cpu,
      ...granted.folders.flatMap((path) => ["--ro-bind", path, path]),
      ...granted.links.flatMap(({ target, path }) => ["--symlink", target, path]),
    ],
    seal: ["--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"],
    mounts: [...expectedViews(facts, cpu.length > 0), ...grantedMounts(granted, facts)],
  };
}

/**
 * Nodes that were made for sandboxes cover the host's, whose modes and times their owner could change for everybody. A
 * read-only bind of them can't be had: bwrap makes it `nodev` as well.
 */
function madeDevices({ devices }: Facts): readonly string[] {
  if (devices.kind !== "made") return [];
  return DEVICES.flatMap((name) => ["--dev-bind", joinPath(devices.folder, name), `/dev/${name}`]);
}

/** `--size` came with bubblewrap 0.7; without it the receipt says that scratch space is not bounded. */
function sized(facts: Facts, bytes: number): readonly string[] {
  return facts.launcher.options.has("size") ? ["--size", String(Math.max(4096, bytes))] : [];
}

function expectedViews(facts: Facts, hasCpu: boolean): readonly ExpectedMount[] {
  const made = (point: string, type: string, readOnly: boolean, optional = false): ExpectedMount => ({
    point: knownPath(point),
    readOnly,
    type,
    source: null,
    optional,
    hides: false,
  });
  const device = (name: DeviceName): ExpectedMount => {
    const point = knownPath(`/dev/${name}`);
    const shown = facts.devices.kind === "made" ? joinPath(facts.devices.folder, name) : point;
    return {
      point,
      readOnly: false,
      type: null,
      source: inFilesystem(facts.mounts, shown),
      optional: false,
      hides: false,
    };
  };
  return [
    made("/", "tmpfs", true),
    made("/dev", "tmpfs", true),
    ...DEVICES.map(device),
    made("/dev/pts", "devpts", false),
    made("/dev/shm", "tmpfs", false),
    made("/proc", "proc", true),
    ...PROC_COVERS.map((name) => made(`/proc/${name}`, "proc", true, true)),
    made("/tmp", "tmpfs", false),
    made("/run", "tmpfs", false),
    ...(hasCpu ? [{ ...made(CPU, "", true), type: null, source: inFilesystem(facts.mounts, CPU) }] : []),
  ];
}

/** What must be seen of the devices that the profile grants. */
function grantedMounts(
  { nodes, folders }: GrantedDevices,
  { mounts }: Pick<Facts, "mounts">,
): readonly ExpectedMount[] {
  const shown = (point: AbsolutePath, from: AbsolutePath, readOnly: boolean): ExpectedMount => ({
    point,
    readOnly,
    type: null,
    source: inFilesystem(mounts, from),
    optional: false,
    hides: false,
  });
  return [
    ...nodes.map(({ path, source }) => shown(path, source, false)),
    ...folders.map((path) => shown(path, path, true)),
  ];
}

/** Places that no root may be or contain, because the sandbox makes them anew. */
export const VIEW_PATHS: readonly AbsolutePath[] = [
  "/tmp",
  "/var/tmp",
  "/var/run",
  "/run",
  "/dev",
  "/dev/shm",
  "/proc",
  "/sys",
].map(knownPath);

/** True when the path is a private place or holds one: it can't be shown as the host has it. */
export function isOrHoldsView(path: AbsolutePath): boolean {
  return VIEW_PATHS.some((view) => isInside(view, path));
}
