import { type AbsolutePath, isInside, joinPath, knownPath } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { type Facts, nodeAt } from "../facts.ts";
import { type GrantedDevices, grantedDevices } from "../granted-devices.ts";
import { inFilesystem } from "../host-mounts.ts";
import type { ExpectedMount } from "../plan.ts";
import { scratchBytes, sharedMemoryBytes } from "../scratch.ts";
import { HOME } from "./identity.ts";

const RUN_BYTES = 1024 ** 2;

/** The only part of `/sys` that programs read to count processors. */
const CPU = knownPath("/sys/devices/system/cpu");

/** The device nodes of a sandbox: those that bwrap's `--dev` binds from the host (bubblewrap.c, `SETUP_MOUNT_DEV`). */
export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"] as const;
/** The name of a device node. */
export type DeviceName = (typeof DEVICES)[number];

/** Parts of the new `/proc` that bwrap itself may cover with read-only binds. */
const PROC_COVERS = ["sys", "sysrq-trigger", "irq", "bus"] as const;

/** Options that make the private places, options that seal them at the end, and the expected mounts of both. */
export interface Views {
  readonly open: readonly string[];
  readonly seal: readonly string[];
  readonly mounts: readonly ExpectedMount[];
}

/** The private places and the granted devices. They precede every bind, so that a root below one is mounted into it. */
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

/** Nodes over the host's, whose modes and times their owner could change. A read-only bind would be `nodev`. */
function madeDevices({ devices }: Facts): readonly string[] {
  if (devices.kind !== "made") return [];
  return DEVICES.flatMap((name) => ["--dev-bind", joinPath(devices.folder, name), `/dev/${name}`]);
}

/** `--size` came with bubblewrap 0.7; without it the receipt says that scratch space is unbounded. */
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

/** Places that no root may be or contain, because the sandbox rebuilds them. */
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

/** True if the path is a private place or holds one: it cannot be shown as the host has it. */
export function isOrHoldsView(path: AbsolutePath): boolean {
  return VIEW_PATHS.some((view) => isInside(view, path));
}
