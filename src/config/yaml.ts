import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from "yaml";
import { CofferdamError, type ErrorCode, escapeInvisible, type Position, visible } from "../errors.ts";

/** The code of a file's errors: a config's or an operator profile's. */
export type FileCode = Extract<ErrorCode, "CONFIG_INVALID" | "PROFILE_INVALID">;

/** A step into YAML data: a key or the index of a list item. */
export type YamlPath = readonly (string | number)[];

/** The data of a YAML file, and the positions of its parts; both maps are keyed by `pathKey`. */
export interface YamlFile {
  readonly file: string;
  readonly code: FileCode;
  readonly data: unknown;
  readonly keys: ReadonlyMap<string, Position>;
  /** Start of each value; for a list item the same as in `keys`. */
  readonly values: ReadonlyMap<string, Position>;
}

/** Maximum size of a config or profile, in bytes. */
export const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;

/**
 * Parses one YAML 1.2 document of plain data. The bytes are parsed unchanged, so that their digest covers exactly the
 * parsed text. Throws the given code, with line and column, for malformed or ambiguous text: a duplicate key, tabs,
 * anchors, aliases, tags, merge keys, several documents, keys that are not text, invisible characters, an empty file,
 * more than 1 MiB or 32 levels. A byte order mark and CRLF are fine.
 */
export function readYaml(bytes: Uint8Array, file: string, code: FileCode): YamlFile {
  const lines = new LineCounter();
  const read: Reading = { file, code, lines, keys: new Map(), values: new Map() };
  const text = textOf(bytes, read);
  // Unique keys are checked below: the parser's own check takes time with the square of the keys.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    version: "1.2",
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw malformed(problem, read);
  const { yaml } = document.directives;
  if (yaml.explicit === true && yaml.version !== "1.2") {
    throw refused(
      read,
      0,
      `the file declares YAML ${visible(yaml.version)}`,
      "remove the `%YAML` line: files are read as YAML 1.2",
    );
  }
  const contents = document.contents;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    throw refused(
      read,
      0,
      "the file is empty",
      code === "CONFIG_INVALID" ? "begin with `version: 1`" : "begin with `profile: NAME`",
    );
  }
  return { file, code, data: dataOf(contents, [], read), keys: read.keys, values: read.values };
}

/** A path as one text: `shell.rules.2`; a key that contains a dot is quoted. */
export function pathKey(path: YamlPath): string {
  return path
    .map((step) => (typeof step === "string" && step.includes(".") ? JSON.stringify(step) : String(step)))
    .join(".");
}

/** The position of the key or value at a path; if it is not written, that of the nearest written part above it. */
export function positionAt(yaml: YamlFile, path: YamlPath, of: "key" | "value" = "key"): Position {
  for (let length = path.length; length > 0; length -= 1) {
    const key = pathKey(path.slice(0, length));
    const found = of === "value" && length === path.length ? yaml.values.get(key) : yaml.keys.get(key);
    if (found !== undefined) return found;
  }
  return fileStart(yaml.file);
}

/** The first character of a file: the position of errors about the whole file. */
export function fileStart(file: string): Position {
  return { file, line: 1, column: 1 };
}

interface Reading {
  readonly file: string;
  readonly code: FileCode;
  readonly lines: LineCounter;
  readonly keys: Map<string, Position>;
  readonly values: Map<string, Position>;
}

/** Control characters, lone carriage returns, and characters that reorder or hide text in an editor. */
const INVISIBLE =
  /[^\P{Cc}\t\n\r]|\r(?!\n)|[\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}\u{2066}-\u{2069}\u{feff}]/u;

