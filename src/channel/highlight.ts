import { runInNewContext } from "node:vm";
import type { ParseOptions } from "sugar-high/core";

/** A part of a text and its style. */
export interface HighlightSpan {
  readonly text: string;
  readonly kind: "plain" | "keyword" | "string" | "comment" | "number" | "name";
}

/** The parts of a text: joined, they are that text. */
export type Highlight = (text: string) => readonly HighlightSpan[];

/** A parser that yields a text in parts, in their order. */
export type Parser = (text: string) => Iterable<HighlightSpan>;

/** A longer text stays plain. */
const MAX_CHARACTERS = 64 * 1024;
/** Time limit of a parser: some need seconds for hostile text, and everything else waits meanwhile. */
const MAX_MS = 50;

/** Two of them bring a tokenizer whose types are not the core's. Each gets the grammar it was made for. */
const GRAMMARS: Readonly<Record<string, () => Promise<ParseOptions>>> = {
  c: () => import("sugar-high/lang/c"),
  cpp: () => import("sugar-high/lang/cpp"),
  csharp: () => import("sugar-high/lang/csharp"),
  css: () => import("sugar-high/lang/css"),
  dockerfile: () => import("sugar-high/lang/dockerfile"),
  go: () => import("sugar-high/lang/go"),
  graphql: () => import("sugar-high/lang/graphql"),
  hcl: () => import("sugar-high/lang/hcl"),
  html: () =>
    import("sugar-high/lang/html").then((html) => ({ tokenize: (text) => html.tokenize(text, html) })),
  java: () => import("sugar-high/lang/java"),
  javascript: () =>
    import("sugar-high/lang/javascript").then(({ tokenize }) => ({
      tokenize: (text) => tokenize(text, undefined),
    })),
  json: () => import("sugar-high/lang/json"),
  kotlin: () => import("sugar-high/lang/kotlin"),
  lua: () => import("sugar-high/lang/lua"),
  php: () => import("sugar-high/lang/php"),
  powershell: () => import("sugar-high/lang/powershell"),
  python: () => import("sugar-high/lang/python"),
  ruby: () => import("sugar-high/lang/ruby"),
  rust: () => import("sugar-high/lang/rust"),
  shell: () => import("sugar-high/lang/shell"),
  sql: () => import("sugar-high/lang/sql"),
  swift: () => import("sugar-high/lang/swift"),
  toml: () => import("sugar-high/lang/toml"),
  typescript: () => import("sugar-high/lang/typescript"),
  yaml: () => import("sugar-high/lang/yaml"),
  zig: () => import("sugar-high/lang/zig"),
};

/** The languages that can be highlighted, by their usual names. */
export const LANGUAGES: readonly string[] = Object.keys(GRAMMARS);

/** Loads the highlighter of one language. In an unknown language every text stays plain. */
export async function loadHighlighter(language: string | undefined): Promise<Highlight> {
  const grammar =
    language !== undefined && Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
  if (grammar === undefined) return plain;
  const [{ SugarHigh, tokenize }, options] = await Promise.all([import("sugar-high/core"), grammar()]);
  return (text) =>
    highlightWith(
      (whole) =>
        tokenize(whole, options).map(([type, part]) => ({
          text: part,
          kind: kindOf(SugarHigh.TokenTypes[type], part),
        })),
      text,
    );
}

/** A parser's parts, joined by kind. It is not trusted: if it throws, alters text or is slow, the text stays plain. */
export function highlightWith(parser: Parser, text: string): readonly HighlightSpan[] {
  if (text.length > MAX_CHARACTERS) return plain(text);
  try {
    const spans = joined(inTime(() => [...parser(text)]));
    return spans.map((span) => span.text).join("") === text ? spans : plain(text);
  } catch {
    return plain(text);
  }
}

function plain(text: string): readonly HighlightSpan[] {
  return text === "" ? [] : [{ text, kind: "plain" }];
}

function joined(parts: readonly HighlightSpan[]): readonly HighlightSpan[] {
  const spans: HighlightSpan[] = [];
  for (const part of parts) {
    const last = spans.at(-1);
    if (last?.kind === part.kind) spans[spans.length - 1] = { ...last, text: last.text + part.text };
    else if (part.text !== "") spans.push(part);
  }
  return spans;
}

/**
 * The result of a function; throws if it does not end in time. The context is no sandbox: Node can only stop scripts,
 * and this script calls the function.
 */
function inTime<T>(make: () => T): T {
  const made: T[] = [];
  runInNewContext("run()", { run: () => void made.push(make()) }, { timeout: MAX_MS });
  const [result] = made;
  if (result === undefined) throw new TypeError("nothing was made");
  return result;
}

function kindOf(type: string | undefined, text: string): HighlightSpan["kind"] {
  switch (type) {
    case "keyword":
    case "string":
    case "comment":
      return type;
    // Numbers, `null`, and capitalized words.
    case "class":
      return /^\d/.test(text) ? "number" : text === "null" ? "keyword" : "name";
    case "property":
    case "entity":
      return "name";
    default:
      return "plain";
  }
}
