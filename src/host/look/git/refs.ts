import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { WorkTurn } from "../../turns.ts";
import { CLOCK_GRAIN_MS } from "../clock-grain.ts";
import { firstNamesOrNone } from "../names-in.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { beginningOf, smallTextOf } from "./beginnings.ts";

/** Maximum of branches and tags looked at, and of names and folders among them. */
const MAX_REFS = 500;
const MAX_NAMES = 5_000;

/** A file of one branch or tag has the name of an object, or of another branch. */
const MAX_REF_BYTES = 512;
/** Maximum of bytes read of `packed-refs`: more than the maximum of branches and tags needs. */
const MAX_PACKED_BYTES = 256 * 1024;

/** Earlier targets of branches and tags, by files unchanged since, which no program can fake (inode(7), `ctime`). */
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
  // A line that begins with `^` has the target of the tag above it.
  for (const line of isOld(packed) ? linesOf(packed) : []) note(line.replace(/^\^/, "").split(" ")[0] ?? "");
  return [...found];
}

/** The last line only if it is whole. */
function linesOf(file: AbsolutePath): readonly string[] {
  const { bytes, isWhole } = beginningOf(file, MAX_PACKED_BYTES) ?? { bytes: Buffer.alloc(0), isWhole: true };
  const lines = bytes.toString("latin1").split("\n");
  return isWhole ? lines : lines.slice(0, -1);
}

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
