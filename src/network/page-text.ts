/** A parsed `Content-Type`: the type in lower case, without parameters, and its charset. */
export interface MediaType {
  readonly name: string;
  readonly charset: string | null;
}

/** Parses a `Content-Type`; null if it names no type. */
export function mediaTypeOf(header: string | undefined): MediaType | null {
  const [name = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim());
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(name)) return null;
  const charset = parameters.flatMap((one) => /^charset\s*=\s*"?([^"\s]+)"?$/i.exec(one)?.[1] ?? [])[0];
  return { name: name.toLowerCase(), charset: charset ?? null };
}

/** True for types that people and models read as text. */
export function isText({ name }: MediaType): boolean {
  return name.startsWith("text/") || /\+(json|xml|yaml)$/.test(name) || TEXT_TYPES.has(name);
}

const TEXT_TYPES: ReadonlySet<string> = new Set(
  [
    ...["json", "ld+json", "x-ndjson", "ndjson", "jsonl", "json5", "xml", "xml-dtd", "xhtml+xml"],
    ...["javascript", "x-javascript", "ecmascript", "typescript", "x-typescript", "graphql", "sql"],
    ...["yaml", "x-yaml", "toml", "markdown", "x-markdown", "x-sh", "x-www-form-urlencoded", "x-tex"],
  ].map((name) => `application/${name}`),
);

/**
 * A body as text: a byte order mark decides, then the charset, else UTF-8 (https://encoding.spec.whatwg.org). Invalid
 * bytes become `U+FFFD`; in a body that is cut, a partial character at the end is left out.
 */
export function textOf(bytes: Buffer, charset: string | null, isCut: boolean): string {
  return decoderFor(markedAs(bytes) ?? charset ?? "utf-8").decode(bytes, { stream: isCut });
}

function markedAs([a, b, c]: Buffer): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : null;
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // An unknown charset is most often a misspelt UTF-8.
    return new TextDecoder("utf-8");
  }
}
