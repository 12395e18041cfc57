import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { MACHINE } from "../../../src/host/launch/cgroup/files.ts";
import { LEAF, readySeats } from "../../../src/host/launch/cgroup/seats.ts";
import { CALLER, type Person } from "./people.ts";
import type { Start } from "./place.ts";

/** Where cgroups must work, a machine that has none is a failure: in the job that delegates them. */
const MUST_WORK = process.env["COFFERDAM_CGROUPS_MUST_WORK"] === "1";

const { memory, pids } = readySeats(MACHINE, process.getuid?.() ?? 0);

/** Why no cgroup can be made by whoever runs the tests, or null. */
export const noCgroups =
  memory.kind === "absent" ? memory.reason : pids.kind === "absent" ? pids.reason : null;

/** What a receipt says of the limits where cgroups can be made: version 1 does not hold all memory. */
export const LIMITS_SAID =
  memory.kind === "seat" && memory.version === 1
    ? "memory of all processes together: partial: cgroups of version 1 do not count the memory of TCP connections; version 2 does"
    : "";

if (MUST_WORK && noCgroups !== null) throw new Error(`cgroups must work here: ${noCgroups}`);

/** What the person is given of a cgroup: as much as systemd gives with `Delegate=yes`, or as root does by hand. */
const GIVEN = ["", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control", "tasks"];

/** A cgroup that is a person's own, in each hierarchy: supervisors that are started in it can make others for their calls. */
export class Delegated implements Disposable {
  readonly #person: Person;
  readonly #folders: readonly string[];

  constructor(person: Person) {
    this.#person = person;
    const above = [memory, pids].flatMap((seat) => (seat.kind === "seat" ? [seat.folder] : []));
    const name = `test-${randomBytes(6).toString("hex")}`;
    this.#folders = [...new Set(above)].map((folder) => join(folder, name));
    for (const folder of this.#folders) {
      mkdirSync(folder);
      for (const file of GIVEN.map((one) => join(folder, one)))
        if (existsSync(file) && person.runAs.uid !== undefined) chownSync(file, person.uid, person.gid);
    }
  }

  /** Where that of memory is. */
  get memory(): string {
    return this.#folders[0] ?? "";
  }

  /** What starts a supervisor of the person's in there, alone. */
  get start(): Pick<Start, "under" | "startedBy"> {
    // Where a supervisor has been before, its leaf is left: of version 2 no process may be beside that.
    const enter = this.#folders
      .map((folder) => `at=${folder}/${LEAF}; [ -d $at ] || at=${folder}; echo $$ > $at/cgroup.procs && `)
      .join("");
    const { uid, gid } = this.#person;
    const as =
      this.#person === CALLER ? "" : `/usr/bin/setpriv --reuid=${uid} --regid=${gid} --clear-groups `;
    return { startedBy: CALLER, under: ["/bin/sh", "-c", `${enter}exec ${as}"$@"`, "sh"] };
  }

  /** The cgroups of calls, by their names. */
  made(): readonly string[] {
    const names = this.#folders.flatMap((folder) => readdirSync(folder));
    return [...new Set(names.filter((name) => name.startsWith("cofferdam-")))];
  }

  /** Throws where a cgroup of a call is left. */
  [Symbol.dispose](): void {
    for (const folder of this.#folders)
      for (const one of [join(folder, LEAF), folder]) if (existsSync(one)) rmdirSync(one);
  }
}
