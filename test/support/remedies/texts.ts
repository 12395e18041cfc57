import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

const SRC = join(import.meta.dirname, "../../../src");

/** Tables of remedies that are no member called `hint` or `remedy`. */
const TABLES = /REMED|TIGHTER|ASK_AGAIN|OTHER_STATE/;

/** Variables, members and parameters that are one. */
const NAMES = /^(?:hint|remedy|wayOut)$/;

/** Functions that make one. */
const MAKERS = /remedy|hintFor|hintOf|onlyKeeper/i;

/** Every text of `src/` that tells somebody what to do next, each once; `{}` stands for what is put in. */
export function remediesOfSrc(): readonly string[] {
  const found = filesOfSrc().flatMap((name) => remediesIn(name, readFileSync(join(SRC, name), "utf8")));
  return [...new Set(found)].sort();
}

/** Every source as it would be without escapes in its texts. */
export function sourceTexts(): readonly string[] {
  return filesOfSrc().map((name) => readFileSync(join(SRC, name), "utf8").replaceAll("\\", ""));
}

/** The remedies in `cannot-be-followed-here.txt`, by their reason: a line that begins with `#`. */
export function notHere(): Readonly<Record<string, readonly string[]>> {
  const text = readFileSync(join(import.meta.dirname, "cannot-be-followed-here.txt"), "utf8");
  const groups = text.split(/^# /m).filter((group) => group !== "");
  return Object.fromEntries(
    groups.map((group) => {
      const [reason = "", ...remedies] = group.split("\n");
      return [reason, remedies.filter((one) => one !== "")];
    }),
  );
}

function filesOfSrc(): readonly string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
}

type Node = Readonly<Record<string, unknown>>;

/** The remedies of one file. What a member names or calls is looked for in the file that holds it. */
export function remediesIn(path: string, text: string): readonly string[] {
  const { program } = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const declared = declarationsIn(program);
  const takers = takersIn(program);
  const found: string[] = [];
  const take = (value: unknown): void => void found.push(...textsIn(value), ...namedIn(value, declared));
  visit(program, (node) => {
    const isMember = node["type"] === "Property" && NAMES.test(nameOf(node["key"]));
    const isVariable = node["type"] === "VariableDeclarator";
    const variable = isVariable ? nameOf(node["id"]) : "";
    if (isMember) take(node["value"]);
    const isDefault = node["type"] === "AssignmentPattern" && NAMES.test(nameOf(node["left"]));
    if (isDefault) take(node["right"]);
    if (NAMES.test(variable) || TABLES.test(variable)) take(node["init"]);
    const isMaker = node["type"] === "FunctionDeclaration" && MAKERS.test(nameOf(node["id"]));
    if (isMaker) take(node["body"]);
    const index = node["type"] === "CallExpression" ? takers.get(nameOf(node["callee"])) : undefined;
    if (index !== undefined) take(list(node["arguments"])[index]);
  });
  // Less is a part of one.
  return found.filter((one) => (one.match(/\b[a-z]{2,}\b/gi) ?? []).length > 2);
}

/** What the file's functions and constants are made from, by name. */
function declarationsIn(program: unknown): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  visit(program, (node) => {
    if (node["type"] === "FunctionDeclaration") found.set(nameOf(node["id"]), node["body"]);
    if (node["type"] === "VariableDeclarator") found.set(nameOf(node["id"]), node["init"]);
  });
  return found;
}

/** The functions of a file that are given a remedy, and as which of their arguments. */
function takersIn(program: unknown): ReadonlyMap<string, number> {
  const found = new Map([["warning", 1]]);
  const see = (name: string, made: Node): void => {
    const index = list(made["params"]).findIndex((one) => isRecord(one) && NAMES.test(paramOf(one)));
    if (index >= 0) found.set(name, index);
  };
  visit(program, (node) => {
    if (node["type"] === "FunctionDeclaration") see(nameOf(node["id"]), node);
    const { init } = node;
    if (node["type"] === "VariableDeclarator" && isRecord(init)) see(nameOf(node["id"]), init);
  });
  return found;
}

/** A parameter's name, also of one that has a default. */
function paramOf(param: Node): string {
  return nameOf(param) || nameOf(param["left"]);
}

/** The texts of what the value itself is: a name, a call, or one of several of these. */
function namedIn(value: unknown, declared: ReadonlyMap<string, unknown>): readonly string[] {
  if (!isRecord(value)) return [];
  switch (value["type"]) {
    case "Identifier":
      return textsIn(declared.get(nameOf(value)));
    case "CallExpression":
      return namedIn(value["callee"], declared);
    case "ConditionalExpression":
      return [...namedIn(value["consequent"], declared), ...namedIn(value["alternate"], declared)];
    case "LogicalExpression":
      return [...namedIn(value["left"], declared), ...namedIn(value["right"], declared)];
    case "TemplateLiteral":
      return list(value["expressions"]).flatMap((one) => namedIn(one, declared));
    default:
      return [];
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
