import { type GitObject, type GitTreeEntry, targetOfTag, treeEntries, treeOfCommit } from "./object.ts";
import type { ObjectStore } from "./store.ts";

/** Tags may name tags. */
const MAX_TAGS = 10;

/** The names in a folder of a commit, one character for each byte. */
type Folder = ReadonlyMap<string, GitTreeEntry>;

/** Looks up contents of one repository's commits. */
export class CommittedTrees {
  readonly #objects: ObjectStore;
  readonly #folders = new Map<string, Promise<Folder | null>>();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** The entry of a commit, or of a tag's target, at the end of these names; null without one. */
  async entryAt(commit: string, names: readonly string[]): Promise<GitTreeEntry | null> {
    let oid = await this.#rootOf(commit);
    for (const [depth, name] of names.entries()) {
      const entry: GitTreeEntry | null = oid === null ? null : ((await this.folder(oid))?.get(name) ?? null);
      if (entry === null || depth === names.length - 1) return entry;
      oid = entry.kind === "folder" ? entry.oid : null;
    }
    return null;
  }

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
