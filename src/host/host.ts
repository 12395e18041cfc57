import { randomUUID } from "node:crypto";
import type { NameFiles } from "../backend/facts.ts";
import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, absolutePath, joinPath, knownPath } from "../profile/path.ts";
import { findInstallation, type Installation } from "./installation.ts";
import type { StatedMac } from "./mac/stated.ts";
import { readNameFiles } from "./name-files.ts";
import { statsOf } from "./nodes.ts";
import { OUTSIDE, type Outside } from "./outside.ts";
import { thisRunningProcess } from "./running-process.ts";
import { currentUser, homesOf, type User } from "./user.ts";

/**
 * The machine, as the one parameter through which effects come in: identity, places, clock and ids. Rooms that read
 * files do so themselves; which files, they learn from here.
 */
export interface Host {
  readonly platform: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
  readonly user: User;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
  /** Journal, trust, ledger and attestations live here: 0700, in no root. */
  readonly stateFolder: AbsolutePath;
  /** Folders whose `*.yaml` files are operator profiles: the machine's, then the user's. */
  readonly operatorFolders: readonly AbsolutePath[];
  /** Where helpers such as `bwrap` are looked for, in order; never in PATH. */
  readonly helperFolders: readonly AbsolutePath[];
  /** A Mac whose rules are to be read here: what is derived is what it would be there, and nothing runs. Mostly null. */
  readonly stated: StatedMac | null;
  /** What lies beyond this machine. */
  readonly outside: Outside;
  /** How this machine looks names up, read anew each time: networks come and go. */
  readonly nameFiles: () => NameFiles;
  /** Where the product is installed, looked up when it is first asked for. */
  readonly installation: () => Installation;
  /** Milliseconds since 1970. */
  now(): number;
  /** A fresh id, never seen before. */
  id(): string;
}

/**
 * The machine this process runs on. Throws `SANDBOX_UNAVAILABLE` on a platform that has no backend, `CONFIG_INVALID`
 * where `XDG_STATE_HOME` is no absolute path.
 */
export function thisHost(overrides: Partial<Host> = {}): Host {
  const { platform, arch } = process;
  const env = { ...process.env };
  if ((platform !== "linux" && platform !== "darwin") || (arch !== "x64" && arch !== "arm64")) {
    throw new CofferdamError("SANDBOX_UNAVAILABLE", `there is no sandbox for ${platform} on ${arch}`, {
      hint: "use Linux or macOS on x86-64 or arm64",
    });
  }
  const user = currentUser(env);
  const cwd = knownPath(process.cwd());
  return {
    platform,
    arch,
    user,
    env,
    cwd,
    stateFolder: stateFolderOf(env["XDG_STATE_HOME"], user.home),
    operatorFolders: [
      absolutePath("/etc/cofferdam/profiles.d"),
      ...homesOf({ user, env })
        .filter((home) => [user.home, user.listedHome].includes(home) || statsOf(home)?.uid === user.uid)
        .map((home) => joinPath(home, ".config/cofferdam/profiles.d")),
    ],
    helperFolders: HELPER_FOLDERS[platform].map(absolutePath),
    stated: null,
    outside: OUTSIDE,
    nameFiles: readNameFiles,
    installation: installationOnce({ env, cwd, homes: homesOf({ user, env }) }),
    now: Date.now,
    id: randomUUID,
    ...overrides,
  };
}

function installationOnce(given: Parameters<typeof thisRunningProcess>[0]): Host["installation"] {
  let found: Installation | null = null;
  return () => {
    found ??= findInstallation(thisRunningProcess(given));
    return found;
  };
}

/** What is below `/usr/local` on macOS belongs to whoever installs programs there. */
const HELPER_FOLDERS = {
  linux: ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"],
  darwin: ["/usr/bin", "/bin", "/usr/sbin", "/sbin"],
} as const;

/** By the XDG Base Directory Specification: an empty variable is none, and "all paths must be absolute". */
function stateFolderOf(xdg: string | undefined, home: AbsolutePath): AbsolutePath {
  if (xdg === undefined || xdg === "") return joinPath(home, ".local/state/cofferdam");
  try {
    return joinPath(absolutePath(xdg), "cofferdam");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CofferdamError("CONFIG_INVALID", `XDG_STATE_HOME names no folder: ${why}`, {
      hint: "set it to an absolute path, or unset it",
      cause,
    });
  }
}
