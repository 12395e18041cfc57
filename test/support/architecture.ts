import { posix } from "node:path";
import { type Import, type ModuleFacts, moduleFacts } from "./module-facts.ts";

/** The rooms of `src/` in dependency order: a file may import its own room and the rooms above it. */
export const ROOMS: readonly string[] = [
  "errors.ts",
  "profile",
  "shell",
  "policy",
  "event",
  "tool",
  "backend",
  "attacks",
  "host",
  "host/look",
  "host/launch",
  "journal",
  "store",
  "network",
  "worker",
  "approval",
  "channel",
  "config",
  "decide",
  "call",
  "session",
  "http",
  "inbox",
  "mcp",
  "adapters",
  "testing",
  "selftest",
  "cli",
  "entry",
  "index.ts",
];

/** Rooms and single files that are functions of their arguments. */
const PURE = ["errors.ts", "profile", "shell", "policy", "event", "tool", "backend", "attacks", "decide"];
/** What pure files may import from npm: packages that only compute. */
const PURE_PACKAGES = ["zod", "minimatch", "shell-quote", "unbash", "ipaddr.js", "canonicalize"];
/** What pure files may take from `node:crypto`: hashing; the rest of it is randomness and keys. */
const HASHING = ["createHash", "createHmac", "hash", "timingSafeEqual", "Hash", "Hmac"];
const EFFECTS = [
  "process",
  "Date",
  "Temporal",
  "performance",
  "Math",
  "Math.random",
  "crypto",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "fetch",
  "console",
  "eval",
  "require",
  "global",
  "globalThis",
];

/** Packages that not every user has, each with the files that need it: whoever needs those loads them when it comes to it. */
const OPTIONAL: Readonly<Record<string, string>> = {
  pg: "store/postgres",
  grammy: "channel/telegram",
  hono: "http",
  "@hono/node-server": "http",
  "@modelcontextprotocol/server": "mcp",
  ai: "adapters/ai-sdk",
  "@openai/agents": "adapters/openai-agents",
  langchain: "adapters/langchain",
  "@langchain/core": "adapters/langchain",
  "@langchain/langgraph": "adapters/langchain",
};

const INTEGRATIONS = ["http", "mcp", "adapters", "testing", "cli"];
const STARTERS = ["child_process", "cluster", "execa"];
const SPAWN = "host/launch/spawn.ts";
const PROTOCOL = "tool/files/protocol.ts";
/** What runs in browsers besides the inbox itself: how text is made visible, and which answers a request offers, is said once for all who show it. */
const IN_BROWSERS = [
  "errors.ts",
  "channel/visible-unit.ts",
  "policy/review-words.ts",
  "policy/scope-choices.ts",
];
/** What browsers have not. */
const NOT_IN_BROWSERS = ["process", "Buffer", "require", "global", "setImmediate"];
const MAX_LINES = 300;

/** `rule` is a stable word per rule; `line` is 1 where a whole file is meant. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule:
    | "room" // a file outside every room
    | "order" // an import of a room further down
    | "worker" // the worker imports more than the profile and types of its protocol, or is imported
    | "browser" // the inbox takes more than types from elsewhere, or what browsers have not; or it is imported
    | "integration" // an integration imports an integration, but for the command line, late; or the library entry does
    | "pure" // an effect in a pure file
    | "optional" // a package that not every user has, loaded where it is not needed
    | "spawn" // processes started elsewhere
    | "path" // code that is not .ts, an import that is not of a `./file.ts` within src, or that can't be followed
    | "default export"
    | "length"
    | "cycle";
  readonly what: string;
}

/** Every breach of the table of rooms in `files`: path within `src/` → text. Order: by file, cycles last. */
export function violations(files: Readonly<Record<string, string>>): readonly Violation[] {
  const paths = Object.keys(files).sort();
  const modules = new Map(
    paths.filter((file) => file.endsWith(".ts")).map((file) => [file, moduleFacts(file, files[file] ?? "")]),
  );
  return [
    ...paths
      .filter(isOtherCode)
      .map((file): Violation => ({ file, line: 1, rule: "path", what: "is code, but not .ts" })),
    ...[...modules].flatMap(([file, facts]) => breachesOf(file, facts)),
    ...cycles(modules),
  ];
}

/** Code that this test does not read, and that the compiler would treat differently. */
function isOtherCode(file: string): boolean {
  return /\.([cm]?js|[cm]ts|[jt]sx|node|wasm)$/.test(file);
}

function breachesOf(file: string, facts: ModuleFacts): readonly Violation[] {
  const breach = (rule: Violation["rule"], line: number, what: string): Violation => ({
    file,
    line,
    rule,
    what,
  });
  if (positionOf(file) === -1) return [breach("room", 1, "lies in no room of the table")];
  return [
    ...facts.imports.flatMap((one) => importBreaches(file, one, breach)),
    ...facts.blindImports.map((line) => breach("path", line, "imports what is only known at run time")),
    ...facts.defaultExports.map((line) => breach("default export", line, "exports without a name")),
    ...(facts.lineCount > MAX_LINES
      ? [breach("length", 1, `has ${facts.lineCount} lines, ${MAX_LINES} are the most`)]
      : []),
    ...(roomOf(file) === "inbox"
      ? facts.globals
          .filter(({ name }) => NOT_IN_BROWSERS.includes(name))
          .map(({ line, name }) => breach("browser", line, `mentions ${name}`))
      : []),
    ...(isPure(file) ? effects(facts).map(({ line, name }) => breach("pure", line, `mentions ${name}`)) : []),
  ];
}

type Breach = (rule: Violation["rule"], line: number, what: string) => Violation;

