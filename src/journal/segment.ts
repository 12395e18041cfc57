import { closeSync, fstatSync, ftruncateSync, lstatSync, openSync, writeFileSync } from "node:fs";
import type { AbsolutePath } from "../profile/path.ts";

/** A file of a record that is written now: made new, readable by the caller alone. Throws node's errors. */
export class OpenSegment implements Disposable {
  readonly #file: AbsolutePath;
  readonly #fd: number;
  readonly #node: { readonly dev: bigint; readonly ino: bigint };
  #bytes = 0;
  /** What was written from here on is no line, and could not be taken back yet. */
  #torn: number | null = null;

  /** Makes the file. No other process has it: what stands there already is refused (open(2), `O_EXCL`). */
  constructor(file: AbsolutePath) {
    this.#file = file;
    this.#fd = openSync(file, "ax", 0o600);
    this.#node = fstatSync(this.#fd, { bigint: true });
  }

  /** How large it is. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One `write` may take a part of a line (write(2)): it goes on until all is written, or nothing of it stays. */
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

  /**
   * False when the file was removed or replaced: what is written to it then is found by nobody. Asked behind a write, it
   * says that the line stood where readers look.
   */
  isThere(): boolean {
    const stats = lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return stats?.ino === this.#node.ino && stats.dev === this.#node.dev;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  /** As long as it fails nothing more is written: a line behind the rest of another one would be none. */
  #takeBack(to: number): void {
    this.#torn = to;
    ftruncateSync(this.#fd, to);
    this.#torn = null;
  }
}
