import type { Access } from "../profile/access.ts";
import { isAtMost } from "../profile/access.ts";
import { type Kind, type PathRuler, pathRuler } from "../profile/access-to.ts";
import { type AbsolutePath, namesOf, parentOf, ROOT, upwards } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Descriptor } from "./descriptor.ts";
import { Fault } from "./faults.ts";
import { type Ground, ground } from "./ground.ts";

/** A folder and the path it was reached at. */
export interface OpenFolder {
  readonly descriptor: Descriptor;
  readonly path: AbsolutePath;
}

/**
 * What the profile grants, and the folders it grants, held open. File tools are held tighter than processes: a glob
 * mask also covers what is only born during the call.
 */
export class Grants {
  readonly root: OpenFolder;
  readonly #rule: PathRuler;
  readonly #open = new Map<AbsolutePath, Descriptor>();

  constructor(profile: Profile, { root, foldsCase }: Ground = ground()) {
    this.root = { descriptor: root, path: ROOT };
    this.#rule = pathRuler(foldsCase ? withoutCase(profile) : profile);
    for (const { path, access } of profile.files) {
      const folder = access === "none" || this.#open.size >= MOST_HELD ? null : openExactly(this.root, path);
      if (folder !== null) this.#open.set(path, folder);
    }
  }

  /** The deepest folder held open that the path lies in; `/` when there is none. */
  nearest(path: AbsolutePath): OpenFolder {
    for (const at of upwards(path)) {
      const descriptor = this.#open.get(at);
      if (descriptor !== undefined) return { descriptor, path: at };
    }
    return this.root;
  }

  access(path: AbsolutePath, kind: Kind): Access {
    return this.#rule(path, { kind, bornInside: false }).access;
  }

  canRead(path: AbsolutePath, kind: Kind): boolean {
    return this.access(path, kind) !== "none";
  }

  /** True when that something is there or not may be told: it can be read, or the folder that holds it can be listed. */
  canTell(path: AbsolutePath, kind: Kind): boolean {
    return this.canRead(path, kind) || this.canRead(parentOf(path), "folder");
  }

  /** Throws `DENIED` when the path is given less. */
  demand(need: "read" | "write", path: AbsolutePath, kind: Kind): void {
    if (!isAtMost(need, this.access(path, kind)))
      throw new Fault(
        "DENIED",
        path,
        `the profile does not let it be ${need === "read" ? "read" : "written"}`,
        need,
      );
  }

  /** What making, replacing or removing a name demands: write on it and on the folder that holds it. */
  demandName(path: AbsolutePath, kind: Kind): void {
    this.demand("write", path, kind);
    this.demand("write", parentOf(path), "folder");
  }
}

/** Masks cover each other spelling too: by it something may come to be that has the masked name already. */
function withoutCase(profile: Profile): Profile {
  return { ...profile, masks: profile.masks.map((mask) => ({ ...mask, ignoreCase: true })) };
}

/** More granted folders than this are reached from `/` or the one above: descriptors are few. */
const MOST_HELD = 32;

/** The folder at exactly that path, without a link on the way; null when there is none. */
function openExactly(root: OpenFolder, path: AbsolutePath): Descriptor | null {
  let at: Descriptor | null = null;
  try {
    for (const name of namesOf(path)) {
      const next: Descriptor = (at ?? root.descriptor).folder(name);
      at?.[Symbol.dispose]();
      at = next;
    }
    return at;
  } catch {
    at?.[Symbol.dispose]();
    // It may come to be later; until then the walk begins further up.
    return null;
  }
}
