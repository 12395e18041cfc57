import { constants } from "node:fs";
import { type AbsolutePath, joinPath } from "../../../../profile/path.ts";
import { orNull } from "../../../or-null.ts";
import { firstNamesIn } from "../../names-in.ts";
import { systemPath } from "../../nodes.ts";
import { openPlainFile } from "../../plain-file.ts";
import type { UnpackBudget } from "./budget.ts";
import { type GitObject, MAX_OBJECT_BYTES, oidOf } from "./object.ts";
import { MAX_CHAIN, Pack } from "./pack.ts";

/** Maximum of objects read for one question. */
const MAX_OBJECTS = 20_000;
/** Maximum of packs looked into: git itself joins more than 50 (git-gc(1), `gc.autoPackLimit`). */
const MAX_PACKS = 60;
/** Each pack has some files of the same name beside it. */
const MAX_NAMES = 1_000;

/** Reads one repository's objects, without alternates. One with a wrong hash counts as missing: none can be forged. */
export class ObjectStore implements Disposable {
  readonly #folder: AbsolutePath;
  readonly #budget: UnpackBudget;
  readonly #packs = new Map<number, readonly Pack[]>();
  readonly #known = new Map<string, Promise<GitObject | null>>();

  /** `folder` is the repository's `objects`. */
  constructor(folder: AbsolutePath, budget: UnpackBudget) {
    this.#folder = folder;
    this.#budget = budget;
  }

  /** Null if it is missing, damaged, too large or unreadable. */
  read(oid: string): Promise<GitObject | null> {
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid)) return Promise.resolve(null);
    const known = this.#known.get(oid);
    if (known !== undefined) return known;
    const found = this.#known.size < MAX_OBJECTS ? this.#read(oid, []) : Promise.resolve(null);
    this.#known.set(oid, found);
    return found;
  }

  [Symbol.dispose](): void {
    for (const pack of [...this.#packs.values()].flat()) pack[Symbol.dispose]();
  }

  /** `above`: the objects that need it. A delta based on itself is invalid. */
  async #read(oid: string, above: readonly string[]): Promise<GitObject | null> {
    if (above.includes(oid) || above.length > MAX_CHAIN) return null;
    try {
      const found = (await this.#loose(oid)) ?? (await this.#packed(oid, [...above, oid]));
      return found !== null && oidOf(found, oid) === oid ? found : null;
    } catch {
      // Any unreadable object counts as missing.
      return null;
    }
  }

  /** `<type> <size>\0<content>`, compressed (gitformat-loose(5)). */
  async #loose(oid: string): Promise<GitObject | null> {
    const bytes = readSmall(joinPath(joinPath(this.#folder, oid.slice(0, 2)), oid.slice(2)));
    if (bytes === null) return null;
    const whole = await this.#budget.inflate(bytes, MAX_OBJECT_BYTES);
    const end = whole.indexOf(0);
    const type = /^(commit|tree|blob|tag) \d+$/.exec(whole.toString("latin1", 0, end))?.[1];
    const body = whole.subarray(end + 1);
    return type === "commit" || type === "tree" || type === "blob" || type === "tag" ? { type, body } : null;
  }

  async #packed(oid: string, above: readonly string[]): Promise<GitObject | null> {
    for (const pack of this.#packsFor(oid.length / 2)) {
      const found = await pack.read(oid, (other) => this.#read(other, above));
      if (found !== null) return found;
    }
    return null;
  }

  #packsFor(oidBytes: number): readonly Pack[] {
    const known = this.#packs.get(oidBytes);
    if (known !== undefined) return known;
    const folder = joinPath(this.#folder, "pack");
    const names = namesOf(folder).filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name));
    const packs = names.slice(0, MAX_PACKS).flatMap((name): Pack | readonly [] => {
      try {
        const pack = joinPath(folder, name.replace(/idx$/, "pack"));
        return Pack.open(systemPath(joinPath(folder, name)), systemPath(pack), oidBytes, this.#budget);
      } catch {
        return [];
      }
    });
    this.#packs.set(oidBytes, packs);
    return packs;
  }
}

function namesOf(folder: AbsolutePath): readonly string[] {
  return orNull(() => firstNamesIn(systemPath(folder), MAX_NAMES)) ?? [];
}

/** The bytes of a plain file that is not too large; null for anything else. */
function readSmall(path: AbsolutePath): Uint8Array | null {
  try {
    using file = openPlainFile(systemPath(path), constants.O_NOFOLLOW);
    return file === null || file.stats.size > MAX_OBJECT_BYTES ? null : file.read();
  } catch {
    return null;
  }
}
