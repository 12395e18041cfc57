import { basename } from "node:path";
import { visible } from "../errors.ts";
import { LANGUAGES } from "../host/runtimes/language.ts";
import { type AbsolutePath, nameOf, namesOf, parentOf } from "../profile/path.ts";
import type { ToolSettings } from "../tool/derive.ts";

type Settings = Pick<ToolSettings, "runtimes">;

/** Programs that come with a language under names of their own. */
const SHIPPED: Readonly<Record<string, RegExp>> = {
  node: /^(npm|npx|corepack)$/,
  python: /^(pip[\d.]*|pydoc[\d.]*|idle[\d.]*)$/,
  rust: /^(cargo(-\w+)?|rustdoc|rustfmt)$/,
  go: /^gofmt$/,
  java: /^(javac|javap|javadoc|jar|jshell|jlink|jpackage|jstack|jcmd|keytool)$/,
  haskell: /^(ghci|runghc|runhaskell|ghc-pkg|hsc2hs|haddock)$/,
};

/** The runtime that a program of this name belongs to; null for one that no runtime is known for. */
export function runtimeOf(program: string): string | null {
  const name = basename(program);
  const language = LANGUAGES.find(
    (one) => one.program === name || one.fileName.test(name) || SHIPPED[one.name]?.test(name) === true,
  );
  return language?.name ?? null;
}

/** What to add to the config for a program that is looked for by name. */
export function addRuntimeNamed(program: string, settings: Settings): string {
  const runtime = unlistedRuntime(program, settings);
  if (runtime !== null) return `add \`${runtime}\` under \`sandbox.runtimes\``;
  return `add its folder under \`sandbox.runtimes\`: \`{ name: ${nameFrom(program)}, read: [/its/folder] }\``;
}

/** What to add to the config for a program at a path that is not shown. */
export function addRuntimeOf(path: AbsolutePath, settings: Settings): string {
  if (isTooWide(parentOf(path)))
    return "move it to a folder of its own, and add that folder under `sandbox.runtimes`";
  const byHand = `\`{ name: ${listedName(path)}, read: [${visible(folderFor(path)).slice(1, -1)}] }\``;
  const runtime = unlistedRuntime(path, settings);
  return runtime === null
    ? `if this machine has it, add ${byHand} under \`sandbox.runtimes\``
    : `add \`${runtime}\` under \`sandbox.runtimes\`; where it is not the one on your PATH, add ${byHand}`;
}

function unlistedRuntime(program: string, { runtimes }: Settings): string | null {
  const runtime = runtimeOf(program);
  return runtime === null || runtimes.some(({ name }) => name === runtime) ? null : runtime;
}

/**
 * The folder to list: where a language is installed, for its interpreter reads what lies beside `bin`; else the program's
 * own. `/usr/local` and `~/.local` are installed to by many, and a folder near the top holds other things.
 */
function folderFor(path: AbsolutePath): AbsolutePath {
  const own = parentOf(path);
  const prefix = parentOf(own);
  const isShared = ["local", ".local"].includes(nameOf(prefix)) || isTooWide(prefix);
  return runtimeOf(path) === null || nameOf(own) !== "bin" || isShared ? own : prefix;
}

/** A folder such as `/opt`, `/etc` or a home, in which all kinds of things lie. */
function isTooWide(path: AbsolutePath): boolean {
  return namesOf(path).length < 2 || parentOf(path) === "/home";
}

/** Named after the program and its version, so that it is no other runtime's name: `python3.11`, or `python-tool`. */
function listedName(path: AbsolutePath): string {
  const name = nameFrom(path);
  return runtimeOf(path) === name ? `${name}-here` : name;
}

function nameFrom(program: string): string {
  const name = basename(program)
    .replace(/[^A-Za-z0-9_.-]/g, "")
    .replace(/^[^A-Za-z0-9]+/, "");
  return name === "" || name === "system" ? "tools" : name.slice(0, 64);
}
