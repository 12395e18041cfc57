import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect } from "node:net";
import { isUnwritable, printFailure, type Way, walk } from "../config/safe-file.ts";
import { CofferdamError, visible } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, parentOf } from "../profile/path.ts";

/** The kernel's own bound, with the NUL at the end (unix(7); on macOS it is 104). */
const MOST_BYTES = 103;

/**
 * Makes sure that a socket can be put there and nobody else could put another in its place, and removes one that a server
 * has left that is no more. Throws `USAGE` where that can't be had.
 */
export async function makeWay(path: AbsolutePath): Promise<void> {
  if (Buffer.byteLength(path) > MOST_BYTES)
    throw refused(path, `is longer than ${MOST_BYTES} bytes`, "use a shorter path");
  assertOwnFolder(path);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket())
    throw refused(path, "is there already, and no socket", "remove it, or use another path");
  if (await isAnswered(path))
    throw refused(path, "is served by another process", "end that one, or use another path");
  unlinkSync(path);
}

/** Lets nobody but its owner connect. What connected before has no token yet. */
export function closeToOthers(path: AbsolutePath): void {
  chmodSync(path, 0o600);
}

function assertOwnFolder(path: AbsolutePath): void {
  const folder = parentOf(path);
  const { steps, missing } = wayTo(folder, path);
  if (missing.length > 0)
    throw refused(path, `lies in ${visible(folder)}, which is not there`, "make it first");
  if (steps.at(-1)?.stats.isDirectory() !== true)
    throw refused(path, `lies in ${visible(folder)}, which is no folder`, "use another folder");
  const trusted = [0, process.getuid?.() ?? 0];
  // In a sticky folder others can't touch what is ours, but they could be first.
  const open = steps.find(
    (step, index) =>
      !isUnwritable(step, trusted) || (index === steps.length - 1 && (step.stats.mode & 0o022) !== 0),
  );
  if (open === undefined) return;
  const who = open.path === folder ? "" : `, below ${visible(open.path)}`;
  throw refused(
    path,
    `lies in ${visible(folder)}${who}, which others can change`,
    "use a folder of your own, with the mode 0700",
  );
}

function wayTo(folder: AbsolutePath, path: AbsolutePath): Way {
  try {
    return walk(folder);
  } catch (cause) {
    throw refused(path, `lies in ${visible(folder)}, which ${printFailure(cause)}`, "use another folder");
  }
}

/** True where somebody accepts connections there, or it can't be told that nobody does. */
function isAnswered(path: AbsolutePath): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    // Refused: the file is there, and nobody listens (connect(2)).
    socket.once("error", (cause) => end(codeOf(cause) !== "ECONNREFUSED"));
  });
}

function refused(path: AbsolutePath, what: string, hint: string): CofferdamError {
  return new CofferdamError("USAGE", `the socket ${visible(path)} ${what}`, { hint });
}