function textOf(bytes: Uint8Array, read: Reading): string {
  if (bytes.length > MAX_BYTES)
    throw refused(read, 0, `the file has ${bytes.length} bytes`, `shorten it to ${MAX_BYTES} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CofferdamError(read.code, "the file is not UTF-8", {
      hint: "save it as UTF-8",
      at: fileStart(read.file),
      cause,
    });
  }
  const invisible = INVISIBLE.exec(text);
  if (invisible === null) return text;
  const before = text.slice(0, invisible.index).split("\n");
  const at = { file: read.file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  throw new CofferdamError(read.code, `the file contains the invisible character ${visible(invisible[0])}`, {
    hint: "remove it, or write it as an escape in double quotes",
    at,
  });
}

function dataOf(node: ParsedNode, path: YamlPath, read: Reading): unknown {
  const [start] = node.range;
  read.values.set(pathKey(path), positionOf(read, start));
  if (path.length >= MAX_DEPTH)
    throw refused(read, start, `the file is nested more than ${MAX_DEPTH} levels deep`, "use fewer levels");
  assertPlain(node, read);
  if (isMap(node)) {
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = keyOf(key, read);
      const at = positionOf(read, key.range[0]);
      const inner = [...path, name];
      if (entries.has(name)) {
        const first = read.keys.get(pathKey(inner));
        const where = first === undefined ? "" : `, first on line ${first.line}`;
        throw new CofferdamError(read.code, `the key ${visible(name)} is written twice${where}`, {
          hint: "keep one of them",
          at,
        });
      }
      read.keys.set(pathKey(inner), at);
      entries.set(name, value === null ? null : dataOf(value, inner, read));
    }
    return Object.fromEntries(entries);
  }
  if (isSeq(node)) {
    return node.items.map((item, index) => {
      read.keys.set(pathKey([...path, index]), positionOf(read, item.range[0]));
      return dataOf(item, [...path, index], read);
    });
  }
  return isScalar(node) ? node.value : null;
}

function keyOf(key: ParsedNode, read: Reading): string {
  assertPlain(key, read);
  const [start] = key.range;
  const name = isScalar(key) ? key.value : null;
  if (typeof name !== "string") throw refused(read, start, "a key is not a string", "put the key in quotes");
  if (name === "<<") throw refused(read, start, "the file has the merge key `<<`", "write the keys out");
  // Objects treat this name as their prototype, and zod's records skip it.
  if (name === "__proto__") throw refused(read, start, "`__proto__` cannot be a key", "choose another name");
  return name;
}

/** Anchors, aliases and tags let one place change the meaning of another, so no file may have them. */
function assertPlain(node: ParsedNode, read: Reading): void {
  const [start] = node.range;
  if (isAlias(node))
    throw refused(read, start, `the file has the alias ${visible(`*${node.source}`)}`, "write the value out");
  if (node.anchor !== undefined)
    throw refused(read, start, `the file has the anchor ${visible(`&${node.anchor}`)}`, "remove the anchor");
  if (node.tag !== undefined)
    throw refused(read, start, `the file has the tag ${visible(node.tag)}`, "remove the tag");
}

function malformed(problem: YAMLError, read: Reading): CofferdamError {
  const [start] = problem.pos;
  switch (problem.code) {
    case "TAB_AS_INDENT":
      return refused(read, start, "the file is indented with a tab", "indent with spaces");
    case "MULTIPLE_DOCS":
      return refused(
        read,
        start,
        "the file contains more than one document",
        "keep one document, without other `---` or `...` lines",
      );
    case "TAG_RESOLVE_FAILED":
      return refused(read, start, "the file has a tag", "remove the tag");
    case "RESOURCE_EXHAUSTION":
      return refused(read, start, "the file is nested too deeply", "use fewer levels");
    default: {
      const what = problem.message.charAt(0).toLowerCase() + problem.message.slice(1);
      return refused(
        read,
        start,
        `the YAML is malformed: ${escapeInvisible(what)}`,
        "check this line and the one above it",
      );
    }
  }
}

function positionOf(read: Reading, offset: number): Position {
  const { line, col } = read.lines.linePos(offset);
  return { file: read.file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

function refused(read: Reading, offset: number, message: string, hint: string): CofferdamError {
  return new CofferdamError(read.code, message, { hint, at: positionOf(read, offset) });
}
