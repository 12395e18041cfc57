import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

const SRC = join(import.meta.dirname, "../../../src");

/** Tables of remedies that are no member called `hint` or `remedy`. */
const TABLES = /REMED|TIGHTER|ASK_AGAIN/;

/** Functions that make one. */
const MAKERS = /remedy|hintFor|hintOf|onlyKeeper/i;

/** Every text of `src/` that tells somebody what to do next, each once; `{}` stands for what is put in. */
export function remediesOfSrc(): readonly string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const found = files.flatMap((name) => remediesIn(name, readFileSync(join(SRC, name), "utf8")));
  return [...new Set(found)].sort();
}

function remediesIn(path: string, text: string): readonly string[] {
  const { program } = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const found: string[] = [];
  visit(program, (node) => {
    const isMember = node["type"] === "Property" && ["hint", "remedy"].includes(nameOf(node["key"]));
    const isTable = node["type"] === "VariableDeclarator" && TABLES.test(nameOf(node["id"]));
    if (isMember) found.push(...textsIn(node["value"]));
    const isMaker = node["type"] === "FunctionDeclaration" && MAKERS.test(nameOf(node["id"]));
    if (isMaker) found.push(...textsIn(node["body"]));
    if (isTable) found.push(...textsIn(node["init"]));
  });
  // Less is a part of one.
  return found.filter((one) => (one.match(/[a-z]{2,}/gi) ?? []).length > 2);
}

/** The texts of an expression; what a template is made from belongs to it. */
function textsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  visit(value, (node) => {
    if (node["type"] === "Literal" && typeof node["value"] === "string") found.push(node["value"]);
    if (node["type"] !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return;
    const parts = node["quasis"].map((part: unknown) => cookedOf(part));
    found.push(parts.join("{}"));
  });
  return found;
}

function cookedOf(part: unknown): string {
  const value = isRecord(part) ? part["value"] : null;
  return isRecord(value) && typeof value["cooked"] === "string" ? value["cooked"] : "";
}

function nameOf(node: unknown): string {
  return isRecord(node) && typeof node["name"] === "string" ? node["name"] : "";
}

function visit(node: unknown, see: (node: Readonly<Record<string, unknown>>) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see);
  if (!isRecord(node)) return;
  if (typeof node["type"] === "string") see(node);
  for (const one of Object.values(node)) if (typeof one === "object") visit(one, see);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
