import { createRequire } from "node:module";
import { resolve } from "node:path";
import { type AbsolutePath, absolutePath, knownPath } from "../profile/path.ts";
import { mappedLibraries } from "./installation/library-parts.ts";

/** What is known of a process before anything of its installation is looked at. */
export interface RunningProcess {
  /** The package's folder, as this code was found in it; with Plug'n'Play the archive that it lies in. */
  readonly folder: AbsolutePath;
  /** The file `.pnp.cjs` by which Yarn's Plug'n'Play finds packages; null without it. */
  readonly plugAndPlay: AbsolutePath | null;
  readonly execPath: AbsolutePath;
  readonly execArgv: readonly string[];
  /** The program that Node was started with, links in its path included; null for none, as for `node -e`. */
  readonly program: AbsolutePath | null;
  /** The libraries that its loader has mapped. */
  readonly libraries: readonly AbsolutePath[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
  /** The caller's home folders. */
  readonly homes: readonly AbsolutePath[];
}

/** This process. */
export function thisRunningProcess(given: Pick<RunningProcess, "env" | "cwd" | "homes">): RunningProcess {
  const { execPath, execArgv, argv, versions } = process;
  const own = absolutePath(resolve(import.meta.dirname, "../.."));
  const yarn = versions["pnp"] === undefined ? null : plugAndPlayOf(own);
  return {
    ...given,
    folder: yarn?.archive ?? own,
    plugAndPlay: yarn?.map ?? null,
    execPath: knownPath(execPath),
    execArgv,
    libraries: mappedLibraries(),
    program: argv[1] === undefined ? null : knownPath(resolve(argv[1])),
  };
}

/** Of a folder in an archive: where its map and the archive really lie (https://yarnpkg.com/advanced/pnpapi). */
function plugAndPlayOf(folder: AbsolutePath): { readonly map: AbsolutePath; readonly archive: AbsolutePath } {
  const load = createRequire(import.meta.url);
  const api: unknown = load("pnpapi");
  const resolveVirtual: unknown =
    typeof api === "object" && api !== null ? Reflect.get(api, "resolveVirtual") : null;
  const real: unknown =
    typeof resolveVirtual === "function" ? Reflect.apply(resolveVirtual, api, [folder]) : null;
  const path = typeof real === "string" ? real : folder;
  return {
    map: knownPath(load.resolve("pnpapi")),
    archive: absolutePath(/^.*?\.zip(?=\/)/.exec(path)?.[0] ?? path),
  };
}
