import { readFileSync } from "node:fs";
import { TextDecoder } from "node:util";

/** Folders of translated messages: of every distribution, and of Ubuntu's language packs. */
const FOLDERS = ["/usr/share/locale", "/usr/share/locale-langpack"];
/** Little-endian and big-endian, version 0 (gettext manual, "The Format of GNU MO Files"). */
const MAGIC = 0x95_04_12_de;
const MAX_BYTES = 16 * 1024 ** 2;

/** The messages of one program or library in one language: a `.mo` file. */
export class MessageCatalog {
  readonly #bytes: Buffer;
  readonly #isLittle: boolean;
  readonly #charset: string;

  private constructor(bytes: Buffer, isLittle: boolean) {
    this.#bytes = bytes;
    this.#isLittle = isLittle;
    const header = this.#find("")?.toString("latin1") ?? "";
    this.#charset = /charset=([\w-]+)/.exec(header)?.[1] ?? "utf-8";
  }

  /** The first installed one of these languages (`de_AT`, `de`); null for none, or if it can't be read. */
  static of(domain: string, languages: readonly string[]): MessageCatalog | null {
    for (const language of languages)
      for (const folder of FOLDERS) {
        const bytes = contentOf(`${folder}/${language}/LC_MESSAGES/${domain}.mo`);
        if (bytes === null || bytes.length < 20) continue;
        if (bytes.readUInt32LE(0) === MAGIC) return new MessageCatalog(bytes, true);
        if (bytes.readUInt32BE(0) === MAGIC) return new MessageCatalog(bytes, false);
      }
    return null;
  }

  translationOf(message: string): string | null {
    try {
      const found = this.#find(message);
      return found === null || found.length === 0 ? null : new TextDecoder(this.#charset).decode(found);
    } catch {
      return null;
    }
  }

  /** The originals are sorted by their bytes. */
  #find(message: string): Buffer | null {
    const wanted = Buffer.from(message);
    let [low, high] = [0, this.#number(8)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = Buffer.compare(this.#string(this.#number(12), middle), wanted);
      if (order === 0) return this.#string(this.#number(16), middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  #string(table: number, index: number): Buffer {
    const [length, at] = [this.#number(table + 8 * index), this.#number(table + 8 * index + 4)];
    return this.#bytes.subarray(at, at + length);
  }

  #number(at: number): number {
    return this.#isLittle ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at);
  }
}

function contentOf(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    return bytes.length > MAX_BYTES ? null : bytes;
  } catch {
    return null;
  }
}
