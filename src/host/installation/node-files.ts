import { createRequire } from "node:module";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { type AbsolutePath, absolutePath, isAbsolutePath, joinPath, parentOf } from "../../profile/path.ts";
import type { RunningProcess } from "../running-process.ts";
import type { InstalledPart } from "./part.ts";

/** What a process needs to be asked which files its Node obeys. */
type Started = Pick<RunningProcess, "execPath" | "execArgv" | "env" | "cwd" | "homes">;

/** Options of Node that load or read a file before any program (https://nodejs.org/api/cli.html). */
const MODULE_OPTIONS = ["--require", "-r", "--import", "--loader", "--experimental-loader"];
const FILE_OPTIONS = [
  "--env-file",
  "--env-file-if-exists",
  "--experimental-config-file",
  "--openssl-config",
  "--icu-data-dir",
  "--snapshot-blob",
];

/** Variables of one file or folder: Node's own, those of OpenSSL, and those of the loader and the C library (ld.so(8)). */
const ONE_PATH = [
  "NODE_EXTRA_CA_CERTS",
  "NODE_COMPILE_CACHE",
  "NODE_ICU_DATA",
  "OPENSSL_CONF",
  "OPENSSL_MODULES",
  "OPENSSL_ENGINES",
  "SSL_CERT_FILE",
];
/** Variables of several, with `:` between them. */
const SEVERAL_PATHS = ["NODE_PATH", "SSL_CERT_DIR", "LD_LIBRARY_PATH", "GCONV_PATH", "LOCPATH"];
/** The loader also takes blanks between these. */
const SEVERAL_LIBRARIES = ["LD_PRELOAD", "LD_AUDIT"];

/**
 * Files and folders that this process's Node loads because its options or its environment name them. They are obeyed at
 * each later start in the same environment, so a tool must not be able to make or change one.
 */
export function filesThatNodeObeys(started: Started): readonly InstalledPart[] {
  const { execPath, execArgv, env, cwd, homes } = started;
  const options = [...execArgv, ...wordsOf(env["NODE_OPTIONS"] ?? "")];
  const named = options.flatMap((word, at) => namedBy(word, options[at + 1], cwd));
  const what = (name: string): string => `named by ${name}`;
  return [
    ...named.map((path): InstalledPart => ({ path, what: what("an option of Node") })),
    ...ONE_PATH.flatMap((name) => partsOf(name, [env[name] ?? ""], cwd)),
    ...SEVERAL_PATHS.flatMap((name) => partsOf(name, (env[name] ?? "").split(":"), cwd)),
    ...SEVERAL_LIBRARIES.flatMap((name) => partsOf(name, (env[name] ?? "").split(/[:\s]/), cwd)),
    // The folders that `require` searches last (https://nodejs.org/api/modules.html#loading-from-the-global-folders).
    ...[
      ...homes.flatMap((home) => [joinPath(home, ".node_modules"), joinPath(home, ".node_libraries")]),
      joinPath(parentOf(parentOf(execPath)), "lib/node"),
    ].map((path): InstalledPart => ({ path, what: "searched by Node" })),
  ];
}

function partsOf(variable: string, words: readonly string[], cwd: AbsolutePath): readonly InstalledPart[] {
  return words.flatMap((word) => {
    const path = word === "" ? null : pathFrom(word, cwd);
    return path === null ? [] : [{ path, what: `named by ${variable}` }];
  });
}

/** What one word of an option names, perhaps together with the next word: `--import=./a.js`, `--require ./a.js`. */
function namedBy(word: string, next: string | undefined, cwd: AbsolutePath): readonly AbsolutePath[] {
  const [name = "", ...rest] = word.split("=");
  const value = rest.length > 0 ? rest.join("=") : (next ?? "");
  if (value === "") return [];
  const path = MODULE_OPTIONS.includes(name)
    ? moduleFrom(value, cwd)
    : FILE_OPTIONS.includes(name)
      ? pathFrom(value, cwd)
      : null;
  return path === null ? [] : [path];
}

/** A module as Node finds it from the current folder; null for one that is Node's own, or that is not there. */
function moduleFrom(named: string, cwd: AbsolutePath): AbsolutePath | null {
  if (named.startsWith("file:") || /^\.{0,2}\//.test(named)) return pathFrom(named, cwd);
  try {
    const path = createRequire(joinPath(cwd, "module.js")).resolve(named);
    return isAbsolutePath(path) ? path : null;
  } catch {
    return null;
  }
}

function pathFrom(word: string, cwd: AbsolutePath): AbsolutePath | null {
  try {
    return absolutePath(posix.resolve(cwd, word.startsWith("file:") ? fileURLToPath(word) : word));
  } catch {
    return null;
  }
}

/** Words as Node splits `NODE_OPTIONS`: at blanks, but for those in double quotes; a backslash takes one character as it is. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/\\(.)/g, "$1")),
  );
}
