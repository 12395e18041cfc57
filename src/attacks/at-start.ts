import { createHash } from "node:crypto";
import type { Protection } from "../backend/plan.ts";
import {
  type AtStart,
  type Attack,
  granted,
  type Need,
  on,
  own,
  type Row,
  row,
  type StartTarget,
  sameOutside,
} from "./attack.ts";

/** An attack that the start-up check tries. */
export interface StartAttack extends Attack {
  readonly claim: keyof typeof PROTECTIONS;
  readonly atStart: AtStart;
}

/** The protection that is weakened if an attack on a claim succeeds at the start. */
export const PROTECTIONS = {
  "fs.read": "files",
  "fs.write": "files",
  "fs.views": "files",
  priv: "capabilities",
  proc: "processes",
  "net.none": "network",
  sock: "sockets",
} as const satisfies Readonly<Record<string, Protection>>;

/**
 * The attacks of the start-up check. They run at each new machine: fast, without perl, by the system's own programs.
 */
export function attacksAtStart(target: StartTarget, platform: "linux" | "darwin"): readonly StartAttack[] {
  const rows = { linux: onLinux, darwin: onMac }[platform](target);
  return [...onBoth(target), ...rows].map((one) => ({ ...one, on: platform }));
}

/** The same for both platforms, as the selftest lists them. */
export function ofStart(target: StartTarget): readonly Attack[] {
  return [...on("both", onBoth(target)), ...on("linux", onLinux(target)), ...on("darwin", onMac(target))];
}

/** Changes with the attacks of a platform, which makes results of older checks invalid. */
export function startTableId(platform: "linux" | "darwin"): string {
  const attacks = attacksAtStart(EXAMPLE, platform);
  return createHash("sha256").update(JSON.stringify(attacks)).digest("hex").slice(0, 16);
}

const EXAMPLE: StartTarget = {
  outside: "/outside",
  ws: "/ws",
  pid: 1,
  comm: "comm",
  neighbour: 2,
  port: 3,
  shell: "/bin/sh",
};

type StartRow = Omit<StartAttack, "on">;

function start(act: string, row: Row<StartAttack["claim"]>, needs: Need | null = null): StartRow {
  return { ...row, atStart: { act, needs } };
}

function onBoth({ ws, outside: folder }: StartTarget): readonly StartRow[] {
  const read = (path: string): string => `IFS= read -r x < ${path}/canary && [ "$x" = secret ]`;
  const write = (path: string): string => `echo x >> ${path}/canary`;
  const [inner, canary] = [`${ws}/inner`, `${folder}/canary`];
  return [
    start(
      "read a file that is not granted",
      row("fs.read", "a file outside cannot be read by its path", read(folder), granted(read(inner))),
      ["readable", canary],
    ),
    start(
      "write a file that is not granted",
      row("fs.write", "a file outside cannot be written by its path", write(folder), granted(write(inner))),
      ["writable", canary],
    ),
  ];
}

