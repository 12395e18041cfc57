import { closeSync, fstatSync, ftruncateSync, futimesSync, openSync, readFileSync, writeSync } from "node:fs";
import type { AbsolutePath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";
import { removeFile } from "./state-files.ts";

/** A file that holds the profile and, while a call runs, its entry. */
export class WatchFile implements Disposable {
  readonly #path: AbsolutePath;
  readonly #fd: number;
  #profile: Uint8Array | null = null;

  constructor(path: AbsolutePath) {
    this.#path = path;
    this.#fd = openSync(path, "wx", 0o600);
  }

  isThere(): boolean {
    return fstatSync(this.#fd).nlink > 0;
  }

  /** Throws node's errors; the file then holds no entry. */
  write(profile: Uint8Array, text: string): void {
    if (this.#profile !== profile) {
      this.#profile = null;
      ftruncateSync(this.#fd, 0);
      this.#put(contentOf(profile, ""), 0);
      this.#profile = profile;
    }
    this.#put(Buffer.from(`${text}\0`), profile.length + 1);
  }

  /** If the system refuses, the last time still holds. */
  sign(): void {
    try {
      futimesSync(this.#fd, Date.now() / 1_000, Date.now() / 1_000);
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** If the system refuses, the last content still holds. */
  leave(text: string): void {
    try {
      if (this.#profile !== null) this.write(this.#profile, text);
    } catch (cause) {
      if (codeOf(cause) === "") throw cause;
    }
    this.close();
  }

  /** In place: to cut the file and let it grow again takes the system longer than all else here. */
  clear(): void {
    this.#put(NUL, (this.#profile?.length ?? -1) + 1);
  }

  [Symbol.dispose](): void {
    this.close();
    removeFile(this.#path);
  }

  /** On a disk that is nearly full a write may take less than it was given (write(2)). */
  #put(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
  }
}

const NUL = Buffer.of(0);

/**
 * The content of a watch file: the profile, a NUL, the entry, a NUL. Neither part holds a NUL. The profile is first
 * because it is long and seldom changes. After the last NUL there may be the rest of an earlier, longer entry.
 */
export function contentOf(profile: Uint8Array, text: string): Uint8Array {
  return Buffer.concat([profile, Buffer.from(`\0${text}\0`)]);
}

/** Null if it can't be read. */
export function contentAt(
  file: AbsolutePath,
): { readonly profile: Uint8Array; readonly text: string } | null {
  try {
    const content = readFileSync(file);
    const end = content.indexOf(NUL);
    if (end < 0) return { profile: content, text: "" };
    const entryEnd = content.indexOf(NUL, end + 1);
    const text = content.toString("utf8", end + 1, entryEnd < 0 ? content.length : entryEnd);
    return { profile: content.subarray(0, end), text };
  } catch {
    return null;
  }
}
