import { visible } from "../../errors.ts";
import type { Risk } from "../../policy/risk.ts";
import { sha256 } from "../../profile/digest.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import { type ArgumentNames, namesOf } from "./arguments.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** What decides about a tool of the server's, beside its name. */
export interface ListedTool {
  /** SHA-256 of its definition: another one is another tool. */
  readonly version: string;
  readonly risk: Risk;
  readonly names: ArgumentNames;
}

/** A tool that nobody is told of, and why. */
export interface LeftOut {
  readonly what: string;
  readonly because: string;
}

/** Names that the gate has for something else than tools. */
const RESERVED: ReadonlySet<string> = new Set(["sampling", "elicitation"]);
/** The most characters of a tool's whole name, the server's and a slash before it. */
const MOST_OF_A_NAME = 128;
/** The most tools that are known of one server, and the most characters of the names of all their arguments. */
const MOST_TOOLS = 10_000;
const MOST_OF_ALL_NAMES = 4 * 1024 ** 2;

/**
 * The tools that a server lists, page by page. What could be taken for another tool is left out of the list and can't be
 * called: a name that is no plain one, and a name that is listed twice. What is known is what the last listing said.
 */
export class ToolList {
  readonly #server: string;
  readonly #annotations: McpServer["annotations"];
  #tools = new Map<string, ListedTool>();
  /** Names that stood more than once in a list: nobody knows any more which of them is meant. */
  #twice = new Set<string>();
  /** Names of the listing that is under way, of those that can be called. */
  #seen = new Set<string>();
  /** The characters of the names of all arguments. */
  #length = 0;

  constructor(server: string, annotations: McpServer["annotations"]) {
    this.#server = server;
    this.#annotations = annotations;
  }

  /** Why a tool can't be called; null when it can. One that was never listed can. */
  refusal(name: string): string | null {
    return nameRefusal(this.#server, name) ?? (this.#twice.has(name) ? LISTED_TWICE : null);
  }

  /** What is known of a tool; of one that was never listed, as little as there is. */
  find(name: string): ListedTool {
    return this.#tools.get(name) ?? UNKNOWN;
  }

  /** A page of the list without what is left out of it; null where it is none. The first page begins anew. */
  filter(
    page: Members,
    isFirst: boolean,
  ): { readonly result: Members; readonly leftOut: readonly LeftOut[] } | null {
    const { tools } = page;
    if (!Array.isArray(tools)) return null;
    if (isFirst) this.#forget();
    const names = tools.map((tool: unknown) => memberOf(tool, "name"));
    for (const name of names) if (typeof name === "string") this.#see(name);
    const leftOut: LeftOut[] = [];
    const kept = tools.filter((definition: unknown, index) => {
      const name = names[index];
      const because = typeof name === "string" ? this.#keep(name, definition) : "it has no name";
      if (because !== null) leftOut.push({ what: `the tool ${shortened(name)}`, because });
      return because === null;
    });
    for (const name of this.#twice) this.#tools.delete(name);
    return { result: { ...page, tools: kept }, leftOut };
  }

  #forget(): void {
    this.#tools = new Map();
    this.#twice = new Set();
    this.#seen = new Set();
    this.#length = 0;
  }

  #see(name: string): void {
    if (this.#seen.has(name)) this.#twice.add(name);
    else if (this.#seen.size < MOST_TOOLS && nameRefusal(this.#server, name) === null) this.#seen.add(name);
  }

  /** Keeps what is to be known of a tool; why it is left out, where it is. */
  #keep(name: string, definition: unknown): string | null {
    const because = this.refusal(name);
    if (because !== null) return because;
    const names = namesOf(definition);
    if (!this.#seen.has(name) || names === null) return TOO_MANY;
    for (const one of names.values()) this.#length += one.length;
    if (this.#length > MOST_OF_ALL_NAMES) return TOO_MANY;
    const version = sha256(JSON.stringify(definition));
    const risk = this.#annotations === "trusted" ? riskOf(definition) : "write";
    this.#tools.set(name, { version, risk, names });
    return null;
  }
}

const UNKNOWN: ListedTool = { version: "unlisted", risk: "write", names: new Map() };
const TOO_MANY = "there are too many of them, or of its arguments";
const LISTED_TWICE = "it is listed twice";

function nameRefusal(server: string, name: string): string | null {
  if (!/^[A-Za-z0-9_.\-/]+$/.test(name)) return "its name is no plain one";
  if (`${server}/${name}`.length > MOST_OF_A_NAME) return "its name is too long";
  return RESERVED.has(name) ? "its name stands for something else" : null;
}

/** What its annotations say, where they are believed (`ToolAnnotations` of the specification). */
function riskOf(tool: unknown): Risk {
  const annotations = membersOf(memberOf(tool, "annotations"));
  if (memberOf(annotations, "destructiveHint") === true) return "destructive";
  return memberOf(annotations, "readOnlyHint") === true ? "read_only" : "write";
}

function shortened(name: unknown): string {
  return typeof name === "string" ? visible(name.slice(0, 100)) : "without a name";
}
