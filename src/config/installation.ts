import { heldLayer } from "../backend/held.ts";
import type { Host } from "../host/host.ts";
import { heldAt } from "../host/installation/held-at.ts";
import type { InstalledPart } from "../host/installation/part.ts";
import { asSeenIn, type Installation } from "../host/installation.ts";
import { MountTableParser } from "../host/mount-table.ts";
import type { Layer } from "../profile/explain.ts";
import { isInside } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";

/** The product's installation, with the copies of it in roots that tools may write, and as mounts show it there. */
export function installationFor(host: Host, roots: readonly Root[]): Installation {
  const writable = roots.filter(({ mode }) => mode === "rw").map(({ path }) => path);
  return asSeenIn(host.installation(), writable, new MountTableParser().now());
}

/** The parts of an installation that lie in a root that tools may write, each with the root. */
export function partsInRoots(
  { parts }: Pick<Installation, "parts">,
  roots: readonly Root[],
): readonly { readonly part: InstalledPart; readonly root: Root }[] {
  return parts.flatMap((part) => {
    const root = roots.find(
      ({ path, mode }) => mode === "rw" && part.path !== path && isInside(part.path, path),
    );
    return root === undefined ? [] : [{ part, root }];
  });
}

/**
 * A layer of the ceiling in which every part of the installation may only be read, and none that is missing may be made, and commands
 * may only be read that PATH finds in any folder; null where there is nothing of this in a root. Caches of build tools in `node_modules` may be written, but for one in which something lies that
 * is loaded: a file that an option of Node names, or a copy of the product.
 */
export function installationLayer(
  installation: Pick<Installation, "parts" | "places" | "commands">,
  roots: readonly Root[],
): Layer | null {
  const held = partsInRoots(installation, roots).map(({ part }) => part);
  const commands = roots.some(({ mode }) => mode === "rw") ? installation.commands : [];
  if (held.length === 0 && commands.length === 0) return null;
  return heldLayer([
    ...held.map((part) => ({ ...part, ...heldAt(part.path, installation.places) })),
    ...commands.map((pattern) => ({ ...COMMAND, kind: "pattern" as const, pattern })),
  ]);
}

const COMMAND = {
  what: "a command that PATH finds as cofferdam, or before it, in whatever folder a shell stands",
  wayOut: "write absolute folders in PATH",
};
