import { fstatSync, readFileSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { askNowForText } from "../host/launch/spawn.ts";
import { absolutePath } from "../profile/path.ts";

/** The process group of this process, the foreground group of its terminal, and the numbers of that terminal. */
export interface TerminalProcess {
  readonly group: number;
  readonly foreground: number;
  /** The controlling terminal's own device, and the device of any controlling terminal (`/dev/tty`). */
  readonly terminals: readonly number[];
}

/** True if the standard streams are the controlling terminal, in the foreground, where its modes may be changed. */
export function isAtTerminal(sitting: () => TerminalProcess = SITTING): boolean {
  if (![0, 1, 2].every((fd) => isatty(fd))) return false;
  const { group, foreground, terminals } = sitting();
  return group === foreground && [0, 1, 2].every((fd) => terminals.includes(fstatSync(fd).rdev));
}

/** Positions after the name in `stat`: process group, controlling terminal, foreground group (proc(5)). */
const STAT = { group: 2, terminal: 4, foreground: 5 } as const;
/** `/dev/tty` (tty(4)). */
const WHICHEVER = 0x500;

/** Linux. */
export function sittingByProc(): TerminalProcess {
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

/** macOS: ps(1) prints the terminal's name in `/dev`, or `??` if there is none. */
export function sittingByPs(): TerminalProcess {
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
