import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "../process-id.ts";
import { MACHINE } from "./files.ts";
import { removeCgroups } from "./remove.ts";

const Folders = z.array(z.string().startsWith("/"));

/** How the names of cgroups begin; what follows says of which supervisor, and a number. A process inside can read it. */
const PREFIX = "cofferdam-";

/**
 * In which folders a supervisor makes cgroups: a file of the state folder that is there before the first is made, and
 * until the supervisor ends. So whenever one is killed, the next one of that user knows where to look, also when it is in
 * another cgroup itself.
 */
export class CgroupTrail implements Disposable {
  /** What names of its cgroups begin with. */
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

  /** Writes down that cgroups may be made there. Throws the system's error: then none may be. */
  expectIn(folders: readonly string[]): void {
    if (this.#isWritten) return;
    mkdirSync(this.#place, { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, JSON.stringify(folders), { mode: 0o600 });
    this.#isWritten = true;
  }

  /** None of this supervisor's is left. */
  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }
}

/** Removes the cgroups of supervisors that ended without doing so. One that can't be removed is left to the next. */
export async function sweepCgroups(stateFolder: AbsolutePath): Promise<void> {
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
}

function placeIn(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "cgroups");
}

/** None where it was killed while it wrote: then it had made none. */
function foldersIn(file: AbsolutePath): readonly string[] {
  try {
    return Folders.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return [];
  }
}

function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
