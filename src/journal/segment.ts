import { closeSync, fstatSync, ftruncateSync, lstatSync, openSync, writeFileSync } from "node:fs";
import type { AbsolutePath } from "../profile/path.ts";

/** The current file of a record: newly made, readable by the caller alone. Throws node's errors. */
export class OpenSegment implements Disposable {
  readonly #file: AbsolutePath;
  readonly #fd: number;
  readonly #node: { readonly dev: bigint; readonly ino: bigint };
  #bytes = 0;
  /** Offset of a partial line that could not be removed yet. */
  #torn: number | null = null;

  /** Makes the file. No other process has it: an existing one is refused (open(2), `O_EXCL`). */
  constructor(file: AbsolutePath) {
    this.#file = file;
    this.#fd = openSync(file, "ax", 0o600);
    this.#node = fstatSync(this.#fd, { bigint: true });
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** One `write` may write only a part of a line (write(2)): it continues until all is written, or removes the part. */
  append(line: string): void {
    if (this.#torn !== null) this.#takeBack(this.#torn);
    const bytes = Buffer.from(`${line}\n`);
    const before = fstatSync(this.#fd).size;
    try {
      writeFileSync(this.#fd, bytes);
    } catch (cause) {
      this.#takeBack(before);
      throw cause;
    }
    this.#bytes = before + bytes.length;
  }

  /** False if the file was removed or replaced; true after a write means that readers can find the line at the path. */
  isThere(): boolean {
    const stats = lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return stats?.ino === this.#node.ino && stats.dev === this.#node.dev;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  /** Until this succeeds nothing more is written: a line after a partial one would be invalid. */
  #takeBack(to: number): void {
    this.#torn = to;
    ftruncateSync(this.#fd, to);
    this.#torn = null;
  }
}
