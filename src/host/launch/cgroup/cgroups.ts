import { CONTROLLERS, type Controller, type TreeBound } from "../../../backend/facts.ts";
import type { TreeBounds } from "../../../backend/plan.ts";
import { CofferdamError } from "../../../errors.ts";
import type { Host } from "../../look/host.ts";
import { Cgroup, type ControllerPart } from "./cgroup.ts";
import { type CgroupFiles, MACHINE } from "./files.ts";
import { CgroupTrail } from "./leftovers.ts";
import { readySeats, type Seats, treeOf } from "./seats.ts";

/** Makes cgroups for the calls of one supervisor, in the places that were found for them. */
export class Cgroups implements Disposable {
  readonly tree: Readonly<Record<Controller, TreeBound>>;
  readonly #seats: Seats;
  readonly #trail: CgroupTrail;
  readonly #files: CgroupFiles;
  readonly #live = new Set<string>();
  #made = 0;

  /** Finds the places and makes them ready; bounds that this machine lacks are absent in `tree`. */
  constructor({ user, stateFolder }: Pick<Host, "user" | "stateFolder">, files: CgroupFiles = MACHINE) {
    this.#files = files;
    this.#seats = readySeats(files, user.uid);
    this.tree = treeOf(this.#seats);
    this.#trail = new CgroupTrail(stateFolder);
  }

  get folders(): readonly string[] {
    const folders = CONTROLLERS.flatMap((name) => {
      const seat = this.#seats[name];
      return seat.kind === "seat" ? [seat.folder] : [];
    });
    return [...new Set(folders)];
  }

  /** Makes a cgroup for one call. Throws `SANDBOX_UNAVAILABLE` if it can't hold the bounds. */
  make({ memoryBytes, processes }: TreeBounds): Cgroup {
    const bounds = { memory: memoryBytes, pids: processes };
    const parts = CONTROLLERS.flatMap((controller): ControllerPart[] => {
      const [seat, bound] = [this.#seats[controller], bounds[controller]];
      if (bound === null) return [];
      if (seat.kind === "seat") return [{ controller, seat, bound }];
      throw new CofferdamError("SANDBOX_UNAVAILABLE", `the call's cgroup cannot be created: ${seat.reason}`, {
        hint: seat.fix,
      });
    });
    this.#trail.expectIn(this.folders);
    this.#made += 1;
    const name = `${this.#trail.prefix}${this.#made}`;
    const cgroup = new Cgroup(this.#files, name, parts, () => this.#live.delete(name));
    this.#live.add(name);
    return cgroup;
  }

  /** Cgroups that could not be removed are left to the next supervisor. */
  [Symbol.dispose](): void {
    if (this.#live.size === 0) this.#trail[Symbol.dispose]();
  }
}