function importBreaches(file: string, one: Import, breach: Breach): readonly Violation[] {
  const { line, specifier } = one;
  const target = targetOf(file, specifier);
  if (target === undefined) return packageBreaches(file, one, breach);
  if (target.startsWith("../")) return [breach("path", line, `reaches out of src with ${specifier}`)];

  const found: Violation[] = [];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (!specifier.endsWith(".ts"))
    found.push(breach("path", line, `imports ${specifier}, which does not end in .ts`));
  if (from !== to && to === "worker") found.push(breach("worker", line, `${from} imports the worker`));
  // What is said over the pipe is written down once, above; of it the worker may name types, which are gone at run time.
  const isTypeOfProtocol = one.isTypeOnly && target === PROTOCOL;
  if (from === "worker" && !["worker", "profile", "errors.ts"].includes(to) && !isTypeOfProtocol) {
    found.push(breach("worker", line, `the worker imports ${to}`));
  }
  if (from !== to && to === "inbox") found.push(breach("browser", line, `${from} imports the inbox`));
  const isInBrowsers = to === "inbox" || one.isTypeOnly || IN_BROWSERS.includes(target);
  if (from === "inbox" && !isInBrowsers) found.push(breach("browser", line, `the inbox imports ${to}`));
  // The command line opens other integrations, and loads one when it is asked to.
  const isOpened = from === "cli" && (one.isLate || one.isTypeOnly);
  if (
    from !== to &&
    INTEGRATIONS.includes(to) &&
    !isOpened &&
    [...INTEGRATIONS, "entry", "index.ts"].includes(from)
  ) {
    found.push(breach("integration", line, `${from} imports the integration ${to}`));
  }
  if (positionOf(target) > positionOf(file)) found.push(breach("order", line, `${from} is above ${to}`));
  const place = Object.values(OPTIONAL).find((one) => liesIn(one, target));
  if (place !== undefined && !liesIn(place, file) && !one.isTypeOnly && !one.isLate)
    found.push(breach("optional", line, `imports ${target} before it is needed`));
  // A type is gone at run time: `decide` may name the types of the facts that it is given.
  if (isPure(file) && !isPure(target) && !one.isTypeOnly) {
    found.push(breach("pure", line, `reaches ${target}, which is not pure`));
  }
  return found;
}

function packageBreaches(
  file: string,
  { line, specifier, names }: Import,
  breach: Breach,
): readonly Violation[] {
  const name = packageOf(specifier);
  const found: Violation[] = [];
  if (roomOf(file) === "inbox") found.push(breach("browser", line, `the inbox imports ${specifier}`));
  if (/^(cofferdam$|[#/]|file:|data:)/.test(name)) found.push(breach("path", line, `imports ${specifier}`));
  if (STARTERS.includes(name.replace(/^node:/, "")) && file !== SPAWN) {
    found.push(breach("spawn", line, `imports ${specifier}; only ${SPAWN} starts processes`));
  }
  const place = OPTIONAL[name];
  if (place !== undefined && !liesIn(place, file))
    found.push(breach("optional", line, `imports ${specifier}; only ${place} may`));
  const isHashing = name === "node:crypto" && names.length > 0 && names.every((one) => HASHING.includes(one));
  if (isPure(file) && !isHashing && !PURE_PACKAGES.includes(name)) {
    found.push(breach("pure", line, `imports ${specifier}`));
  }
  return found;
}

function effects(facts: ModuleFacts): ModuleFacts["globals"] {
  return facts.globals.filter(({ name }) => EFFECTS.includes(name));
}

/** Every file that `start` loads, at once or late: paths within `src/`. Types are gone at run time. */
export function loadedBy(start: string, files: Readonly<Record<string, string>>): readonly string[] {
  const loaded = new Set([start]);
  for (const file of loaded) {
    for (const { specifier, isTypeOnly } of moduleFacts(file, files[file] ?? "").imports) {
      const target = targetOf(file, specifier);
      if (target !== undefined && !isTypeOnly) loaded.add(target);
    }
  }
  return [...loaded];
}

/** One violation per way back that a walk over all imports finds; types count. */
function cycles(modules: ReadonlyMap<string, ModuleFacts>): readonly Violation[] {
  const found: Violation[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) {
      found.push({ file, line: 1, rule: "cycle", what: [...path.slice(start), file].join(" → ") });
    } else if (!done.has(file)) {
      for (const { specifier } of modules.get(file)?.imports ?? []) {
        const target = targetOf(file, specifier);
        if (target !== undefined) visit(target, [...path, file]);
      }
      done.add(file);
    }
  };
  for (const file of modules.keys()) visit(file, []);
  return found;
}

/** The path within `src/` that a relative specifier means, and undefined for packages. */
function targetOf(file: string, specifier: string): string | undefined {
  return /^\.\.?(\/|$)/.test(specifier) ? posix.join(posix.dirname(file), specifier) : undefined;
}

/** `@scope/name` or `name` of a package's specifier; `node:…` and absolute paths stay whole. */
function packageOf(specifier: string): string {
  if (/^(node:|\/|#)/.test(specifier)) return specifier;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** True for `place.ts`, and for what is in the folder `place`. */
function liesIn(place: string, file: string): boolean {
  return file === `${place}.ts` || file.startsWith(`${place}/`);
}

/** The room of a file: the longest path in the table that holds it. */
export function roomOf(file: string): string {
  const [room = "", inner = ""] = file.split("/", 2);
  return ROOMS.includes(`${room}/${inner}`) ? `${room}/${inner}` : room;
}

function positionOf(file: string): number {
  return ROOMS.indexOf(roomOf(file));
}

function isPure(file: string): boolean {
  return PURE.includes(file) || PURE.includes(roomOf(file));
}
