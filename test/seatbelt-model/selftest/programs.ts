import { posix } from "node:path";
import type { Returned, Syscall } from "../world/syscall.ts";
import type { World } from "../world/world.ts";

/** What runs programs: a call that succeeds gives back something; one that does not, null. */
export interface Machine {
  readonly world: World;
  call(call: Syscall): Returned | null;
}

/** What a program says, and whether it ended with status 0. */
export interface Ended {
  readonly isDone: boolean;
  readonly stdout: string;
}

type Program = (machine: Machine, args: readonly string[]) => Ended;

const DONE: Ended = { isDone: true, stdout: "" };
const FAILED: Ended = { isDone: false, stdout: "" };

/** A program that only succeeds or fails. */
function says(isDone: boolean): Ended {
  return isDone ? DONE : FAILED;
}

/** Programs of the selftest's lines, by the system calls that each makes on macOS, as far as they matter. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  ":": () => DONE,
  true: () => DONE,
  cd: ({ call }, [path = ""]) => says(call({ call: "chdir", path }) !== null),
  echo: (_, args) => ({ isDone: true, stdout: `${args.join(" ")}\n` }),
  dirname: (_, [path = ""]) => ({ isDone: true, stdout: `${posix.dirname(path)}\n` }),
  "[": (machine, args) => says(isTrue(machine, args.slice(0, -1))),
  mkdir: (machine, args) => says(madeFolder(machine, args)),
  ln: (machine, args) => says(isLinked(machine, args)),
  mv: (machine, args) =>
    says(
      isMoved(
        machine,
        args.filter((one) => !one.startsWith("-")),
      ),
    ),
  rm: (machine, args) => says(isRemoved(machine, args)),
  cp: (machine, [, from = "", to = ""]) => says(isCopied(machine, from, to)),
  chmod: ({ call }, [mode = "", path = ""]) =>
    says(call({ call: "chmod", path, mode: Number.parseInt(mode, 8) }) !== null),
  touch: ({ call }, args) => says(call({ call: "utimes", path: args.at(-1) ?? "", mtime: 1 }) !== null),
  xattr: ({ call }, [, name = "", value = "", path = ""]) =>
    says(call({ call: "setxattr", path, name, value }) !== null),
  grep: (machine, [, text = "", path = ""]) => says(textOf(machine, path)?.includes(text) === true),
  ls: (machine, args) => listed(machine, args.at(-1) ?? "."),
  sh: (machine, [path = ""]) => says(textOf(machine, path) !== null),
  kill: ({ call }) => says(call({ call: "kill", process: "other" }) !== null),
  perl: (machine, [, program = "", from = "", to = ""]) => says(isPerlDone(machine, program, from, to)),
};

function isPerlDone({ call }: Machine, program: string, from: string, to: string): boolean {
  if (program.startsWith("rename(")) return call({ call: "rename", from, to }) !== null;
  if (program.startsWith("symlink(")) return call({ call: "symlink", target: from, path: to }) !== null;
  if (program.includes("syscall(488, ")) return call({ call: "swap", from, to }) !== null;
  if (program.includes("syscall(462, ")) return call({ call: "clonefile", from, to }) !== null;
  throw new Error(`a program of perl's that nobody has said what it calls: ${program}`);
}

function isTrue(machine: Machine, args: readonly string[]): boolean {
  const [first, ...others] = args;
  if (first === "!") return !isTrue(machine, others);
  if (first === "-e") return machine.call({ call: "stat", path: others[0] ?? "" }) !== null;
  if (first === "-n") return others[0] !== "";
  if (others[0] === "=") return first === others[1];
  throw new Error(`a test that nobody has said what it asks: ${args.join(" ")}`);
}

function textOf({ call }: Machine, path: string): string | null {
  const open = call({ call: "open", path, access: "read" });
  if (open?.is !== "descriptor") return null;
  const read = call({ call: "read", descriptor: open.descriptor });
  return read?.is === "bytes" ? read.bytes : null;
}

function madeFolder({ call }: Machine, args: readonly string[]): boolean {
  const path = args.at(-1) ?? "";
  if (args[0] !== "-p") return call({ call: "mkdir", path }) !== null;
  const names = path.split("/");
  for (const [at] of names.entries()) {
    const folder = names.slice(0, at + 1).join("/");
    if (folder !== "" && call({ call: "stat", path: folder }) === null) call({ call: "mkdir", path: folder });
  }
  const made = call({ call: "stat", path });
  return made?.is === "stat";
}

function isLinked({ call }: Machine, args: readonly string[]): boolean {
  const [from = "", path = ""] = args.filter((one) => !one.startsWith("-"));
  const options = args.filter((one) => one.startsWith("-")).join("");
  if (!options.includes("s")) return call({ call: "link", from, to: path }) !== null;
  if (options.includes("f") && call({ call: "lstat", path }) !== null) call({ call: "unlink", path });
  return call({ call: "symlink", target: from, path }) !== null;
}

function isMoved({ call }: Machine, [from = "", to = ""]: readonly string[]): boolean {
  const isInto = call({ call: "readdir", path: to }) !== null;
  return call({ call: "rename", from, to: isInto ? `${to}/${posix.basename(from)}` : to }) !== null;
}

/** With `-r` what a folder holds goes first; what is not there is gone already. */
function isRemoved(machine: Machine, [options = "", path = ""]: readonly string[]): boolean {
  const { call } = machine;
  if (options.includes("r")) {
    const inside = call({ call: "lstat", path }) === null ? null : call({ call: "readdir", path });
    if (inside?.is === "names") {
      for (const name of inside.names) isRemoved(machine, [options, `${path}/${name}`]);
      return call({ call: "rmdir", path }) !== null;
    }
  }
  return call({ call: "unlink", path }) !== null || call({ call: "rmdir", path }) !== null;
}

function isCopied(machine: Machine, from: string, to: string): boolean {
  const { call } = machine;
  const inside = call({ call: "readdir", path: from });
  if (inside?.is !== "names") {
    const text = textOf(machine, from);
    const made = call({ call: "open", path: to, access: "write", creates: "or-opens", truncates: true });
    return text !== null && made !== null;
  }
  if (call({ call: "mkdir", path: to }) === null) return false;
  return inside.names.map((name) => isCopied(machine, `${from}/${name}`, `${to}/${name}`)).every(Boolean);
}

function listed({ call }: Machine, path: string): Ended {
  const inside = call({ call: "readdir", path });
  return inside?.is === "names" ? { isDone: true, stdout: inside.names.join("\n") } : FAILED;
}
