import type { Expected } from "../tool/files/protocol.ts";
import { Fault } from "./faults.ts";
import type { OpenFolder } from "./grants.ts";
import { statOf } from "./names.ts";
import { versionOf } from "./node.ts";
import type { Node } from "./walk.ts";

/** Throws `CHANGED` when what was found is not what the change was decided for. */
export function demandExpected(expected: Expected, node: Node | null, path: string): void {
  const version = node === null ? null : versionOf(node.stat);
  if (version !== wantedVersion(expected)) throw changed(path);
}

/** As `demandExpected`, of what stands at the name now: right before it is changed. */
export function demandStill(expected: Expected, folder: OpenFolder, name: string, path: string): void {
  const stat = statOf(folder.descriptor, name);
  if ((stat === null ? null : versionOf(stat)) !== wantedVersion(expected)) throw changed(path);
}

/** What stands there is not what was looked at. */
export function changed(path: string): Fault {
  return new Fault("CHANGED", path, "it is not what was looked at");
}

function wantedVersion(expected: Expected): string | null {
  return expected.kind === "missing" ? null : expected.version;
}
