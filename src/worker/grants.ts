import type { Access } from "../profile/access.ts";
import { isAtMost } from "../profile/access.ts";
import { type Kind, type PathRuler, pathRuler } from "../profile/access-to.ts";
import { type AbsolutePath, namesOf, parentOf, ROOT, upwards } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Descriptor } from "./descriptor.ts";
import { WorkerFault } from "./faults.ts";
import { type FileSystemAccess, ground } from "./ground.ts";

/** A folder and the path at which it was reached. */
export interface GrantedFolder {
  readonly descriptor: Descriptor;
  readonly path: AbsolutePath;
}

/**
 * A profile's grants, with its granted folders held open. File tools are stricter than processes: a glob mask also
 * covers files that are created during the call.
 */
export class GrantedFolders {
  readonly root: GrantedFolder;
  readonly #rule: PathRuler;
  readonly #open = new Map<AbsolutePath, Descriptor>();

  constructor(profile: Profile, { root, foldsCase }: FileSystemAccess = ground()) {
    this.root = { descriptor: root, path: ROOT };
    this.#rule = pathRuler(foldsCase ? withoutCase(profile) : profile);
    for (const { path, access } of profile.files) {
      const folder = access === "none" || this.#open.size >= MAX_HELD ? null : openExactly(this.root, path);
      if (folder !== null) this.#open.set(path, folder);
    }
  }

  /** The deepest open folder that holds the path; `/` if there is none. */
  nearest(path: AbsolutePath): GrantedFolder {
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

  /** True if the existence of a path may be reported: it can be read, or its folder can be listed. */
  canTell(path: AbsolutePath, kind: Kind): boolean {
    return this.canRead(path, kind) || this.canRead(parentOf(path), "folder");
  }

  /** Throws `DENIED` if the path's access is less. */
  demand(need: "read" | "write", path: AbsolutePath, kind: Kind): void {
    if (!isAtMost(need, this.access(path, kind)))
      throw new WorkerFault(
        "DENIED",
        path,
        `the profile does not allow ${need === "read" ? "reading" : "writing"} it`,
        need,
      );
  }

  /** Demands the access to create, replace or remove a name: write on it and on its folder. */
  demandName(path: AbsolutePath, kind: Kind): void {
    this.demand("write", path, kind);
    this.demand("write", parentOf(path), "folder");
  }
}

/** Masks cover other spellings too: a new file may have the masked name already in another spelling. */
function withoutCase(profile: Profile): Profile {
  return { ...profile, masks: profile.masks.map((mask) => ({ ...mask, ignoreCase: true })) };
}

/** Maximum of granted folders held open: descriptors are few. Others are reached from `/` or the one above. */
const MAX_HELD = 32;

/** The folder at exactly that path, without a link on the way; null if there is none. */
function openExactly(root: GrantedFolder, path: AbsolutePath): Descriptor | null {
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
    // It may be created later; until then the walk begins further up.
    return null;
  }
}
