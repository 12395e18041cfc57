// Not by name: a Node that is too old lacks `getCompileCacheDir`, and could then not say that it is too old.
import * as modules from "node:module";
import { resolve } from "node:path";
import { type AbsolutePath, absolutePath, knownPath, parentOf } from "../profile/path.ts";
import { mappedLibraries } from "./installation/library-parts.ts";
import { type PlugAndPlay, plugAndPlayOf } from "./installation/plug-and-play.ts";

/** What is known of a process before anything of its installation is looked at. */
export interface RunningProcess {
  /** The package's folder, as this code was found in it; with Plug'n'Play the archive that it lies in. */
  readonly folder: AbsolutePath;
  /** How Yarn's Plug'n'Play finds packages; null without it. */
  readonly plugAndPlay: PlugAndPlay | null;
  readonly execPath: AbsolutePath;
  readonly execArgv: readonly string[];
  /** The program that Node was started with, links in its path included; null for none, as for `node -e`. */
  readonly program: AbsolutePath | null;
  /** The libraries that its loader has mapped. */
  readonly libraries: readonly AbsolutePath[];
  /** Where Node keeps compiled code and takes it from, for each version a folder; null where it does not. */
  readonly compileCache: AbsolutePath | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
  /** The caller's home folders. */
  readonly homes: readonly AbsolutePath[];
}

/** This process. */
export function thisRunningProcess(given: Pick<RunningProcess, "env" | "cwd" | "homes">): RunningProcess {
  const { execPath, execArgv, argv, versions } = process;
  const own = absolutePath(resolve(import.meta.dirname, "../.."));
  const compiled = modules.getCompileCacheDir();
  const plugAndPlay = versions["pnp"] === undefined ? null : plugAndPlayOf(own);
  return {
    ...given,
    folder: plugAndPlay?.packages[0] ?? own,
    plugAndPlay,
    execPath: knownPath(execPath),
    execArgv,
    libraries: mappedLibraries(),
    compileCache: compiled === undefined ? null : parentOf(absolutePath(resolve(compiled))),
    program: argv[1] === undefined ? null : knownPath(resolve(argv[1])),
  };
}
