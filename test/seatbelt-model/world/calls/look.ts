import { fails } from "../errno.ts";
import type { Syscall } from "../syscall.ts";
import { folderOf, hasRight, type Inode, pathOf } from "../world.ts";
import { about, asks, existing, ofWorkingFolder, type Plan, type Scene, wayTo } from "./plan.ts";

/** What a file is, without its bytes; of a link itself with `lstat`. */
export function planStat(scene: Scene, call: "stat" | "lstat", path: string): Plan {
  const place = existing(scene, path, { follows: call === "stat" });
  if (place.kind === "fails") return place;
  const { node } = place;
  return asks([...wayTo(scene, place), about("file-read-metadata", place)], () => ({
    is: "stat",
    id: node.id,
    mode: node.mode,
    sizeBytes: sizeOf(node),
  }));
}

/** A link's target: the kernel asks what it asks when it passes through the link. */
export function planReadlink(scene: Scene, path: string): Plan {
  const place = existing(scene, path, { follows: false });
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode !== "SYMLINK") return fails("EINVAL");
  return asks([...wayTo(scene, place), about("file-read-metadata", place)], () => ({
    is: "text",
    text: node.target,
  }));
}

/** The names in a folder. */
export function planReaddir(scene: Scene, path: string): Plan {
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode !== "DIRECTORY") return fails("ENOTDIR");
  if (!hasRight(scene.world, node, "read")) return fails("EACCES");
  return asks([...wayTo(scene, place), about("file-read-data", place)], () => ({
    is: "names",
    names: Array.from(node.entries.values(), ({ name }) => name),
  }));
}

/** Whether a file could be read or written. */
export function planAccess(scene: Scene, call: Extract<Syscall, { call: "access" }>): Plan {
  const place = existing(scene, call.path);
  if (place.kind === "fails") return place;
  if (call.rights.some((right) => !hasRight(scene.world, place.node, right))) return fails("EACCES");
  const rights = scene.kernel.accessChecksRights ? call.rights : [];
  return asks(
    [
      ...wayTo(scene, place),
      about("file-read-metadata", place),
      ...rights.map((right) => about(`file-${right}-data`, place)),
    ],
    () => undefined,
  );
}

/** Another working folder. */
export function planChdir(scene: Scene, path: string): Plan {
  const { world, kernel } = scene;
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  if (place.node.vnode !== "DIRECTORY") return fails("ENOTDIR");
  if (!hasRight(world, place.node, "search")) return fails("EACCES");
  const metadata = kernel.chdirChecksMetadata ? [about("file-read-metadata", place)] : [];
  return asks([...wayTo(scene, place), ...metadata], () => {
    world.cwd = place.node.id;
    return undefined;
  });
}

/** The working folder's path of now. */
export function planGetcwd(scene: Scene): Plan {
  const folder = folderOf(scene.world, scene.world.cwd);
  if (folder.nlink === 0) return fails("ENOENT");
  return asks(ofWorkingFolder(scene), () => ({ is: "text", text: pathOf(scene.world, folder) }));
}

function sizeOf(node: Inode): number {
  switch (node.vnode) {
    case "REGULAR-FILE":
      return Buffer.byteLength(node.bytes);
    case "SYMLINK":
      return Buffer.byteLength(node.target);
    case "DIRECTORY":
      return node.entries.size;
    case "SOCKET":
    case "CHARACTER-DEVICE":
    case "BLOCK-DEVICE":
    case "TTY":
    case "FIFO":
      return 0;
  }
}
