import { closeSync } from "node:fs";
import type { Controller } from "../../../backend/facts.ts";
import { CofferdamError } from "../../../errors.ts";
import type { LimitName } from "../../../profile/limits.ts";
import { codeOf } from "../../system-error.ts";
import type { CgroupFiles } from "./files.ts";
import { removeCgroups } from "./remove.ts";
import { type Seat, wordsIn } from "./seats.ts";

/** A bound on a whole tree of processes that a cgroup holds. */
export type TreeLimit = Extract<LimitName, "memoryBytes" | "processes">;

/** The bounds that a tree reached while it lived; null if the cgroup was removed by others. */
export type ReachedBounds = readonly TreeLimit[] | null;

/** One controller's part of a cgroup: where it is, and the bound that it holds. */
export interface ControllerPart {
  readonly controller: Controller;
  readonly seat: Seat;
  readonly bound: number;
}

/** The file that counts how often a bound was reached, and the count's word (cgroup-v1/memory.rst, cgroup-v2.rst). */
const EVENTS = {
  memory: { 1: ["memory.oom_control", "oom_kill"], 2: ["memory.events", "oom_kill"] },
  pids: { 1: ["pids.events", "max"], 2: ["pids.events", "max"] },
} as const;

/** Maximum of processes on any machine (include/linux/threads.h, `PID_MAX_LIMIT`): a higher bound is not accepted. */
const MAX_PROCESSES = 4 * 1024 ** 2;

/**
 * A cgroup made for one call, in each hierarchy that holds one of its bounds. Its first process enters while it waits
 * in the start program, so all processes of the program are born in there. The launcher outside the sandbox never
 * enters, so it can't be killed when memory runs out.
 */
export class Cgroup implements AsyncDisposable {
  readonly #files: CgroupFiles;
  readonly #name: string;
  readonly #parts: readonly ControllerPart[];
  readonly #onRemoved: () => void;
  #doors: number[] = [];

  /** Makes it. Throws `SANDBOX_UNAVAILABLE` if a bound could not be set: then nothing of it is left. */
  constructor(files: CgroupFiles, name: string, parts: readonly ControllerPart[], onRemoved: () => void) {
    this.#onRemoved = onRemoved;
    this.#files = files;
    this.#name = name;
    this.#parts = parts;
    try {
      for (const folder of this.#folders()) files.makeFolder(folder);
      for (const part of parts) this.#bound(part);
      this.#doors = this.#folders(1).map((folder) => files.open(`${folder}/tasks`));
    } catch (cause) {
      for (const folder of this.#folders()) if (files.exists(folder)) files.removeFolder(folder);
      throw unavailable(`the cgroup of the call could not be created: ${codeOf(cause)}`, cause);
    }
  }

  /** Open descriptors by which a process enters a cgroup of version 1; the launcher hands them to the start program. */
  get doors(): readonly number[] {
    return this.#doors;
  }

  handOver(): void {
    for (const door of this.#doors.splice(0)) closeSync(door);
  }

  /** Lets the start program in if it could not enter. Throws `SANDBOX_UNAVAILABLE` if it is not in there everywhere. */
  async admit(pid: number): Promise<void> {
    try {
      for (const folder of this.#folders(2))
        await this.#files.writeSlowly(`${folder}/cgroup.procs`, String(pid));
    } catch (cause) {
      throw unavailable(`the process of the call could not join its cgroup: ${codeOf(cause)}`, cause);
    }
    const lines = (this.#files.read(`/proc/${pid}/cgroup`) ?? "").split("\n");
    for (const { controller, seat } of this.#parts) {
      const path = `${seat.path === "/" ? "" : seat.path}/${this.#name}`;
      const isInside = lines.some((line) => {
        const [, names = "", at = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
        return at === path && (seat.version === 2 ? names === "" : names.split(",").includes(controller));
      });
      if (!isInside)
        throw unavailable(
          `the sandbox differs from the plan: the start program is not in its cgroup of ${controller}`,
        );
    }
  }

  reached(): ReachedBounds {
    const reached: TreeLimit[] = [];
    for (const { controller, seat } of this.#parts) {
      const [file, word] = EVENTS[controller][seat.version];
      const words = wordsIn(this.#files, `${seat.folder}/${this.#name}/${file}`);
      if (words.length === 0) return null;
      const times = Number(words[words.indexOf(word) + 1] ?? 0);
      if (words.includes(word) && times > 0)
        reached.push(controller === "memory" ? "memoryBytes" : "processes");
    }
    return reached;
  }

  /** Removes it, once the last of its processes is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.handOver();
    if (await removeCgroups(this.#files, this.#folders())) this.#onRemoved();
  }

  #folders(version?: 1 | 2): readonly string[] {
    const parts = this.#parts.filter(({ seat }) => version === undefined || seat.version === version);
    return [...new Set(parts.map(({ seat }) => `${seat.folder}/${this.#name}`))];
  }

  #bound({ controller, seat, bound }: ControllerPart): void {
    const at = `${seat.folder}/${this.#name}`;
    if (controller === "pids") {
      this.#files.write(`${at}/pids.max`, bound < MAX_PROCESSES ? String(bound) : "max");
    } else if (seat.version === 1) {
      this.#files.write(`${at}/memory.limit_in_bytes`, String(bound));
      // Without a count of swap, no swap is used: version 1 allows that for one cgroup.
      if (!this.#wasSet(`${at}/memory.memsw.limit_in_bytes`, String(bound)))
        this.#files.write(`${at}/memory.swappiness`, "0");
      // Not a whole bound, as `treeOf` says; but a few connections can't hold many times as much.
      this.#wasSet(`${at}/memory.kmem.tcp.limit_in_bytes`, String(bound));
    } else {
      this.#files.write(`${at}/memory.max`, String(bound));
      this.#wasSet(`${at}/memory.swap.max`, "0");
      // A tree that has lost one of its processes differs from the started one (since Linux 4.19).
      this.#wasSet(`${at}/memory.oom.group`, "1");
    }
  }

  #wasSet(path: string, text: string): boolean {
    if (!this.#files.exists(path)) return false;
    this.#files.write(path, text);
    return true;
  }
}

function unavailable(message: string, cause?: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint: "run `cofferdam doctor`", cause });
}
