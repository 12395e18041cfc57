import { readFileSync } from "node:fs";
import { join } from "node:path";
import { code, page, table } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The purpose of each entry. */
const ENTRIES: Readonly<Record<string, string>> = {
  cofferdam: "supervisors, sessions, tools, approvals, stores and journals",
  compat: "other and older forms of answers (`readDecision`), requests and events; functions as tools",
  gate: "the approval gate alone: function tools without a sandbox",
  profile: "operations on profiles: parse, intersect, compare and explain",
  types: "types of the parts of results, options and events",
  "ai-sdk": "tools and a sandbox for the AI SDK",
  http: "the approvals over HTTP, with the inbox",
  langchain: "tools and middleware for LangChain",
  mcp: "tools for MCP clients",
  "openai-agents": "tools for the OpenAI Agents SDK",
  postgres: "a store that many hosts share",
  telegram: "approvals in a Telegram chat",
  webhook: "approvals by signed messages to a program of yours",
  testing: "matchers and snapshots for tests: what a config permits",
};

/** The page about the entries of the package, from the API reports of the given names. */
export function libraryPage(entries: readonly string[]): string {
  const name = (entry: string): string => (entry === "cofferdam" ? entry : `cofferdam/${entry}`);
  return page(
    "Library",
    "The entries of the package and their exports. The types are in the declarations of the package; each export has a description there, which editors show.",
    table(
      ["entry", "for"],
      entries.map((entry) => [code(name(entry)), ENTRIES[entry] ?? ""]),
    ),
    "Everything that `using` or `await using` ends has a plain `close()` as well, for Node 22 and for what outlives a scope.",
    ...entries.flatMap((entry) => [`## ${name(entry)}`, exportsOf(entry)]),
  );
}

function exportsOf(entry: string): string {
  const report = readFileSync(join(ROOT, `test/api/${entry}.api.md`), "utf8");
  const types = typesOnly(entry);
  const declared = [
    ...report.matchAll(/^export (?:abstract )?(type|interface|class|function|const) (\w+)/gm),
  ].map(([, kind = "", name = ""]) => ({ kind: types.has(name) ? "type" : kind, name }));
  const renamed = [...report.matchAll(/^export \{ (?:\w+ as )?(\w+) \}/gm)].map(([, name = ""]) => ({
    kind: "type",
    name,
  }));
  const all = Map.groupBy([...declared, ...renamed], ({ kind }) => KINDS[kind] ?? "types");
  return table(
    ["kind", "names"],
    ["functions", "classes", "values", "types"].flatMap((kind) => {
      const names = [...new Set((all.get(kind) ?? []).map(({ name }) => name))].toSorted();
      return names.length === 0 ? [] : [[kind, names.map(code).join(", ")]];
    }),
  );
}

/** The names that an entry exports as types alone, by its source: `export type { … }` and `type` in other lists. */
function typesOnly(entry: string): ReadonlySet<string> {
  const manifest = readFileSync(join(ROOT, "package.json"), "utf8");
  const path = entry === "cofferdam" ? "." : `./${entry}`;
  const built = new RegExp(`"${path.replace(".", "\\.")}": \\{\\s+"types": "\\./dist/(.*)\\.d\\.ts"`).exec(
    manifest,
  )?.[1];
  const source = readFileSync(join(ROOT, `src/${built ?? ""}.ts`), "utf8");
  return new Set(
    [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, all, list = ""]) =>
      list
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "" && (all !== undefined || one.startsWith("type ")))
        .map((one) => one.replace("type ", "").replace(/^.* as /, "")),
    ),
  );
}

const KINDS: Readonly<Record<string, string>> = { function: "functions", class: "classes", const: "values" };
