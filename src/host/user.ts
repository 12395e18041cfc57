import { accessSync, constants, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { type AbsolutePath, absolutePath, isAbsolutePath, knownPath } from "../profile/path.ts";

/** Who runs the supervisor, and where what is theirs lies. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  /** The one home by which identity, trust, state and versions of programs are found: see `chooseHome`. */
  readonly home: AbsolutePath;
  /** What the user database says, where that is another folder. It is protected like the home. */
  readonly listedHome?: AbsolutePath;
}

/** The variables that say where a home is. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Where a user without a home has one, as in passwd(5) of most systems. */
const NOWHERE = knownPath("/nonexistent");

/** The caller. A uid without an entry in the user database, as in some containers, has its number for a name. */
export function currentUser(env: Environment): User {
  const listed = listedUser();
  const { uid, gid, name } = listed;
  const { home } = chooseHome(listed.home, env["HOME"], uid);
  return listed.home === null || listed.home === home
    ? { uid, gid, name, home }
    : { uid, gid, name, home, listedHome: listed.home };
}

function listedUser() {
  try {
    const { uid, gid, username, homedir } = userInfo();
    return { uid, gid, name: username, home: absolutePath(homedir) };
  } catch {
    const [uid, gid] = [process.getuid?.() ?? 65534, process.getgid?.() ?? 65534];
    return { uid, gid, name: String(uid), home: null };
  }
}

/** A home, and the reason for it: the end of a sentence. */
export interface ChosenHome {
  readonly home: AbsolutePath;
  readonly why: string;
}

/**
 * The one rule for which home counts. `HOME` counts where the folder belongs to this user and nobody else may write in it.
 * It also counts where the user database knows no home (`listed` is null) and this user may write there. Otherwise the user
 * database decides. Who starts the supervisor sets `HOME`; nothing in a repository can.
 */
export function chooseHome(listed: AbsolutePath | null, HOME: string | undefined, uid: number): ChosenHome {
  const named = namedHome(HOME);
  const otherwise =
    listed === null
      ? { home: NOWHERE, because: `the user database does not know user ${uid}` }
      : { home: listed, because: "the user database says so" };
  if (named === null) {
    const unusable =
      HOME === undefined || HOME === "" ? "HOME is not set" : "HOME is not the path of a folder below `/`";
    return {
      home: otherwise.home,
      why: listed === null ? `${otherwise.because} and ${unusable}` : otherwise.because,
    };
  }
  if (named === listed) return { home: named, why: "the user database and HOME say so" };
  const problem = whyNotOwn(named, uid);
  if (problem === null)
    return { home: named, why: "HOME says so, and the folder belongs to this user alone" };
  if (listed === null && mayWrite(named))
    return { home: named, why: `HOME says so, and ${otherwise.because}` };
  return { home: otherwise.home, why: `${otherwise.because}; HOME is ${named}, which ${problem}` };
}

/** Why a folder does not count as the user's own; null where it does. */
function whyNotOwn(folder: AbsolutePath, uid: number): string | null {
  const stats = followed(folder);
  if (stats === null) return "is not there";
  if (!stats.isDirectory()) return "is not a folder";
  if (stats.uid !== uid) return `belongs to user ${stats.uid}`;
  return (stats.mode & 0o022) === 0 ? null : "others may write in";
}

function followed(path: AbsolutePath): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function mayWrite(folder: AbsolutePath): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return followed(folder)?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** The folder that `HOME` names; null for `/`, which is nobody's, and for what is no path from `/`. */
function namedHome(HOME: string | undefined): AbsolutePath | null {
  const named = (HOME ?? "").replace(/(?<=.)\/+$/, "");
  return isAbsolutePath(named) && named !== "/" ? named : null;
}

/** A user with the environment that speaks of their home. */
export interface AtHome {
  readonly user: User;
  readonly env: Environment;
}

/**
 * Every folder that is, or may be, the caller's home: the chosen one, the user database's, and that of `HOME` whoever owns
 * it, since programs obey it. What is protected in a home is protected in each.
 */
export function homesOf({ user, env }: AtHome): readonly [AbsolutePath, ...AbsolutePath[]] {
  const others = [user.listedHome ?? null, namedHome(env["HOME"])];
  const more = others.filter((home) => home !== null && home !== user.home);
  return [user.home, ...new Set(more.flatMap((home) => home ?? []))];
}

/** The reason for which the caller's home counts: the end of a sentence. */
export function whyHome({ user, env }: AtHome): string {
  const listed = user.listedHome ?? (listedUser().home === null ? null : user.home);
  return chooseHome(listed, env["HOME"], user.uid).why;
}

/** The home that programs outside the sandbox obey: that of `HOME`, whoever owns it. */
export function homeOfPrograms({ user, env }: AtHome): AbsolutePath {
  return namedHome(env["HOME"]) ?? user.home;
}
