import { spawnSync } from "node:child_process";
import { accessSync, constants, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { helpFor, isCommand } from "../../../src/cli/help.ts";
import { parseLine } from "../../../src/shell/parse.ts";
import { isOpaque } from "../../../src/shell/word.ts";

/** Which of the shells that scripts are written for can't read one, in words. */
export function syntaxFaults(script: string, shells: readonly string[] = ["sh", "bash"]): readonly string[] {
  return shells.flatMap((shell) => {
    const { status, error } = spawnSync(shell, ["-n"], { input: script, encoding: "utf8" });
    if (error !== undefined) throw error;
    return status === 0 ? [] : [`${shell} can't read it`];
  });
}

/** What a script names and this checkout does not have: files, npm scripts, options, rooms, variables; in words. */
export function missingFrom(root: string, script: string): readonly string[] {
  const { commands } = parseLine(script);
  const missing = commands.flatMap(({ words }) =>
    missingFor(
      root,
      words.filter((word) => !isOpaque(word)),
    ),
  );
  return [...missing, ...unreadVariables(root, script)];
}

/** Which of our variables a text names that nothing here reads, in words. */
export function unreadVariables(root: string, text: string): readonly string[] {
  const places = ["scripts/test", "scripts/lib/*.sh", "vitest.config.ts", "test/{support,kernel}/**/*.ts"];
  const sources = globSync(places, { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
  const named = [...new Set(text.match(/\bCOFFERDAM_[A-Z_]+/g))];
  return named
    .filter((name) => !sources.some((source) => source.includes(name)))
    .map((name) => `nothing reads ${name}`);
}

function missingFor(root: string, words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    const rest = words.slice(at + 1);
    if (word === "npm") return missingFromNpm(root, rest);
    if (!/^\.?\w[\w.-]*(?:\/[\w.-]+)+$/.test(word)) return [];
    if (globSync(`${word}*`, { cwd: root }).length === 0) return [`there is no ${word}`];
    if (word.startsWith("scripts/") || word.startsWith(".ci/")) {
      if (!isProgram(join(root, word))) return [`${word} can't be run`];
      if (word === "scripts/test") return missingFromTest(root, rest);
      if (word === "scripts/cofferdam") return missingFromCofferdam(rest);
    }
    return [];
  });
}

const Package = z.object({ scripts: z.record(z.string(), z.string()) });

function missingFromNpm(root: string, [verb = "", ...rest]: readonly string[]): readonly string[] {
  const { scripts } = Package.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const name = verb === "run" ? rest.find((word) => !word.startsWith("-")) : verb === "test" ? verb : null;
  return name === null || (name !== undefined && Object.hasOwn(scripts, name))
    ? []
    : [`there is no npm script ${name}`];
}

/** `scripts/test` says itself which options it has; a room has a folder in `test/`, or files that begin with its name. */
function missingFromTest(root: string, words: readonly string[]): readonly string[] {
  const { stdout } = spawnSync("sh", [join(root, "scripts/test"), "--help"], { encoding: "utf8" });
  const options = new Map(
    Array.from(stdout.matchAll(/^ {2}(--[a-z-]+)( [A-Z]+)?/gm), ([, name = "", value]) => [
      name,
      value !== undefined,
    ]),
  );
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? "";
    if (before === "--room") return isRoom(root, word) ? [] : [`no tests are of the room ${word}`];
    return options.get(before) === true || options.has(word) ? [] : [`scripts/test has no ${word}`];
  });
}

function isRoom(root: string, name: string): boolean {
  const places = globSync(["test/**/*.ts", "examples/**/*.ts"], { cwd: root }).map((path) => `/${path}`);
  return name !== "" && places.some((place) => place.includes(`/${name}/`) || place.includes(`/${name}.`));
}

function missingFromCofferdam([command = "", ...words]: readonly string[]): readonly string[] {
  if (!isCommand(command)) return [`cofferdam has no ${command}`];
  const options = new Set(
    Array.from(helpFor(command).matchAll(/^ {2}(--[a-z-]+)/gm), ([, option]) => option),
  );
  return words
    .filter((word) => word.startsWith("-") && !options.has(word))
    .map((word) => `cofferdam ${command} has no ${word}`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
