import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import type { Host } from "../../look/host.ts";
import { namesIn } from "../../look/names-in.ts";
import { orNull } from "../../or-null.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "../process-id.ts";
import { inFolder } from "../state-files.ts";
import { MACHINE } from "./files.ts";
import { removeCgroups } from "./remove.ts";

const Folders = z.array(z.string().startsWith("/"));

/** Prefix of the names of cgroups; the supervisor's mark and a number follow. A process inside can read it. */
const PREFIX = "cofferdam-";

/**
 * The folders in which a supervisor makes cgroups: a file of the state folder that exists before the first is made, and
 * until the supervisor ends. So after a kill the next supervisor of that user knows where to look, even if it is in
 * another cgroup itself.
 */
export class CgroupTrail implements Disposable {
  readonly prefix: string;
  readonly #place: AbsolutePath;
  readonly #file: AbsolutePath;
  #isWritten = false;

  constructor(stateFolder: AbsolutePath) {
    const id = randomBytes(8).toString("hex");
    this.prefix = `${PREFIX}${id}-`;
    this.#place = placeIn(stateFolder);
    this.#file = joinPath(this.#place, `${printProcess(thisProcess())}-${id}.json`);
  }

  /** Writes down that cgroups may be made there. Throws node's errors, and `SANDBOX_UNAVAILABLE`: then none may be. */
  expectIn(folders: readonly string[]): void {
    if (this.#isWritten) return;
    inFolder(this.#place, () => writeFileSync(this.#file, JSON.stringify(folders), { mode: 0o600 }));
    this.#isWritten = true;
  }

  /** Call it once none of this supervisor's cgroups is left. */
  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }
}

/** A call's cgroup is entered within the time for building its sandbox; an empty one this old never will be. */
const OLD_MS = 60_000;

/**
 * Removes the cgroups of supervisors that ended without doing so. One that can't be removed is left to the next. If the
 * state folder of a supervisor is gone too, only those in `folders` are removed, once they are old: the kernel removes
 * none with a process in it.
 */
export async function sweepCgroups(
  { stateFolder, now }: Pick<Host, "stateFolder" | "now">,
  folders: readonly string[],
): Promise<void> {
  const place = placeIn(stateFolder);
  for (const name of namesIn(place)) {
    const [, owner = "", id = ""] = /^([^-]+)-([0-9a-f]{16})\.json$/.exec(name) ?? [];
    const maker = readProcess(owner);
    if (maker === null || isRunning(maker)) continue;
    const file = joinPath(place, name);
    const left = foldersIn(file).flatMap((folder) =>
      MACHINE.list(folder)
        .filter((one) => one.startsWith(`${PREFIX}${id}-`))
        .map((one) => `${folder}/${one}`),
    );
    if (await removeCgroups(MACHINE, left)) rmSync(file, { force: true });
  }
  for (const folder of folders)
    for (const name of MACHINE.list(folder))
      if (NAME.test(name)) removeOld(`${folder}/${name}`, now() - OLD_MS);
}

const NAME = new RegExp(`^${PREFIX}[0-9a-f]{16}-\\d+$`);

function removeOld(cgroup: string, before: number): void {
  try {
    if (statSync(cgroup).mtimeMs < before) MACHINE.removeFolder(cgroup);
  } catch {
    // A process is in there, or another supervisor has removed it.
  }
}

function placeIn(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "cgroups");
}

/** None if the supervisor was killed while it wrote: then it had made none. */
function foldersIn(file: AbsolutePath): readonly string[] {
  return orNull(() => Folders.parse(JSON.parse(readFileSync(file, "utf8")))) ?? [];
}
