import { type GitObject, type TreeEntry, targetOfTag, treeEntries, treeOfCommit } from "./object.ts";
import type { ObjectStore } from "./store.ts";

/** Tags may stand for tags. */
const MAX_TAGS = 10;

/** The names in a folder of a commit, one character for each byte. */
type Folder = ReadonlyMap<string, TreeEntry>;

/** Looks up what commits of one repository hold. */
export class CommittedTrees {
  readonly #objects: ObjectStore;
  readonly #folders = new Map<string, Promise<Folder | null>>();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** What a commit, or that which a tag stands for, has at the end of these names; null where it has nothing there. */
  async entryAt(commit: string, names: readonly string[]): Promise<TreeEntry | null> {
    let oid = await this.#rootOf(commit);
    for (const [depth, name] of names.entries()) {
      const entry: TreeEntry | null = oid === null ? null : ((await this.folder(oid))?.get(name) ?? null);
      if (entry === null || depth === names.length - 1) return entry;
      oid = entry.kind === "folder" ? entry.oid : null;
    }
    return null;
  }

  /** Null for what is no tree. */
  folder(oid: string): Promise<Folder | null> {
    const known = this.#folders.get(oid);
    if (known !== undefined) return known;
    const found = this.#objects.read(oid).then((object) => folderOf(object, oid));
    this.#folders.set(oid, found);
    return found;
  }

  async #rootOf(commit: string): Promise<string | null> {
    let object = await this.#objects.read(commit);
    for (let tags = 0; object?.type === "tag" && tags < MAX_TAGS; tags += 1)
      object = await this.#objects.read(targetOfTag(object) ?? "");
    return object === null ? null : treeOfCommit(object);
  }
}

function folderOf(object: GitObject | null, oid: string): Folder | null {
  const entries = object === null ? null : treeEntries(object, oid.length / 2);
  return entries === null ? null : new Map(entries.map((entry) => [entry.name, entry]));
}