function onLinux({ ws, pid, comm, shell }: StartTarget): readonly StartRow[] {
  const made = (folder: string): string => `: > ${folder}/made`;
  const sysctl = "/proc/sys/kernel/printk_ratelimit";
  // `read` reads single bytes, and the kernel answers only the first read of such a file.
  const setAgain = `v=$(cat ${sysctl}) && [ -n "$v" ] && echo "$v" > ${sysctl}`;
  const remount = (folder: string): string => `mount -o remount,rw ${folder}/`;
  const remounted = own(`mkdir -p ${ws}/m7; mount -t ramfs none ${ws}/m7 && ${remount(`${ws}/m7`)}`);
  // A process inside may have the same number, but not the same name.
  const seen = `[ -e /proc/${pid} ] && [ "$(cat /proc/${pid}/comm)" = '${comm}' ]`;
  const interfaces = granted("grep -e '^ *lo:' /proc/net/dev");
  const ownFile = granted(`echo x > ${ws}/own1; exec 3< ${ws}/own1; ${sameMode("/proc/self/fd/3")}`);
  const pipe = granted(`mkfifo ${ws}/fifo; ${sameMode(`${ws}/fifo`)}`);
  return [
    start(
      "write into the base",
      row("fs.views", "a file cannot be created in the base", made(""), granted(made(ws))),
    ),
    start(
      "set a kernel variable",
      sameOutside("priv", "a sysctl cannot be set", setAgain, { controlFor: "root" }),
      ["readable", sysctl],
    ),
    start(
      "remount the base writable",
      row("priv", "the base cannot be remounted by mount(8)", remount(""), remounted),
      ["program", "mount"],
    ),
    start(
      "make a user namespace",
      sameOutside("priv", "no user namespace can be made by unshare(1)", "unshare -U true"),
      ["program", "unshare"],
    ),
    start(
      "see a process of the host",
      sameOutside("proc", "a process of the host is not found by its number and name", seen),
      ["readable", `/proc/${pid}/comm`],
    ),
    start(
      "reach a network of the host",
      row(
        "net.none",
        "no interface exists except a loopback",
        "grep -v -e '^ *lo:' -e '^Inter-|' -e '^ face |' /proc/net/dev",
        interfaces,
      ),
      ["readable", "/proc/net/dev"],
    ),
    start(
      "change the mode of the program of the first process",
      row(
        "fs.write",
        "the mode of the program of the first process cannot be changed",
        sameMode("/proc/1/exe"),
        ownFile,
      ),
      ["owned", shell],
    ),
    start(
      "change the mode of a device of the host",
      row("fs.write", "the mode of a device of the host cannot be changed", sameMode("/dev/null"), pipe, {
        isOpenWithoutDevices: true,
      }),
      ["owned", "/dev/null"],
    ),
  ];
}

function onMac({ ws, outside: folder, pid, neighbour, port }: StartTarget): readonly StartRow[] {
  const made = (at: string): string => `: > ${at}/made`;
  const moved = (at: string): string => `mv ${at}/moved ${at}/elsewhere`;
  const inner = `${ws}/inner`;
  // One of the two programs may not be installed.
  const connected = `nc -z -w 2 127.0.0.1 ${port} || bash -c ': </dev/tcp/127.0.0.1/${port}'`;
  const reached = `nc -U ${folder}/socket </dev/null || perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($ARGV[0])) or exit 1' ${folder}/socket`;
  return [
    start(
      "make a file in a folder that is not granted",
      row("fs.write", "a file cannot be created in a folder outside", made(folder), granted(made(inner))),
    ),
    start(
      "list a folder that is not granted",
      row("fs.read", "a folder outside cannot be listed", `ls ${folder}`, granted(`ls ${inner}`)),
    ),
    start(
      "move a file that is not granted",
      row("fs.write", "a file outside cannot be moved", moved(folder), granted(moved(inner))),
    ),
    start(
      "run a program that is not granted",
      row("fs.read", "a program outside cannot be run", `${folder}/program`, granted(`${ws}/program`)),
    ),
    start("signal a process of the host", signalled(pid)),
    start(
      "signal a process in another sandbox",
      sameOutside("proc", "no process in another sandbox can be signalled", `kill -0 ${neighbour}`),
    ),
    start(
      "reach a port of the host",
      sameOutside(
        "net.none",
        "a server on this machine's loopback cannot be reached by nc or bash",
        connected,
      ),
    ),
    start(
      "reach a unix socket of the host",
      sameOutside("sock", "a socket in a folder that is not granted cannot be reached", reached),
    ),
  ];
}

/** On Linux it is not tried at the start: a process inside may have the same number. */
export function signalled(pid: number): Row<"proc"> {
  return sameOutside("proc", "no process of the host can be signalled", `kill -0 ${pid}`);
}

/** Writes a file's own mode: succeeds if the owner can write through the mount of the path. */
export function sameMode(file: string): string {
  return `m=$(stat -Lc %a ${file}) && chmod "$m" ${file}`;
}
