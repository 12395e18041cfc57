import { type Attack, type AttackTarget, on, own, row } from "./attack.ts";
import { syscallOn } from "./syscall.ts";

/** Flags of mount(2). */
const MS_REMOUNT = 32;
const MS_BIND = 4096;

/** Mounts cannot be made, changed or removed. */
export function ofMounts({ ws, arch }: AttackTarget): readonly Attack[] {
  const syscall = syscallOn(arch);
  const mount = (folder: string): string =>
    `mkdir -p ${folder}; ${syscall("mount", "none", folder, "tmpfs", 0, 0)}`;
  const remount = (path: string, flags: number): string =>
    syscall("mount", "none", path, "", MS_REMOUNT | flags, 0);
  return on("linux", [
    row("priv", "a file system cannot be mounted", mount(`${ws}/m1`), own(mount(`${ws}/m2`))),
    row(
      "priv",
      "the base cannot be remounted",
      remount("/", 0),
      own(`${mount(`${ws}/m3`)}; ${remount(`${ws}/m3`, 0)}`),
    ),
    row(
      "priv",
      "a read-only bind cannot be remounted",
      remount("/usr", MS_BIND),
      own(`${mount(`${ws}/m4`)}; ${remount(`${ws}/m4`, MS_BIND)}`),
    ),
    row(
      "priv",
      "/proc cannot be remounted",
      remount("/proc", 0),
      own(`${mount(`${ws}/m5`)}; ${remount(`${ws}/m5`, 0)}`),
    ),
    row(
      "priv",
      "a mount cannot be removed",
      syscall("umount2", "/usr", 2),
      own(`${mount(`${ws}/m6`)}; ${syscall("umount2", `${ws}/m6`, 2)}`),
    ),
  ]);
}
