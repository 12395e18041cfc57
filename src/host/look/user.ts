import { constants, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { type AbsolutePath, absolutePath, isAbsolutePath, knownPath } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { canAccess } from "./nodes.ts";

/** The user of the supervisor, and the places of their files. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  /** The one home by which identity, trust, state and versions of programs are found: see `chooseHome`. */
  readonly home: AbsolutePath;
  /** The home in the user database, if that is another folder. It is protected like the home. */
  readonly listedHome?: AbsolutePath;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The home of a user without one, as in passwd(5) of most systems. */
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
 * Decides which home counts. `HOME` counts if the folder belongs to this user and no others may write in it. It also
 * counts if the user database knows no home (`listed` is null) and this user may write there. Otherwise the user
 * database decides. The person who starts the supervisor sets `HOME`; nothing in a repository can.
 */
export function chooseHome(listed: AbsolutePath | null, HOME: string | undefined, uid: number): ChosenHome {
  const named = namedHome(HOME);
  const otherwise =
    listed === null
      ? { home: NOWHERE, because: `the user database does not know user ${uid}` }
      : { home: listed, because: "from the user database" };
  if (named === null) {
    const unusable =
      HOME === undefined || HOME === "" ? "HOME is not set" : "HOME is not the path of a folder below `/`";
    return {
      home: otherwise.home,
      why: listed === null ? `${otherwise.because} and ${unusable}` : otherwise.because,
    };
  }
  if (named === listed) return { home: named, why: "from the user database and HOME" };
  const problem = whyNotOwn(named, uid);
  if (problem === null) return { home: named, why: "from HOME, where only this user can write" };
  if (listed === null && mayWrite(named)) return { home: named, why: `from HOME, and ${otherwise.because}` };
  return { home: otherwise.home, why: `${otherwise.because}; HOME is ${named}, which ${problem}` };
}

function whyNotOwn(folder: AbsolutePath, uid: number): string | null {
  const stats = followed(folder);
  if (stats === null) return "does not exist";
  if (!stats.isDirectory()) return "is not a folder";
  if (stats.uid !== uid) return `belongs to user ${stats.uid}`;
  return (stats.mode & 0o022) === 0 ? null : "other users can write in";
}

function followed(path: AbsolutePath): Stats | null {
  return orNull(() => statSync(path));
}

function mayWrite(folder: AbsolutePath): boolean {
  return canAccess(folder, constants.W_OK | constants.X_OK) && followed(folder)?.isDirectory() === true;
}

/** The folder that `HOME` names; null for `/`, which belongs to no user, and for anything but an absolute path. */
function namedHome(HOME: string | undefined): AbsolutePath | null {
  const named = (HOME ?? "").replace(/(?<=.)\/+$/, "");
  return isAbsolutePath(named) && named !== "/" ? named : null;
}

/** A user with the environment that names their home. */
export interface AtHome {
  readonly user: User;
  readonly env: Environment;
}

/**
 * Every folder that is, or may be, the caller's home: the chosen one, the user database's, and that of `HOME` with any
 * owner, since programs obey it. Names protected in a home are protected in each.
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

/** The home that programs outside the sandbox obey: that of `HOME`, with any owner. */
export function homeOfPrograms({ user, env }: AtHome): AbsolutePath {
  return namedHome(env["HOME"]) ?? user.home;
}
