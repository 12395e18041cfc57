import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { CLOCK_GRAIN_MS } from "../clock-grain.ts";
import { firstNamesOrNone } from "../names-in.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { WorkTurn } from "../turns.ts";
import { beginningOf, smallTextOf } from "./beginnings.ts";

/** More branches and tags than this are not looked at, nor more names where they lie, and folders of these. */
const MAX_REFS = 500;
const MAX_NAMES = 5_000;

/** A file of one branch or tag holds the name of an object, or of another branch. */
const MAX_REF_BYTES = 512;
/** The most of `packed-refs` that is read: it holds more branches and tags than are looked at. */
const MAX_PACKED_BYTES = 256 * 1024;

/** What branches and tags led to before: by files that nobody has changed since, which no program can deny (inode(7), `ctime`). */
export async function refsBefore(common: AbsolutePath, startedAt: number): Promise<readonly string[]> {
  const turn = new WorkTurn();
  const isOld = (path: AbsolutePath): boolean => {
    const stats = statsOf(path);
    return stats?.isFile() === true && stats.ctimeMs < startedAt - CLOCK_GRAIN_MS;
  };
  const found = new Set<string>();
  const note = (oid: string): void => {
    if (found.size < MAX_REFS && /^[0-9a-f]{40,64}$/.test(oid)) found.add(oid);
  };
  for (const path of [joinPath(common, "HEAD"), ...(await filesBelow(joinPath(common, "refs"), turn))]) {
    await turn.step();
    if (found.size < MAX_REFS && isOld(path)) note(smallTextOf(path, MAX_REF_BYTES).trim());
  }
  const packed = joinPath(common, "packed-refs");
  // A line that begins with `^` says what the tag above it stands for.
  for (const line of isOld(packed) ? linesOf(packed) : []) note(line.replace(/^\^/, "").split(" ")[0] ?? "");
  return [...found];
}

/** The last one only where it is whole. */
function linesOf(file: AbsolutePath): readonly string[] {
  const { bytes, isWhole } = beginningOf(file, MAX_PACKED_BYTES) ?? { bytes: Buffer.alloc(0), isWhole: true };
  const lines = bytes.toString("latin1").split("\n");
  return isWhole ? lines : lines.slice(0, -1);
}

/** What is there besides folders. */
async function filesBelow(folder: AbsolutePath, turn: WorkTurn): Promise<readonly AbsolutePath[]> {
  const found: AbsolutePath[] = [];
  const ahead = [folder];
  let left = MAX_NAMES;
  for (let at = ahead.pop(); at !== undefined && left > 0; at = ahead.pop())
    for (const name of firstNamesOrNone(systemPath(at), left)) {
      await turn.step();
      left -= 1;
      const path = joinPath(at, name);
      if (statsOf(path)?.isDirectory() === true) ahead.push(path);
      else found.push(path);
    }
  return found;
}
