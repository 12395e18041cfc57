import { fstatSync, readFileSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { askNowForText } from "../host/spawn.ts";
import { absolutePath } from "../profile/path.ts";

/** How this process sits at a terminal: its process group, the group in the foreground there, and the terminal's numbers. */
export interface Sitting {
  readonly group: number;
  readonly foreground: number;
  /** The controlling terminal by its own device, and by the one that stands for whichever terminal that is (`/dev/tty`). */
  readonly terminals: readonly number[];
}

/**
 * True when a person sits at this process: all its standard streams are the terminal that controls it, and it is in the
 * foreground there, so that it may change the terminal's modes (a process in the background is stopped for that).
 */
export function isAtTerminal(sitting: () => Sitting = SITTING): boolean {
  if (![0, 1, 2].every((fd) => isatty(fd))) return false;
  const { group, foreground, terminals } = sitting();
  return group === foreground && [0, 1, 2].every((fd) => terminals.includes(fstatSync(fd).rdev));
}

/** Behind the name in `stat`: the process group, the controlling terminal, and the group in its foreground (proc(5)). */
const STAT = { group: 2, terminal: 4, foreground: 5 } as const;
/** `/dev/tty` (tty(4)). */
const WHICHEVER = 0x500;

/** Linux. */
export function sittingByProc(): Sitting {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [group = 0, terminal = 0, foreground = -1] = [STAT.group, STAT.terminal, STAT.foreground].map(
    (at) => fields[at],
  );
  return { group, foreground, terminals: [WHICHEVER, terminal] };
}

/** macOS: ps(1), which names the terminal as it is called in `/dev`, and `??` where there is none. */
export function sittingByPs(): Sitting {
  const words = ["-p", String(process.pid), "-o", "pgid=", "-o", "tpgid=", "-o", "tty="];
  const { stdout } = askNowForText(absolutePath("/bin/ps"), words, { LC_ALL: "C" });
  const [, group, foreground, terminal = ""] = /^\s*(\d+)\s+(-?\d+)\s+(\S+)/.exec(stdout) ?? [];
  return {
    group: Number(group ?? 0),
    foreground: Number(foreground ?? -1),
    terminals: ["tty", terminal].flatMap((name) => statSync(`/dev/${name}`, ABSENT)?.rdev ?? []),
  };
}

const ABSENT = { throwIfNoEntry: false } as const;
const SITTING = process.platform === "darwin" ? sittingByPs : sittingByProc;
