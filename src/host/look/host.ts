import { randomUUID } from "node:crypto";
import type { NameFiles } from "../../backend/facts.ts";
import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, absolutePath, joinPath, knownPath } from "../../profile/path.ts";
import { findInstallation, type Installation } from "./installation.ts";
import type { SimulatedMac } from "./mac/simulated.ts";
import { readNameFiles } from "./name-files.ts";
import { statsOf } from "./nodes.ts";
import { OUTSIDE, type Outside } from "./outside.ts";
import { thisRunningProcess } from "./running-process.ts";
import { currentUser, homesOf, type User } from "./user.ts";

/**
 * The machine, as the one parameter through which effects come in: identity, places, clock and ids. Rooms that read
 * files do so themselves; their paths come from here.
 */
export interface Host {
  readonly platform: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
  readonly user: User;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsolutePath;
  /** The folder of journal, trust, ledger and attestations: 0700, in no root. */
  readonly stateFolder: AbsolutePath;
  /** Folders whose `*.yaml` files are operator profiles: the machine's, then the user's. */
  readonly operatorFolders: readonly AbsolutePath[];
  /** Folders in which helpers such as `bwrap` are looked for, in order; never in PATH. */
  readonly helperFolders: readonly AbsolutePath[];
  /** A simulated Mac whose rules are to be read here: plans are derived as there, and nothing runs. Mostly null. */
  readonly simulated: SimulatedMac | null;
  /** The effects beyond this machine. */
  readonly outside: Outside;
  /** How this machine looks names up, read again each time: networks come and go. */
  readonly nameFiles: () => NameFiles;
  /** The installation of the product, looked up on first use. */
  readonly installation: () => Installation;
  /** Milliseconds since 1970. */
  now(): number;
  /** A fresh id, never seen before. */
  id(): string;
}

/**
 * The machine this process runs on. Throws `SANDBOX_UNAVAILABLE` on a platform without a backend, `CONFIG_INVALID` if
 * `XDG_STATE_HOME` is not an absolute path.
 */
export function thisHost(overrides: Partial<Host> = {}): Host {
  const { platform, arch } = process;
  const env = { ...process.env };
  if ((platform !== "linux" && platform !== "darwin") || (arch !== "x64" && arch !== "arm64")) {
    throw new CofferdamError("SANDBOX_UNAVAILABLE", `cofferdam has no sandbox for ${platform} on ${arch}`, {
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
    simulated: null,
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

/** On macOS, files below `/usr/local` belong to the user who installs programs there. */
const HELPER_FOLDERS = {
  linux: ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"],
  darwin: ["/usr/bin", "/bin", "/usr/sbin", "/sbin"],
} as const;

/** The XDG Base Directory Specification: an empty variable counts as unset, and "all paths must be absolute". */
function stateFolderOf(xdg: string | undefined, home: AbsolutePath): AbsolutePath {
  if (xdg === undefined || xdg === "") return joinPath(home, ".local/state/cofferdam");
  try {
    return joinPath(absolutePath(xdg), "cofferdam");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CofferdamError("CONFIG_INVALID", `invalid XDG_STATE_HOME: ${why}`, {
      hint: "set it to the absolute path of a folder, or unset it",
      cause,
    });
  }
}
