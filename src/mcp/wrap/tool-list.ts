import { visible } from "../../errors.ts";
import type { Risk } from "../../policy/risk.ts";
import { sha256 } from "../../profile/digest.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import { type ArgumentNames, argumentNames } from "./arguments.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";

/** The properties of a server's tool that a decision depends on. */
export interface ListedTool {
  /** SHA-256 of its definition: a changed definition is a different tool. */
  readonly version: string;
  readonly risk: Risk;
  readonly names: ArgumentNames;
}

/** Reports something that is left out, for the journal and the user. */
export type DropReporter = (what: string, because: string) => void;

/** Names that the gate uses for other things than tools. */
const RESERVED: ReadonlySet<string> = new Set(["sampling", "elicitation"]);
/** Maximum length of a tool's name after the server's name and a slash. */
const MAX_NAME_LENGTH = 128;
/** Maximum number of tools of one server, and maximum total length of all argument names. */
const MAX_TOOLS = 10_000;
const MAX_NAMES_LENGTH = 4 * 1024 ** 2;

/** A server's tools by the last listing. A tool with an invalid or duplicate name is left out and cannot be called. */
export class ToolList {
  readonly #server: string;
  readonly #annotations: McpServer["annotations"];
  readonly #report: DropReporter;
  readonly #tools = new Map<string, ListedTool>();
  readonly #duplicates = new Set<string>();
  readonly #seen = new Set<string>();
  #namesLength = 0;

  /** `report` receives the tools that are left out. */
  constructor(server: string, annotations: McpServer["annotations"], report: DropReporter) {
    this.#server = server;
    this.#annotations = annotations;
    this.#report = report;
  }

  /** The reason why a tool cannot be called, or null. An unlisted tool can be called. */
  refusal(name: string): string | null {
    return nameRefusal(this.#server, name) ?? (this.#duplicates.has(name) ? DUPLICATE : null);
  }

  /** The known properties of a tool; for an unlisted tool, `UNKNOWN`. */
  find(name: string): ListedTool {
    return this.#tools.get(name) ?? UNKNOWN;
  }

  /** A page without the tools that are left out, or null if it is invalid. The first page starts a new listing. */
  filter(page: JsonObject, isFirst: boolean): JsonObject | null {
    const { tools } = page;
    if (!Array.isArray(tools)) return null;
    if (isFirst) {
      for (const names of [this.#tools, this.#duplicates, this.#seen]) names.clear();
      this.#namesLength = 0;
    }
    const names = tools.map((tool: unknown) => memberOf(tool, "name"));
    for (const name of names) if (typeof name === "string") this.#register(name);
    const kept = tools.filter((definition: unknown, index) => {
      const name = names[index];
      const because = typeof name === "string" ? this.#store(name, definition) : "it has no name";
      const shown = typeof name === "string" ? visible(name.slice(0, 100)) : "without a name";
      if (because !== null) this.#report(`the tool ${shown}`, because);
      return because === null;
    });
    for (const name of this.#duplicates) this.#tools.delete(name);
    return { ...page, tools: kept };
  }

  #register(name: string): void {
    if (this.#seen.has(name)) this.#duplicates.add(name);
    else if (this.#seen.size < MAX_TOOLS && nameRefusal(this.#server, name) === null) this.#seen.add(name);
  }

  /** Stores a tool. Returns the reason if it is left out. */
  #store(name: string, definition: unknown): string | null {
    const because = this.refusal(name);
    if (because !== null) return because;
    const names = argumentNames(definition);
    if (!this.#seen.has(name) || names === null) return TOO_MANY;
    for (const one of names.values()) this.#namesLength += one.length;
    if (this.#namesLength > MAX_NAMES_LENGTH) return TOO_MANY;
    const version = sha256(JSON.stringify(definition));
    const risk = this.#annotations === "trusted" ? riskOf(definition) : "write";
    this.#tools.set(name, { version, risk, names });
    return null;
  }
}

const UNKNOWN: ListedTool = { version: "unlisted", risk: "write", names: new Map() };
const TOO_MANY = "there are too many tools or arguments";
const DUPLICATE = "it is listed twice";

function nameRefusal(server: string, name: string): string | null {
  if (!/^[A-Za-z0-9_.\-/]+$/.test(name))
    return "its name may only have letters, digits, `_`, `.`, `-` and `/`";
  if (`${server}/${name}`.length > MAX_NAME_LENGTH) return "its name is too long";
  return RESERVED.has(name) ? "its name is reserved" : null;
}

/** The risk from the tool's annotations, if the config trusts them (`ToolAnnotations` of the specification). */
function riskOf(tool: unknown): Risk {
  const annotations = objectOf(memberOf(tool, "annotations"));
  if (memberOf(annotations, "destructiveHint") === true) return "destructive";
  return memberOf(annotations, "readOnlyHint") === true ? "read_only" : "write";
}
