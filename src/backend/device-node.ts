import type { DeviceGroup } from "../profile/devices.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Link } from "../tool/facts.ts";

/** A device node of this machine that belongs to a group, and what programs look for besides it. */
export interface DeviceNode {
  readonly group: DeviceGroup;
  /** As programs name it: `/dev/dri/renderD128`. */
  readonly path: AbsolutePath;
  /** What is shown there: the machine's own node, or one that was made for sandboxes. */
  readonly source: AbsolutePath;
  /** The sandbox's user owns what is shown, and so could change its mode for everybody. */
  readonly isExposed: boolean;
  /** Other names of it in `/dev`, and the links of `/sys` that lead to what is said of it there. */
  readonly links: readonly Link[];
  /** Which device it is, as `/sys` says: a copy of a few small files. */
  readonly files: readonly SysFile[];
  /** Folders of `/sys` that say what such a device can do. */
  readonly folders: readonly AbsolutePath[];
}

/** A file of `/sys`, as it was when somebody looked. */
export interface SysFile {
  readonly path: AbsolutePath;
  readonly text: string;
}
