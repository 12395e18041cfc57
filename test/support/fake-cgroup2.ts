import { dirname } from "node:path";
import type { CgroupFiles } from "../../src/host/launch/cgroup/files.ts";

/** One cgroup of the tree. What is not a bound of a controller is as the kernel's `cgroup-v2.rst` says. */
interface Group {
  readonly processes: Set<number>;
  readonly handedDown: Set<string>;
  readonly settings: Map<string, string>;
}

const TOP = "/sys/fs/cgroup";

/** What a controller's files say at first. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  memory: {
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
    "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
  },
  pids: { "pids.max": "max", "pids.events": "max 0\n" },
};

/**
 * A tree of cgroups of version 2 in memory, with the kernel's rules: controllers are handed down; a cgroup that hands any
 * down holds no process, but for the root; whoever moves a process may write in both cgroups' next common one; only an
 * empty cgroup can be removed.
 */
export class FakeCgroup2 implements CgroupFiles {
  readonly #groups = new Map<string, Group>([["", newGroup()]]);
  /** What this user may write in: these cgroups, and all below. */
  readonly #mine: readonly string[];
  /** What the fake did, one line each. */
  readonly did: string[] = [];
  isReadOnly = false;
  hasSystemd = true;

  /** Makes the cgroup of the test's own process, and all above it with the controllers handed down. */
  constructor(
    own: string,
    mine: readonly string[],
    controllers: readonly string[] = ["memory", "pids", "cpu"],
  ) {
    this.#mine = mine;
    const above = own.split("/").slice(1, -1);
    for (let depth = 0; depth <= above.length; depth += 1) {
      const path = above
        .slice(0, depth)
        .map((name) => `/${name}`)
        .join("");
      this.add(path, controllers);
    }
    this.add(own, []);
    this.put(process.pid, own);
  }

  /** Makes a cgroup that hands controllers down. */
  add(path: string, handedDown: readonly string[]): void {
    this.#groups.set(path, newGroup(handedDown));
  }

