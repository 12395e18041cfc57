import { resolve } from "node:path";

/** One try of bash to open a file: its path, resolved in the folder of the process. */
export interface OpenedFile {
  readonly path: string;
  readonly mode: "read" | "write";
}

const OPEN = /^(\d+) +(?:openat\(AT_FDCWD<(.*?)>, |open\()"((?:[^"\\]|\\.)*)", ([A-Z_|0-9]+)/;
const EXEC = /^(\d+) +execve\("((?:[^"\\]|\\.)*)"/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/;
/** Files of the system that bash and its libraries read, and those that hold nothing or are open already. */
const OF_SYSTEM =
  /^\/(etc|lib|lib64|usr|proc|sys|run\/(host\/)?userdb)\/|^\/dev\/(tty|null|std(in|out|err)|fd\/\d+)$/;

/**
 * The files that bash opened, by a trace of strace(1) with `-f -y`. A process is bash until it starts another program.
 * Left out: what it reads of the system, folders that it lists, its temporary files.
 */
export function openedFiles(trace: string, bash: string, temporary: string): readonly OpenedFile[] {
  const others = new Set<string>();
  const starting = new Map<string, string>();
  const found: OpenedFile[] = [];
  for (const line of trace.split("\n")) {
    const [, starter = "", program = ""] = EXEC.exec(line) ?? [];
    const [, resumed = "", call] = RESUMED.exec(line) ?? [];
    if (program !== "") starting.set(starter, program);
    const done = call === "execve" ? resumed : starter;
    if (done !== "" && line.endsWith("= 0") && starting.get(done) !== bash) others.add(done);
    const [, opener = "", folder = "/", written = "", flags = ""] = OPEN.exec(line) ?? [];
    if (opener === "" || others.has(opener) || flags.includes("O_DIRECTORY")) continue;
    const path = resolve(unescaped(folder), unescaped(written));
    if (OF_SYSTEM.test(path) || path.startsWith(`${temporary}/sh-thd`)) continue;
    found.push({ path, mode: /O_(WRONLY|RDWR)/.test(flags) ? "write" : "read" });
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };

/** The text of a string as strace prints it: C escapes, and octal numbers of bytes. */
function unescaped(text: string): string {
  const bytes = text.replace(/\\([0-7]{1,3}|.)/gs, (_, one: string) =>
    /^[0-7]/.test(one) ? String.fromCharCode(Number.parseInt(one, 8)) : (ESCAPES[one] ?? one),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
