import { basename } from "node:path";
import { LANGUAGES } from "../host/look/runtimes/language.ts";
import { yamlText } from "../host/look/runtimes/written.ts";
import { type AbsolutePath, namesOf, parentOf } from "../profile/path.ts";
import type { ToolSettings } from "../tool/derive.ts";

type Settings = Pick<ToolSettings, "runtimes">;

/** Programs that come with a language under their own names. */
const SHIPPED: Readonly<Record<string, RegExp>> = {
  node: /^(npm|npx|corepack)$/,
  python: /^(pip[\d.]*|pydoc[\d.]*|idle[\d.]*)$/,
  rust: /^(cargo(-\w+)?|rustdoc|rustfmt)$/,
  go: /^gofmt$/,
  java: /^(javac|javap|javadoc|jar|jshell|jlink|jpackage|jstack|jcmd|keytool)$/,
  haskell: /^(ghci|runghc|runhaskell|ghc-pkg|hsc2hs|haddock)$/,
};

/** The runtime of a program with this name; null if none is known. */
export function runtimeOf(program: string): string | null {
  const name = basename(program);
  const language = LANGUAGES.find(
    (one) => one.program === name || one.fileName.test(name) || SHIPPED[one.name]?.test(name) === true,
  );
  return language?.name ?? null;
}

/** Says which runtime to add to the config for a program searched by name. */
export function addRuntimeNamed(program: string, settings: Settings): string {
  const runtime = unlistedRuntime(program, settings);
  if (runtime !== null) return `add \`${runtime}\` under \`sandbox.runtimes\``;
  return `check its spelling; if this machine has it, add its folder under \`sandbox.runtimes\`${asListed(program)}`;
}

/** Says how to add a hidden program to the config, without its path: the call or a link may have chosen that. */
export function addRuntimeOf(path: AbsolutePath, settings: Settings): string {
  const folder = parentOf(path);
  // A folder such as `/opt`, `/etc` or a home holds all kinds of files.
  if (namesOf(folder).length < 2 || parentOf(folder) === "/home")
    return "move it to a separate folder, and add that folder under `sandbox.runtimes`";
  const runtime = unlistedRuntime(path, settings);
  return runtime === null
    ? `if you trust that program, add its folder under \`sandbox.runtimes\`${asListed(path)}`
    : `add \`${runtime}\` under \`sandbox.runtimes\`; if it is not the one on your PATH and you trust it, add its folder${asListed(path)}`;
}

function unlistedRuntime(program: string, { runtimes }: Settings): string | null {
  const runtime = runtimeOf(program);
  return runtime === null || runtimes.some(({ name }) => name === runtime) ? null : runtime;
}

/** The config entry for its folder; empty if its name could be read as something else. */
function asListed(program: string): string {
  const name = basename(program);
  if (!/^[\w.+@-]+$/.test(name)) return "";
  return `: \`{ name: ${yamlText(listedName(name))}, read: [/its/folder] }\``;
}

/** A name from the program and its version that is no other runtime's: `python3.11`, or `python-here`. */
function listedName(program: string): string {
  const name = program.replace(/[^A-Za-z0-9_.-]/g, "").replace(/^[^A-Za-z0-9]+/, "");
  if (name === "" || name === "system") return "tools";
  return runtimeOf(name) === name ? `${name}-here` : name.slice(0, 64);
}
