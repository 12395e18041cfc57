import { CONTROLLERS, type Controller } from "../../../backend/facts.ts";
import { unescaped } from "../../look/mount-table.ts";
import type { CgroupFiles } from "./files.ts";

/** The cgroup of this process in the hierarchy that has a controller, and whether that is one of version 1 or 2. */
export interface OwnCgroup {
  readonly version: 1 | 2;
  readonly folder: string;
  /** Its name in `/proc/<pid>/cgroup`. */
  readonly path: string;
  /** The highest cgroup of its hierarchy that is visible as a folder; no use above it. */
  readonly top: string;
}

/**
 * The cgroup of this process for each controller: from `/proc/self/cgroup` (cgroups(7)) and the mounts of hierarchies.
 * A controller belongs to one hierarchy at a time, of version 2 unless it is bound to one of version 1. Null if the
 * kernel has no such controller, or no mount shows this process its own cgroup.
 */
export function ownCgroups(files: CgroupFiles): Readonly<Record<Controller, OwnCgroup | null>> {
  const lines = (files.read("/proc/self/cgroup") ?? "").trim().split("\n").map(readLine);
  const mounts = (files.read("/proc/self/mountinfo") ?? "").split("\n").flatMap(readMount);
  const find = (name: Controller): OwnCgroup | null => {
    const v1 = lines.find((line) => line.controllers.includes(name));
    const line = v1 ?? lines.find((one) => one.id === "0");
    if (line === undefined) return null;
    const mount = mounts.find((one) =>
      v1 === undefined ? one.type === "cgroup2" : one.type === "cgroup" && one.options.includes(name),
    );
    const below = mount === undefined ? null : within(line.path, mount.root);
    if (mount === undefined || below === null) return null;
    return {
      version: v1 === undefined ? 2 : 1,
      folder: `${mount.point}${below}`,
      path: line.path,
      top: mount.point,
    };
  };
  const [memory, pids] = CONTROLLERS;
  return { memory: find(memory), pids: find(pids) };
}

/** `<id>:<controllers>:<path>`; a path may hold colons. */
function readLine(text: string) {
  const [, id = "", controllers = "", path = ""] = /^(\d+):([^:]*):(.*)$/.exec(text) ?? [];
  return { id, controllers: controllers.split(","), path };
}

function readMount(line: string) {
  const [before = "", after = ""] = line.split(" - ", 2);
  const [type = "", , options = ""] = after.split(" ");
  if (type !== "cgroup" && type !== "cgroup2") return [];
  const [, , , root = "", point = ""] = before.split(" ").map(unescaped);
  return [{ type, root, point, options: options.split(",") }];
}

/** The part of a path after `above`, with its slash; null if it is not below, or outside this process's view. */
function within(path: string, above: string): string | null {
  if (path.split("/").includes("..")) return null;
  if (above === "/") return path === "/" ? "" : path;
  if (path === above) return "";
  return path.startsWith(`${above}/`) ? path.slice(above.length) : null;
}
