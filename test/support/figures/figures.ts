import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseSync } from "vite";

/** The words of `docs/explanation/glossary.md`, as type names: they may stand alone. */
const GLOSSARY = new Set(
  (
    "Call Ceiling Channel Config Decision Enforcement Event Facts Gate Grant Integration Launcher Outcome Plan Policy " +
    "Profile Receipt Request Root Rule Sandbox Session Tool Verdict Worker"
  ).split(" "),
);

/** A docstring without a subject: it begins with a relative clause, a genitive or a quantity. */
const HEADLESS = /^(?:What|Who(?:m|se|ever)?|Which\w*|Where\w*|Of|By|As|So (?:many|much|often|long|far))\b/;

/** The files of the approval core: the gate, the broker and what both are made of. */
const APPROVAL_CORE = [
  "approval-log",
  "asker",
  "broker",
  "gate",
  "gate-result",
  "heartbeat",
  "not-run",
  "pending-request",
  "pending-requests",
  "request-admission",
  "start-once",
  "store-follower",
].map((name) => `approval/${name}.ts`);

/** Figures of the sources that may only fall. */
export interface SourceFigures {
  /** Exported types whose name another file exports as well. */
  readonly collidingTypes: number;
  /** Exported types of one English word that is not in the glossary. */
  readonly oneWordTypes: number;
  /** Docstrings that begin with a headless clause. */
  readonly headlessDocstrings: number;
  /** Constants named `MOST_…` instead of `MAX_…`. */
  readonly maxConstants: number;
  /** Sentences of more than 30 words in messages and hints of errors. */
  readonly longErrorSentences: number;
  readonly approvalCoreLines: number;
  readonly sourceLines: number;
  /** Names that the main entry exports. */
  readonly mainEntryNames: number;
}

/** Every file of `src/`: path within it, with slashes → text. */
export function sources(): Readonly<Record<string, string>> {
  const folder = join(import.meta.dirname, "../../../src");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]),
  );
}

/** Counts the figures of `files`: path within `src/` → text. */
export function sourceFigures(files: Readonly<Record<string, string>>): SourceFigures {
  const sources = Object.entries(files).filter(([file]) => file.endsWith(".ts"));
  const exported = sources.flatMap(([file, text]) => exportedTypes(text).map((name) => ({ file, name })));
  const places = Map.groupBy(exported, ({ name }) => name);
  const lines = sources.map(([file, text]) => ({ file, count: text.replace(/\n$/, "").split("\n").length }));
  const linesOf = (isCounted: (file: string) => boolean): number =>
    lines.filter(({ file }) => isCounted(file)).reduce((sum, { count }) => sum + count, 0);
  return {
    collidingTypes: [...places.values()].filter((all) => new Set(all.map(({ file }) => file)).size > 1)
      .length,
    oneWordTypes: [...places.keys()].filter((name) => /^[A-Z][a-z0-9]+$/.test(name) && !GLOSSARY.has(name))
      .length,
    headlessDocstrings: sources.flatMap(([, text]) => docstrings(text).filter((one) => HEADLESS.test(one)))
      .length,
    maxConstants: sources.flatMap(([, text]) => text.match(/^(?:export )?const MOST_/gm) ?? []).length,
    longErrorSentences: sources.flatMap(([file, text]) => errorSentences(file, text).filter(isLong)).length,
    approvalCoreLines: linesOf((file) => APPROVAL_CORE.includes(file)),
    sourceLines: linesOf(() => true),
    mainEntryNames: namesOf(files["index.ts"] ?? "").length,
  };
}

function exportedTypes(text: string): readonly string[] {
  const found = text.matchAll(/^export (?:declare )?(?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm);
  return [...found].map(([, name = ""]) => name);
}

function docstrings(text: string): readonly string[] {
  return [...text.matchAll(/\/\*\*(.*?)\*\//gs)].map(([, inner = ""]) =>
    inner
      .trim()
      .replaceAll(/^\s*\* ?/gm, "")
      .trim(),
  );
}

/** The names in the export lists of a module. */
function namesOf(text: string): readonly string[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()])),
  );
}

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The sentences of every text that a `CofferdamError` is made with; an inserted value counts as one word. */
function errorSentences(file: string, text: string): readonly string[] {
  if (!text.includes("CofferdamError(")) return [];
  const { program } = parseSync(file, text, { lang: "ts", sourceType: "module" });
  const texts: string[] = [];
  const visit = (value: unknown, isInError: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, isInError);
    if (!isNode(value)) return;
    const isError = value.type === "NewExpression" && nameIn(value["callee"]) === "CofferdamError";
    if (isInError && value.type === "Literal" && typeof value["value"] === "string")
      texts.push(value["value"]);
    if (isInError && value.type === "TemplateLiteral" && Array.isArray(value["quasis"]))
      texts.push(value["quasis"].map(rawOf).join(" x "));
    for (const child of Object.values(value)) visit(child, isInError || isError);
  };
  visit(program, false);
  return texts.flatMap((one) => one.split(/(?<=[.;:])\s+/));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function nameIn(value: unknown): string | null {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : null;
}

function rawOf(quasi: unknown): string {
  const value = isNode(quasi) ? quasi["value"] : null;
  return typeof value === "object" && value !== null && "raw" in value ? String(value.raw) : "";
}

function isLong(sentence: string): boolean {
  return sentence.split(/\s+/).length > 30;
}
