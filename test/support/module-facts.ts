import { parseSync } from "vite";

/** One import of a module, of whatever kind: `import`, `export … from`, `import(…)`, or a type's `import(…)`. */
export interface Import {
  readonly line: number;
  readonly specifier: string;
  /** The imported names; empty where all of them come along (`import * as`, `export *`, `import(…)`). */
  readonly names: readonly string[];
  /** True when nothing is left of it at run time. `import { type A }` is not: the import itself stays. */
  readonly isTypeOnly: boolean;
  /** True for `import(…)`: nothing is loaded before it is reached. */
  readonly isLate: boolean;
}

export interface Mention {
  readonly line: number;
  readonly name: string;
}

/** What the architecture test wants to know of one source file. */
export interface ModuleFacts {
  readonly imports: readonly Import[];
  /** Uses of names that the module does not declare itself, such as `process`; `Math` alone means any member. */
  readonly globals: readonly Mention[];
  readonly defaultExports: readonly number[];
  /** Lines of `import(…)` whose target is not a plain string, so that no one can tell where it leads. */
  readonly blindImports: readonly number[];
  readonly lineCount: number;
}

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

/** Parses one TypeScript file. Throws an `Error` that names the file when it is no TypeScript. */
export function moduleFacts(path: string, text: string): ModuleFacts {
  const { program, errors } = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const [firstError] = errors;
  if (firstError !== undefined) throw new Error(`${path} does not parse: ${firstError.message}`);

  const nodes = [...walk(program, undefined, "")];
  const lineOf = (node: Node): number => text.slice(0, node.start).split("\n").length;
  const declared = new Set(program.body.flatMap((statement) => declaredBy(statement)));
  return {
    imports: nodes.flatMap(({ node }) => importsOf(node, lineOf(node))),
    globals: nodes.flatMap((place) => {
      const name = globalIn(place, declared);
      return name === undefined ? [] : [{ line: lineOf(place.node), name }];
    }),
    defaultExports: nodes.filter(({ node }) => isDefaultExport(node)).map(({ node }) => lineOf(node)),
    blindImports: nodes
      .filter(({ node }) => node.type === "ImportExpression" && stringIn(node["source"]) === undefined)
      .map(({ node }) => lineOf(node)),
    lineCount: text.replace(/\n$/, "").split("\n").length,
  };
}

interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** The parent's field that holds the node. */
  readonly key: string;
}

function* walk(value: unknown, parent: Node | undefined, key: string): Generator<Place> {
  if (Array.isArray(value)) {
    for (const one of value) yield* walk(one, parent, key);
  } else if (isNode(value)) {
    yield { node: value, parent, key };
    for (const [field, child] of Object.entries(value)) yield* walk(child, value, field);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function importsOf(node: Node, line: number): readonly Import[] {
  const specifier = stringIn(node["source"]) ?? stringIn(node["expression"]);
  if (specifier === undefined) return [];
  const all = { line, specifier, names: [], isTypeOnly: false, isLate: false };
  switch (node.type) {
    case "ImportDeclaration":
      return [{ ...all, names: importedNames(node), isTypeOnly: node["importKind"] === "type" }];
    case "ExportNamedDeclaration":
      return [{ ...all, names: importedNames(node), isTypeOnly: node["exportKind"] === "type" }];
    case "ExportAllDeclaration":
      return [{ ...all, isTypeOnly: node["exportKind"] === "type" }];
    case "TSImportType":
      return [{ ...all, isTypeOnly: true }];
    case "ImportExpression":
      return [{ ...all, isLate: true }];
    case "TSExternalModuleReference":
      return [all];
    default:
      return [];
  }
}

function importedNames(node: Node): readonly string[] {
  const specifiers = Array.isArray(node["specifiers"]) ? node["specifiers"].filter(isNode) : [];
  const names = specifiers.map((one) => nameIn(one["imported"] ?? one["local"]));
  const isWhole = specifiers.some(
    (one) => one.type === "ImportNamespaceSpecifier" || one.type === "ImportDefaultSpecifier",
  );
  return isWhole ? [] : names.filter((name) => name !== undefined);
}

function isDefaultExport(node: Node): boolean {
  if (node.type === "ExportDefaultDeclaration" || node.type === "TSExportAssignment") return true;
  return node.type === "ExportSpecifier" && nameIn(node["exported"]) === "default";
}

/** Values that a top-level statement declares: a file that has its own `fetch` does not mean the global one. */
function declaredBy(statement: unknown): readonly string[] {
  if (!isNode(statement) || statement["declare"] === true) return [];
  const inner = statement["declaration"] ?? undefined;
  if (statement.type === "ExportNamedDeclaration" && inner !== undefined) return declaredBy(inner);
  const declarators =
    statement.type === "VariableDeclaration" ? listIn(statement["declarations"]).map((one) => one["id"]) : [];
  const imported =
    statement.type === "ImportDeclaration" ? listIn(statement["specifiers"]).map((one) => one["local"]) : [];
  const named = /^(Function|Class)Declaration$/.test(statement.type) ? [statement["id"]] : [];
  return [...declarators, ...imported, ...named].map(nameIn).filter((name) => name !== undefined);
}

/** Fields in which an identifier is a label and not a use of a value, unless they are written `[computed]`. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  property: ["MemberExpression", "MetaProperty"],
  key: [
    "Property",
    "PropertyDefinition",
    "MethodDefinition",
    "AccessorProperty",
    "TSPropertySignature",
    "TSMethodSignature",
    "ImportAttribute",
  ],
  imported: ["ImportSpecifier"],
  exported: ["ExportSpecifier", "ExportAllDeclaration"],
  right: ["TSQualifiedName"],
  qualifier: ["TSImportType"],
  label: ["LabeledStatement", "BreakStatement", "ContinueStatement", "TSNamedTupleMember"],
  meta: ["MetaProperty"],
};

function globalIn({ node, parent, key }: Place, declared: ReadonlySet<string>): string | undefined {
  const name = node.type === "Identifier" ? nameIn(node) : undefined;
  if (name === undefined || declared.has(name)) return undefined;
  if (parent !== undefined && parent["computed"] !== true && LABELS[key]?.includes(parent.type) === true)
    return undefined;
  if (name !== "Math" || parent?.type !== "MemberExpression" || parent["computed"] === true) return name;
  return `Math.${nameIn(parent["property"]) ?? ""}`;
}

function listIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nameIn(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const name = value["name"] ?? value["value"];
  return typeof name === "string" ? name : undefined;
}

function stringIn(value: unknown): string | undefined {
  if (!isNode(value) || value.type !== "Literal") return undefined;
  return typeof value["value"] === "string" ? value["value"] : undefined;
}
