import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A server as one perl program: on this address and port it answers with `inside ` and what it was told, once its client
 * has said all of it; `end` ends it. It makes the file `up` once it listens.
 */
export function serverInside(port: number, host: "127.0.0.1" | "0.0.0.0" | "::1" = "127.0.0.1"): string[] {
  const [family, address] =
    host === "::1"
      ? ["10", `pack("S n N x15 C N", 10, ${port}, 0, 1, 0)`]
      : ["2", `pack("S n C4 x8", 2, ${port}, ${host.replaceAll(".", ", ")})`];
  const program = [
    `socket my $server, ${family}, 1, 6 or die "socket: $!";`,
    `bind $server, ${address} or die "bind: $!";`,
    `listen $server, 64 or die "listen: $!";`,
    `open my $up, ">", "up-${port}"; close $up;`,
    "while (accept my $client, $server) {",
    '  my $said = ""; while (sysread $client, $said, 65536, length $said) {}',
    '  my $answer = "inside $said"; my $at = 0;',
    "  while ($at < length $answer) { $at += syswrite($client, $answer, 65536, $at) || last }",
    "  close $client;",
    '  last if $said eq "end";',
    "}",
  ].join("\n");
  return ["perl", "-e", program];
}

/** Waits until a server inside listens: by the file that it makes in this folder. */
export async function untilUp(folder: string, port: number): Promise<void> {
  while (!existsSync(`${folder}/up-${port}`)) await pause(20);
}

/** What is answered at an address of this machine, or the error's code. */
export async function say(port: number, words: string, host = "127.0.0.1"): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true });
  try {
    await once(socket, "connect");
    socket.end(words);
    return await all(socket);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}

async function all(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** The addresses on which anybody of this machine listens on the port, as `/proc/net` has them (proc(5)). */
export function listeningOn(port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = "", , state]) =>
        state === "0A" && local.endsWith(`:${hex}`) ? [local.slice(0, -5)] : [],
      ),
  );
}

/** 127.0.0.1 and ::1 as `/proc/net` has them, on machines of little-endian words. */
export const LOOPBACK = ["0100007F", "00000000000000000000000001000000"] as const;

/** Processes that a supervisor started to connect to servers inside. */
export function connectorsOf(supervisor: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [stat, words] = [
          readFileSync(`/proc/${pid}/stat`, "latin1"),
          readFileSync(`/proc/${pid}/cmdline`, "latin1"),
        ];
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return parent === supervisor && words.includes("net.Socket");
      } catch {
        return false;
      }
    });
}

/** Whether a process runs: what has ended and was not waited for yet does not. */
export function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}
