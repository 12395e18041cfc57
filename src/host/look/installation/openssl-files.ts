import { readdirSync, readFileSync } from "node:fs";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { statsOf, systemPath } from "../nodes.ts";
import type { RunningProcess } from "../running-process.ts";
import { placesOn } from "./way.ts";

type Surroundings = Pick<RunningProcess, "env" | "cwd">;

/** Maximum of files: more would include one another without end. */
const MAX_FILES = 64;

/** The files that an OpenSSL configuration includes, missing or not, and its engines and providers (config(5ssl)). */
export function filesOfOpenssl(file: AbsolutePath, { env, cwd }: Surroundings): readonly AbsolutePath[] {
  const found = new Set<AbsolutePath>();
  const ahead = [file];
  for (let read = 0; read < MAX_FILES; read += 1) {
    const one = ahead.pop();
    if (one === undefined) break;
    const known = new Map<string, string>();
    for (const line of linesOf(one)) {
      const { name, value } = settingOf(line, (variable) => env[variable], known);
      // Without a folder for them, they lie in the folder in which Node was started.
      const base = env["OPENSSL_CONF_INCLUDE"] ?? known.get("includedir");
      const path = base === undefined || value.startsWith("/") ? value : `${base}/${value}`;
      const isIncluded = name === ".include";
      // A library without a slash is searched for in the folders of libraries.
      const isLoaded = LOADED.has(name) && value.includes("/");
      const places = isIncluded ? placesOn(path, cwd) : isLoaded ? placesOn(value, cwd) : [];
      if (isIncluded) ahead.push(...places.filter((place) => !found.has(place)).flatMap(filesAt));
      for (const place of places) found.add(place);
    }
  }
  return [...found];
}

const LOADED = new Set(["dynamic_path", "module", "oid_file"]);

/** The setting in a line, with the values of variables put in; it is remembered for later lines. */
function settingOf(
  line: string,
  ofEnvironment: (variable: string) => string | undefined,
  known: Map<string, string>,
): { readonly name: string; readonly value: string } {
  const [, name = "", written = ""] =
    /^(\.include|\.pragma)\b\s*=?\s*(.*)$/.exec(line) ?? /^([^=]+?)\s*=\s*(.*)$/.exec(line) ?? [];
  const value = written
    .replace(/^(["'])(.*)\1$/, "$2")
    .replace(VARIABLE, (_, inBraces?: string, inBrackets?: string, bare?: string) => {
      const variable = inBraces ?? inBrackets ?? bare ?? "";
      return variable.startsWith("ENV::")
        ? (ofEnvironment(variable.slice(5)) ?? "")
        : (known.get(variable.replace(/^.*::/, "")) ?? "");
    });
  const [, pragma, setting = ""] = /^(\w+)\s*:\s*(.*)$/.exec(value) ?? [];
  if (name === ".pragma" && pragma !== undefined) known.set(pragma, setting);
  else known.set(name, value);
  return { name, value };
}

const VARIABLE = /\$(?:\{([^}]*)\}|\(([^)]*)\)|([\w:]+))/g;

/** An included folder stands for its `*.cnf` and `*.conf`. */
function filesAt(path: AbsolutePath): readonly AbsolutePath[] {
  if (statsOf(path)?.isDirectory() !== true) return [path];
  return readdirSync(systemPath(path), "utf8")
    .filter((name) => /\.c(?:nf|onf)$/.test(name))
    .map((name) => joinPath(path, name));
}

/** A backslash at the end of a line joins it with the next. */
function linesOf(file: AbsolutePath): readonly string[] {
  const text = orNull(() => readFileSync(systemPath(file), "utf8")) ?? "";
  return text
    .replaceAll(/\\\r?\n/g, "")
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}
