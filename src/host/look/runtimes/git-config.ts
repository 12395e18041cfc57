/** One `section.key = value` of a git config file; a section with a subsection is `section.subsection`. */
export interface GitSetting {
  /** Section and key in lower case, the subsection as written: `user.name`, `remote.Origin.url`. */
  readonly name: string;
  /** Null for a key without `=`, which git takes for true. */
  readonly value: string | null;
}

/** Content of a git config file. */
export interface GitConfig {
  readonly settings: readonly GitSetting[];
  /** False if git would stop with "bad config line": then these are the settings up to that line. */
  readonly isWhole: boolean;
  /** False if it exceeds the maximum that is read: a section with a long name adds it to each of its keys. */
  readonly isBounded: boolean;
}

/** Maximum of characters of all names of settings together. */
const MAX_OF_NAMES = 8 * 1024 ** 2;
const MAX_SETTINGS = 50_000;

/** The settings of a git config file, up to its bad line, if any. See `readGitConfig`. */
export function parseGitConfig(text: string): readonly GitSetting[] {
  return readGitConfig(text).settings;
}

/**
 * Reads a git config file, as git-config(1) describes the syntax: sections, comments, quotes, escapes, continued lines.
 * `include` is a setting like others: no other file is read. A section with a subsection needs no name of its own
 * (config.c, `get_base_var`). NULs are not handled: git ends a name or value there. A value with white space other than
 * spaces is returned twice, as it is and with spaces: git before 2.45 reads the latter (config.c, `parse_value`).
 */
export function readGitConfig(text: string): GitConfig {
  const settings: GitSetting[] = [];
  const rest = new Reader(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
  let section = "";
  let left = MAX_OF_NAMES;
  for (;;) {
    rest.skip(/(?:[ \t\r\n]|[#;][^\n]*)*/y);
    if (rest.isAtEnd()) return { settings, isWhole: true, isBounded: true };
    const header = !rest.isAt("[")
      ? null
      : rest.take(/\[(?:([A-Za-z0-9.-]+)\]|([A-Za-z0-9.-]*)[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)"\])/y);
    if (header !== null) {
      section = sectionOf(header[1] ?? header[2] ?? "", header[3]);
      continue;
    }
    const key = rest.take(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:(=)|(?=\n)|$)/y);
    if (key === null) return { settings, isWhole: false, isBounded: true };
    const values = key[2] === undefined ? [null] : valuesIn(rest);
    if (values === BAD) return { settings, isWhole: false, isBounded: true };
    const name = `${section}${(key[1] ?? "").toLowerCase()}`;
    left -= name.length;
    if (left < 0 || settings.length >= MAX_SETTINGS) return { settings, isWhole: false, isBounded: false };
    for (const value of values) settings.push({ name, value });
  }
}

/** Prefix of a section's keys; empty for keys outside any section. */
function sectionOf(name: string, subsection: string | undefined): string {
  const section = name.toLowerCase();
  return subsection === undefined ? `${section}.` : `${section}.${subsection.replace(/\\(.)/gs, "$1")}.`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  b: "\b",
  '"': '"',
  "\\": "\\",
  "\n": "",
  "": "",
};

/** Invalid value for git: an unknown escape, a quote that the line does not close. */
const BAD = Symbol("bad config line");

/** The text after `=` up to the line's end or a comment, by each reading; unquoted white space around it is dropped. */
function valuesIn(rest: Reader): Iterable<string> | typeof BAD {
  let [value, spaced] = ["", ""];
  let kept = 0;
  let isQuoted = false;
  for (;;) {
    const token = rest.take(/[^\\"#; \t\r\n]+|[ \t\r]+|\\.?|./sy)?.[0] ?? "\n";
    if (token === "\n") {
      if (isQuoted) return BAD;
      const [plain, other] = [value.slice(0, kept), spaced.slice(0, kept)];
      return plain === other ? [plain] : [plain, other];
    }
    if (!isQuoted && /^[ \t\r]/.test(token)) {
      if (value !== "") [value, spaced] = [value + token, spaced + " ".repeat(token.length)];
      continue;
    }
    if (!isQuoted && (token === "#" || token === ";")) {
      rest.skip(/[^\n]*/y);
      continue;
    }
    const plain = token === '"' ? "" : token.startsWith("\\") ? ESCAPES[token.slice(1)] : token;
    if (plain === undefined) return BAD;
    if (token === '"') isQuoted = !isQuoted;
    [value, spaced] = [value + plain, spaced + plain];
    kept = value.length;
  }
}

/** A text that is read from front to back by sticky patterns. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  isAt(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  skip(pattern: RegExp): void {
    this.take(pattern);
  }
}
