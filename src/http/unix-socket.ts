import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect } from "node:net";
import { isUnwritable, printFailure, type ResolvedWay, walk } from "../config/safe-file.ts";
import { CofferdamError, visible } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, parentOf } from "../profile/path.ts";

/** The kernel's limit, with the NUL at the end (unix(7); on macOS it is 104). */
const MAX_BYTES = 103;

/** Removes a dead server's socket. Throws `USAGE` if none can be made there, or if other users could replace it. */
export async function makeWay(path: AbsolutePath): Promise<void> {
  if (Buffer.byteLength(path) > MAX_BYTES)
    throw refused(path, `is longer than ${MAX_BYTES} bytes`, "use a shorter path");
  assertOwnFolder(path);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket())
    throw refused(path, "already exists, and is not a socket", "remove it, or use another path");
  if (await isAnswered(path))
    throw refused(path, "is served by another process", "end that process, or use another path");
  unlinkSync(path);
}

/** Lets only its owner connect. Earlier connections have no token yet. */
export function closeToOthers(path: AbsolutePath): void {
  chmodSync(path, 0o600);
}

function assertOwnFolder(path: AbsolutePath): void {
  const folder = parentOf(path);
  const { steps, missing } = wayTo(folder, path);
  if (missing.length > 0)
    throw refused(path, `is in ${visible(folder)}, which does not exist`, "create the folder first");
  if (steps.at(-1)?.stats.isDirectory() !== true)
    throw refused(path, `is in ${visible(folder)}, which is not a folder`, "use another folder");
  const trusted = [0, process.getuid?.() ?? 0];
  // In a sticky folder others cannot touch our socket, but they could make theirs first.
  const open = steps.find(
    (step, index) =>
      !isUnwritable(step, trusted) || (index === steps.length - 1 && (step.stats.mode & 0o022) !== 0),
  );
  if (open === undefined) return;
  const who = open.path === folder ? "" : `, below ${visible(open.path)}`;
  throw refused(
    path,
    `is in ${visible(folder)}${who}, which other users can change`,
    "use your own folder, with the mode 0700",
  );
}

function wayTo(folder: AbsolutePath, path: AbsolutePath): ResolvedWay {
  try {
    return walk(folder);
  } catch (cause) {
    throw refused(path, `is in ${visible(folder)}, which ${printFailure(cause)}`, "use another folder");
  }
}

/** True if a process accepts connections there, or if that is unknown. */
function isAnswered(path: AbsolutePath): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    // Refused: the file exists, but has no listener (connect(2)).
    socket.once("error", (cause) => end(codeOf(cause) !== "ECONNREFUSED"));
  });
}

function refused(path: AbsolutePath, what: string, hint: string): CofferdamError {
  return new CofferdamError("USAGE", `the socket ${visible(path)} ${what}`, { hint });
}
