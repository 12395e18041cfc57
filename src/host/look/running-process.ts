// Not by name: a Node that is too old lacks `getCompileCacheDir`, and could then not report that it is too old.
import * as modules from "node:module";
import { resolve } from "node:path";
import { type AbsolutePath, absolutePath, knownPath, parentOf } from "../../profile/path.ts";
import { PACKAGE_FOLDER } from "../package-folder.ts";
import { mappedLibraries } from "./installation/library-parts.ts";
import { type PlugAndPlay, plugAndPlayOf } from "./installation/plug-and-play.ts";

/** Facts about a process before any look at its installation. */
export interface RunningProcess {
  /** The package's folder, as this code was found in it; with Plug'n'Play the archive around it. */
  readonly folder: AbsolutePath;
  readonly plugAndPlay: PlugAndPlay | null;
  readonly execPath: AbsolutePath;
  readonly execArgv: readonly string[];
  /** The program that Node was started with, links in its path included; null for none, as for `node -e`. */
  readonly program: AbsolutePath | null;
  readonly libraries: readonly AbsolutePath[];
  /** The folder for Node's compiled code, with a folder for each version; null if it is not used. */
  readonly compileCache: AbsolutePath | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
  readonly homes: readonly AbsolutePath[];
}

/** This process. */
export function thisRunningProcess(given: Pick<RunningProcess, "env" | "cwd" | "homes">): RunningProcess {
  const { execPath, execArgv, argv, versions } = process;
  const own = absolutePath(PACKAGE_FOLDER);
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
