import { basename } from "node:path";
import { LANGUAGES } from "../host/runtimes/language.ts";
import { yamlText } from "../host/runtimes/written.ts";
import { type AbsolutePath, namesOf, parentOf } from "../profile/path.ts";
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

/** Tells which runtime to add to the config for a program that is looked for by name. */
export function addRuntimeNamed(program: string, settings: Settings): string {
  const runtime = unlistedRuntime(program, settings);
  if (runtime !== null) return `add \`${runtime}\` under \`sandbox.runtimes\``;
  return `check how it is spelt; if this machine has it, add its folder under \`sandbox.runtimes\`${asListed(program)}`;
}

/**
 * Tells what to add to the config for a program at a path that is not shown. The path stands in no line to paste: the call, or a
 * script or a link that it may have made, chose it.
 */
export function addRuntimeOf(path: AbsolutePath, settings: Settings): string {
  if (isTooWide(parentOf(path)))
    return "move it to a folder of its own, and add that folder under `sandbox.runtimes`";
  const runtime = unlistedRuntime(path, settings);
  return runtime === null
    ? `if you know that program, add its folder under \`sandbox.runtimes\`${asListed(path)}`
    : `add \`${runtime}\` under \`sandbox.runtimes\`; where it is not the one on your PATH and you know it, add its folder${asListed(path)}`;
}

function unlistedRuntime(program: string, { runtimes }: Settings): string | null {
  const runtime = runtimeOf(program);
  return runtime === null || runtimes.some(({ name }) => name === runtime) ? null : runtime;
}

/** A folder such as `/opt`, `/etc` or a home, in which all kinds of things lie. */
function isTooWide(path: AbsolutePath): boolean {
  return namesOf(path).length < 2 || parentOf(path) === "/home";
}

/** How its folder is listed; nothing where its name could be read as something else. */
function asListed(program: string): string {
  const name = basename(program);
  if (!/^[\w.+@-]+$/.test(name)) return "";
  return `: \`{ name: ${yamlText(listedName(name))}, read: [/its/folder] }\``;
}

/** Named after the program and its version, so that it is no other runtime's name: `python3.11`, or `python-here`. */
function listedName(program: string): string {
  const name = program.replace(/[^A-Za-z0-9_.-]/g, "").replace(/^[^A-Za-z0-9]+/, "");
  if (name === "" || name === "system") return "tools";
  return runtimeOf(name) === name ? `${name}-here` : name.slice(0, 64);
}
