import { readOnlyLayer } from "../backend/read-only-parts.ts";
import type { Host } from "../host/look/host.ts";
import type { InstalledPart } from "../host/look/installation/part.ts";
import { readOnlyAt } from "../host/look/installation/read-only-at.ts";
import { asSeenIn, type Installation } from "../host/look/installation.ts";
import { MountTableParser } from "../host/look/mount-table.ts";
import type { Layer } from "../profile/explain.ts";
import { isInside } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";

/** The product's installation, with its copies in writable roots, and with its other paths there, by mounts. */
export function installationFor(host: Host, roots: readonly Root[]): Installation {
  const writable = roots.filter(({ mode }) => mode === "rw").map(({ path }) => path);
  return asSeenIn(host.installation(), writable, new MountTableParser().now());
}

/** The parts of an installation inside a root that tools may write, each with the root. */
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
 * The layer of the ceiling that protects the installation: its parts are read-only, and missing ones can't be created;
 * so are commands of relative entries of PATH. Caches of build tools in `node_modules` are writable, except one with
 * loaded code: a file that an option of Node names, or a copy of the product. Null if no root holds any of this.
 */
export function installationLayer(
  installation: Pick<Installation, "parts" | "places" | "commands">,
  roots: readonly Root[],
): Layer | null {
  const held = partsInRoots(installation, roots).map(({ part }) => part);
  const commands = roots.some(({ mode }) => mode === "rw") ? installation.commands : [];
  if (held.length === 0 && commands.length === 0) return null;
  return readOnlyLayer([
    ...held.map((part) => ({ ...part, ...readOnlyAt(part.path, installation.places) })),
    ...commands.map((pattern) => ({ ...COMMAND, kind: "pattern" as const, pattern })),
  ]);
}

const COMMAND = {
  what: "a command that a relative folder in PATH finds as cofferdam",
  wayOut: "write absolute folders in PATH",
};
