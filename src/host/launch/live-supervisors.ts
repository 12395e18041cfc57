import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "./process-id.ts";
import { inFolder, removeFile, UNFINISHED, writeWhole } from "./state-files.ts";

/** The state of a running supervisor: its config, and what of it is in force. */
const SupervisorState = z.strictObject({
  config: z.string(),
  /** SHA-256 of the config file that was trusted last. */
  digest: z.string().nullable(),
  effect: z.enum(["applied", "restricted", "stopped"]),
  /** Time of its start, in milliseconds since 1970. */
  at: z.number(),
});
export type SupervisorState = z.infer<typeof SupervisorState>;

/** A supervisor that runs now. */
export interface RunningSupervisor extends SupervisorState {
  readonly pid: number;
}

/** The file by which other processes of this user see a running supervisor: `<pid>.<start>-<run>`. */
export class SupervisorFile implements Disposable {
  readonly #folder: AbsolutePath;
  readonly #file: AbsolutePath;

  constructor(stateFolder: AbsolutePath, runId: string) {
    this.#folder = folderIn(stateFolder);
    this.#file = joinPath(this.#folder, `${printProcess(thisProcess())}-${runId}`);
  }

  /** If the system refuses, as on a full disk, others do not see it. */
  write(state: SupervisorState): void {
    orNull(() => inFolder(this.#folder, () => writeWhole(this.#file, JSON.stringify(state))));
  }

  [Symbol.dispose](): void {
    orNull(() => removeFile(this.#file));
  }
}

/** Every running supervisor of this user that has a config. Files of ended ones are removed. */
export function runningSupervisors(stateFolder: AbsolutePath): readonly RunningSupervisor[] {
  const folder = folderIn(stateFolder);
  const names = orNull(() => readdirSync(folder)) ?? [];
  return names.flatMap((name): readonly RunningSupervisor[] => {
    const owner = readProcess(name.split("-", 1)[0] ?? "");
    if (owner === null || name.endsWith(UNFINISHED)) return [];
    const file = joinPath(folder, name);
    if (!isRunning(owner)) {
      orNull(() => removeFile(file));
      return [];
    }
    const state = orNull(() => SupervisorState.parse(JSON.parse(readFileSync(file, "utf8"))));
    return state === null ? [] : [{ ...state, pid: owner.pid }];
  });
}

function folderIn(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "supervisors");
}
