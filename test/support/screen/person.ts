import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { CALLER, compileCacheFor } from "../battery/people.ts";
import type { Command, Report } from "./commands.ts";
import { IN_A_RELAYED_TERMINAL } from "./pty.ts";

const DRIVER = fileURLToPath(new URL("../../../dist/battery/asking-driver.js", import.meta.url));

/** Why nobody can sit at a terminal here, or null. */
export function terminalProblem(): string | null {
  // The relay speaks to terminals in the numbers of Linux.
  if (process.platform !== "linux") return "this is not Linux";
  const missing = ["/usr/bin/perl", "/dev/ptmx", "/usr/bin/stty"].find((path) => !existsSync(path));
  return missing === undefined ? null : `there is no ${missing}`;
}

/** The time in which a person reads a question, in milliseconds. */
const READ_MS = 330;

/** A person at a terminal in which the asking program runs: they see the screen and press keys. */
export class Person {
  readonly #screen: xterm.Terminal;
  readonly #relay: ChildProcess;
  readonly #wire: Socket;
  readonly #reports: Report[] = [];
  /** All bytes that the terminal was sent. */
  sent = "";

  constructor(columns: number, rows: number, env: Readonly<Record<string, string>>) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, scrollback: 2000, allowProposedApi: true });
    const [program = "", ...words] = IN_A_RELAYED_TERMINAL;
    this.#relay = spawn(program, [...words, process.execPath, DRIVER], {
      env: {
        PATH: "/usr/bin:/bin",
        TERM: "xterm-256color",
        NODE_COMPILE_CACHE: compileCacheFor(CALLER),
        ...env,
        ROWS: `${rows}`,
        COLUMNS: `${columns}`,
      },
      stdio: ["pipe", "pipe", "inherit", "pipe", "pipe"],
      detached: true,
    });
    const wire = this.#relay.stdio[4];
    if (!(wire instanceof Socket)) throw new Error("the asking program has no wire");
    this.#wire = wire;
    for (const stream of this.#relay.stdio) stream?.on("error", () => undefined);
    this.#relay.stdout?.on("data", (chunk: Buffer) => {
      this.sent += chunk.toString("utf8");
      this.#screen.write(chunk);
    });
    let heard = "";
    wire.on("data", (chunk: Buffer) => {
      const lines = `${heard}${chunk.toString("utf8")}`.split("\n");
      heard = lines.pop() ?? "";
      this.#reports.push(...lines.map((line): Report => JSON.parse(line)));
    });
    onTestFinished(() => {
      for (const pid of [this.pid, this.#relay.pid]) end(pid);
    });
  }

  /** Of the asking program. */
  get pid(): number | undefined {
    return this.#reports.find((one) => one.kind === "ready")?.pid;
  }

  /** What stands on the screen, without blanks at the ends. */
  rows(): readonly string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, row) => this.#row(active.viewportY + row));
  }

  /** The same with all that has left the screen above. */
  allRows(): readonly string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: active.length }, (_, row) => this.#row(row));
  }

  get isOnOtherScreen(): boolean {
    return this.#screen.buffer.active.type === "alternate";
  }

  sees(text: string): boolean {
    return this.rows().some((row) => row.includes(text));
  }

  /** Waits until something is so. */
  async until(holds: () => boolean, what = holds.toString()): Promise<void> {
    for (let tries = 0; tries < 1_500; tries += 1) {
      if (holds()) return;
      await pause(20);
    }
    throw new Error(`waited in vain for ${what}; on the screen:\n${this.allRows().join("\n")}`);
  }

  async untilSeen(text: string): Promise<void> {
    await this.until(() => this.sees(text), `\`${text}\``);
  }

  /**
   * Waits until a text is seen, and as long as a person needs to read a question; anew when more is drawn meanwhile, or
   * the machine was so busy that keys may not count yet.
   */
  async reads(text: string): Promise<void> {
    await this.untilSeen(text);
    let isCalm = false;
    for (let drawn = -1, tries = 0; drawn !== this.sent.length || (!isCalm && tries < 20); tries += 1) {
      drawn = this.sent.length;
      const began = performance.now();
      await pause(READ_MS);
      isCalm = performance.now() - began < READ_MS + 50;
    }
  }

  /** Presses keys; several of one text arrive at once, as of a paste. */
  type(text: string): void {
    this.#relay.stdin?.write(text);
  }

  tell(...commands: readonly Command[]): void {
    this.#wire.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    const control = this.#relay.stdio[3];
    if (control instanceof Writable) control.write(`${rows} ${columns}\n`);
  }

  /** Takes the terminal away. */
  hangUp(): void {
    end(this.#relay.pid);
  }

  /** What the asking program has reported. */
  heard<K extends Report["kind"]>(kind: K): readonly Extract<Report, { kind: K }>[] {
    return this.#reports.filter((one): one is Extract<Report, { kind: K }> => one.kind === kind);
  }

  /** What became of one request, in words. */
  async outcome(id: string): Promise<unknown> {
    const found = (): Report | undefined =>
      this.#reports.find((one) => (one.kind === "answered" || one.kind === "rejected") && one.id === id);
    await this.until(() => found() !== undefined, `the outcome of ${id}`);
    const report = found();
    return report?.kind === "answered"
      ? report.answer
      : report?.kind === "rejected"
        ? report.error
        : undefined;
  }

  /** Presses a key until the request has its outcome: on a busy machine one may come before keys count. */
  async answers(key: string, id: string): Promise<unknown> {
    const outcome = this.outcome(id);
    const isAnswered = outcome.then(
      () => true,
      () => true,
    );
    do this.type(key);
    while (!(await Promise.race([isAnswered, pause(1_000).then(() => false)])));
    return outcome;
  }

  /** Presses a key until something is so: on a busy machine one may come before keys count. */
  async presses(key: string, holds: () => boolean): Promise<void> {
    do this.type(key);
    while (!(await soonTrue(holds, 1_000)));
  }

  /** Waits for the end of the asking program, and tells how it ended and whether keys echo and lines are edited again. */
  async ending(): Promise<{ readonly how: string; readonly isCooked: boolean }> {
    await this.untilSeen("[bye]");
    const text = this.allRows().join("\n");
    const how = /\[ended: (.*)\]/.exec(text)?.[1] ?? "";
    return { how, isCooked: /[^-]icanon\b/.test(text) && /[^-]echo\b/.test(text) && /[^-]isig\b/.test(text) };
  }

  #row(at: number): string {
    return this.#screen.buffer.active.getLine(at)?.translateToString(true).trimEnd() ?? "";
  }
}

/** Someone sits down at a terminal, and the program is ready to ask. */
export async function sitDown({
  columns = 80,
  rows = 40,
  env = {},
}: {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<Person> {
  const person = new Person(columns, rows, env);
  await person.until(() => person.pid !== undefined, "the asking program");
  return person;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** True once it holds, looked at again and again. */
export async function soonTrue(holds: () => boolean, ms = 5_000): Promise<boolean> {
  for (let tries = 0; tries < ms / 20 && !holds(); tries += 1) await pause(20);
  return holds();
}
