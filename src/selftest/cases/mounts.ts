import { type Case, on, own, type Target } from "../case.ts";
import { syscall } from "../syscall.ts";

/** Flags of mount(2). */
const MS_REMOUNT = 32;
const MS_BIND = 4096;

/** Mounts can't be made, changed or taken away. */
export function ofMounts({ ws }: Target): readonly Case[] {
  const mount = (folder: string): string =>
    `mkdir -p ${folder}; ${syscall("mount", "none", folder, "tmpfs", 0, 0)}`;
  const remount = (path: string, flags: number): string =>
    syscall("mount", "none", path, "", MS_REMOUNT | flags, 0);
  return on("linux", [
    {
      claim: "priv",
      title: "a file system cannot be mounted",
      attack: mount(`${ws}/m1`),
      twin: own(mount(`${ws}/m2`)),
    },
    {
      claim: "priv",
      title: "the base cannot be remounted",
      attack: remount("/", 0),
      twin: own(`${mount(`${ws}/m3`)}; ${remount(`${ws}/m3`, 0)}`),
    },
    {
      claim: "priv",
      title: "a read-only bind cannot be remounted",
      attack: remount("/usr", MS_BIND),
      twin: own(`${mount(`${ws}/m4`)}; ${remount(`${ws}/m4`, MS_BIND)}`),
    },
    {
      claim: "priv",
      title: "/proc cannot be remounted",
      attack: remount("/proc", 0),
      twin: own(`${mount(`${ws}/m5`)}; ${remount(`${ws}/m5`, 0)}`),
    },
    {
      claim: "priv",
      title: "a mount cannot be taken away",
      attack: syscall("umount2", "/usr", 2),
      twin: own(`${mount(`${ws}/m6`)}; ${syscall("umount2", `${ws}/m6`, 2)}`),
    },
  ]);
}