  /** Puts a process somewhere, whatever the rules. */
  put(pid: number, path: string): void {
    for (const group of this.#groups.values()) group.processes.delete(pid);
    this.#at(path).processes.add(pid);
  }

  end(pid: number): void {
    for (const group of this.#groups.values()) group.processes.delete(pid);
  }

  /** Sets what a control file says. */
  set(path: string, name: string, text: string): void {
    this.#at(path).settings.set(name, text);
  }

  /** The cgroups there are, each with what was set and who is in it. */
  get state(): readonly string[] {
    return [...this.#groups].map(([path, { settings, processes, handedDown }]) =>
      [
        path === "" ? "/" : path,
        ...[...settings].map(([name, text]) => `${name}=${text}`),
        ...[...processes].map((pid) => (pid === process.pid ? "self" : String(pid))),
        ...(handedDown.size === 0 ? [] : [`> ${[...handedDown].join(" ")}`]),
      ].join(" "),
    );
  }

  exists(path: string): boolean {
    return this.read(path) !== null || this.#groups.has(within(path) ?? "?");
  }

  list(path: string): readonly string[] {
    const at = within(path);
    return [...this.#groups.keys()].flatMap((one) =>
      one !== "" && one.slice(0, one.lastIndexOf("/")) === at ? [one.slice(one.lastIndexOf("/") + 1)] : [],
    );
  }

  read(path: string): string | null {
    if (path === "/proc/self/mountinfo")
      return `20 1 254:0 / / rw - ext4 /dev/vda rw\n30 20 0:26 / ${TOP} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n`;
    const [, pid] = /^\/proc\/(self|\d+)\/cgroup$/.exec(path) ?? [];
    if (pid !== undefined) {
      const where = this.#whereIs(pid === "self" ? process.pid : Number(pid));
      return where === null ? null : `0::${where === "" ? "/" : where}\n`;
    }
    const { group, at, name } = this.#file(path);
    if (group === null) return null;
    switch (name) {
      case "cgroup.procs":
        return [...group.processes].map((one) => `${one}\n`).join("");
      case "cgroup.controllers":
        return `${this.#controllers(at).join(" ")}\n`;
      case "cgroup.subtree_control":
        return `${[...group.handedDown].join(" ")}\n`;
      case "cgroup.type":
        return at === "" ? null : "domain\n";
      case "cgroup.kill":
        return at === "" ? null : "";
      default:
        return this.#files(at)[name] === undefined
          ? null
          : (group.settings.get(name) ?? this.#files(at)[name] ?? null);
    }
  }

  refusal(path: string): string | null {
    if (path === "/run/systemd/system") return this.hasSystemd ? "EACCES" : "ENOENT";
    if (!this.exists(path)) return "ENOENT";
    if (this.isReadOnly) return "EROFS";
    const at = within(path) ?? "";
    return this.#mayWrite(this.#groups.has(at) ? at : dirname(at)) ? null : "EACCES";
  }

  write(path: string, text: string): void {
    this.did.push(`${path.slice(TOP.length)} ${text === String(process.pid) ? "self" : text}`);
    const { group, at, name } = this.#file(path);
    if (group === null || this.read(path) === null) throw failure("ENOENT");
    if (this.refusal(path) !== null) throw failure("EACCES");
    if (name === "cgroup.procs") this.#move(Number(text), at, group);
    else if (name === "cgroup.kill") group.processes.clear();
    else if (name === "cgroup.subtree_control") this.#handDown(text, at, group);
    else group.settings.set(name, text);
  }

  async writeSlowly(path: string, text: string): Promise<void> {
    this.write(path, text);
  }

  makeFolder(path: string): void {
    const at = within(path) ?? "";
    if (this.#groups.has(at)) throw failure("EEXIST");
    if (this.isReadOnly || !this.#mayWrite(at.slice(0, at.lastIndexOf("/")))) throw failure("EACCES");
    this.add(at, []);
  }

  removeFolder(path: string): void {
    const at = within(path) ?? "";
    const group = this.#groups.get(at);
    if (group === undefined) throw failure("ENOENT");
    if (group.processes.size > 0 || this.list(path).length > 0) throw failure("EBUSY");
    this.#groups.delete(at);
  }

  open(): number {
    throw new Error("nobody enters a cgroup of version 2 by a door");
  }

  #move(pid: number, at: string, group: Group): void {
    const from = this.#whereIs(pid);
    if (from === null) throw failure("ESRCH");
    if (group.handedDown.size > 0 && at !== "") throw failure("EBUSY");
    if (!this.#mayWrite(common(from, at))) throw failure("EACCES");
    this.put(pid, at);
  }

  #handDown(text: string, at: string, group: Group): void {
    if (group.processes.size > 0 && at !== "") throw failure("EBUSY");
    for (const word of text.split(" ")) {
      if (!this.#controllers(at).includes(word.slice(1))) throw failure("ENOENT");
      group.handedDown.add(word.slice(1));
    }
  }

  #controllers(at: string): readonly string[] {
    if (at === "") return [...this.#at("").handedDown];
    return [...this.#at(at.slice(0, at.lastIndexOf("/"))).handedDown];
  }

  #files(at: string): Readonly<Record<string, string>> {
    const names = at === "" ? [] : this.#controllers(at);
    return Object.assign({}, ...names.map((name) => FILES[name] ?? {}));
  }

  #file(path: string) {
    const inside = within(path) ?? "?";
    const slash = inside.lastIndexOf("/");
    const [at, name] = [inside.slice(0, Math.max(0, slash)), inside.slice(slash + 1)];
    return { group: this.#groups.get(at) ?? null, at, name };
  }

  #mayWrite(at: string): boolean {
    return this.#mine.some((one) => at === one || at.startsWith(`${one}/`));
  }

  #whereIs(pid: number): string | null {
    return [...this.#groups].find(([, group]) => group.processes.has(pid))?.[0] ?? null;
  }

  #at(path: string): Group {
    const group = this.#groups.get(path);
    if (group === undefined) throw new Error(`there is no cgroup ${path}`);
    return group;
  }
}

function newGroup(handedDown: readonly string[] = []): Group {
  return { processes: new Set(), handedDown: new Set(handedDown), settings: new Map() };
}

function within(path: string): string | null {
  return path === TOP || path.startsWith(`${TOP}/`) ? path.slice(TOP.length) : null;
}

/** The lowest cgroup that two are in. */
function common(a: string, b: string): string {
  const [one, other] = [a.split("/"), b.split("/")];
  const different = one.findIndex((name, index) => name !== other[index]);
  return one.slice(0, different === -1 ? one.length : different).join("/");
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}
