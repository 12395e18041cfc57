import type { DeviceGroup } from "../profile/devices.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Link } from "../tool/facts.ts";

/** A device node of this machine that belongs to a group, and related paths that programs look for. */
export interface DeviceNode {
  readonly group: DeviceGroup;
  readonly path: AbsolutePath;
  /** The node shown there: the machine's own, or one made for sandboxes. */
  readonly source: AbsolutePath;
  /** True if the sandbox's user owns the shown node, and so could change its mode for all users. */
  readonly isExposed: boolean;
  /** Other names of it in `/dev`, and the links of `/sys` that lead to its description there. */
  readonly links: readonly Link[];
  readonly files: readonly SysFile[];
  /** Folders of `/sys` that describe the abilities of such a device. */
  readonly folders: readonly AbsolutePath[];
}

/** A file of `/sys`, with its content at look-up. */
export interface SysFile {
  readonly path: AbsolutePath;
  readonly text: string;
}
