import type { Stats } from "node:fs";
import { pathFromBytes } from "../../../profile/path.ts";
import { type Entry, type FileSink, readTree, type TreeSink } from "./tree.ts";

/** The content of a taken item, for people to look at. */
export type HeldContent =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "link"; readonly target: string }
  | {
      readonly kind: "folder";
      readonly entries: readonly HeldEntry[];
      readonly more: number;
    };

/** An entry of a folder, by its path there; `content` is null for a folder, and for content that is not shown. */
export interface HeldEntry {
  readonly name: string;
  readonly content: Exclude<HeldContent, { readonly kind: "folder" }> | null;
}

/** Maximum of bytes of all shown files together, and of names. */
const MAX_BYTES = 1024 ** 2;
const MAX_ENTRIES = 200;

/**
 * The content of an entry, if it matches its digest: people look at exactly the bytes that would be given back. Without
 * a digest (it can't be given back) the readable part. Null if it can't be shown. Throws node's errors.
 */
export async function contentOf(entry: Entry, digest: string | null): Promise<HeldContent | null> {
  const shown = new Shown();
  const read = await readTree(entry, new ShownFolder(shown, ""));
  if (digest !== null && read.digest !== digest) return null;
  if (read.kind === "folder") return { kind: "folder", entries: shown.entries.slice(1), more: shown.more };
  return shown.entries[0]?.content ?? null;
}

class Shown {
  readonly entries: HeldEntry[] = [];
  more = 0;
  #left = MAX_BYTES;

  add(entry: HeldEntry): void {
    // The first entry is the folder of all others.
    if (this.entries.length <= MAX_ENTRIES) this.entries.push(entry);
    else this.more += 1;
  }

  hasRoom(bytes: number): boolean {
    if (bytes > this.#left || this.entries.length > MAX_ENTRIES) return false;
    this.#left -= bytes;
    return true;
  }
}

class ShownFolder implements TreeSink {
  readonly #shown: Shown;
  readonly #path: string;

  constructor(shown: Shown, path: string) {
    this.#shown = shown;
    this.#path = path;
  }

  folder(name: string): TreeSink & Disposable {
    // The names of the taken entries begin below it.
    const path = this.#shown.entries.length === 0 ? "" : `${this.#path}${name}/`;
    this.#shown.add({ name: path, content: null });
    const inner = new ShownFolder(this.#shown, path);
    return Object.assign(inner, { [Symbol.dispose]: () => undefined });
  }

  file(name: string, { size }: Stats): FileSink {
    const parts: Uint8Array[] = [];
    const isShown = this.#shown.hasRoom(size);
    return {
      write: (part) => void (isShown && parts.push(Uint8Array.from(part))),
      [Symbol.dispose]: () => {
        const content = isShown ? ({ kind: "file", bytes: Buffer.concat(parts) } as const) : null;
        this.#shown.add({ name: `${this.#path}${name}`, content });
      },
    };
  }

  link(name: string, target: Buffer): void {
    this.#shown.add({
      name: `${this.#path}${name}`,
      content: { kind: "link", target: pathFromBytes(target) },
    });
  }
}
