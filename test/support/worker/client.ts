import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { z } from "zod";
import { printProfile } from "../../../src/profile/canonical.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { ANSWERS, FileFault, type FileRequest } from "../../../src/tool/files/protocol.ts";

/** The program as supervisors start it: bundled, by path. */
export const WORKER = join(import.meta.dirname, "../../../dist/worker/main.js");

/** What starts it: on Linux as on macOS, where this process was told to be one. */
const NODE =
  process.platform === "darwin"
    ? [process.execPath, "--import", join(import.meta.dirname, "as-macos.ts")]
    : [process.execPath];

type Op = FileRequest["op"];
type RequestOf<Name extends Op> = Extract<FileRequest, { op: Name }>;

/** What came back for one request: an answer with its bytes, or why there is none. */
export type Replied<Name extends Op> =
  | { readonly answer: z.infer<(typeof ANSWERS)[Name]>; readonly body: Buffer; readonly fault?: never }
  | { readonly fault: FileFault; readonly answer?: never };

export interface WorkerOptions {
  readonly uid?: number;
  readonly program?: string;
  readonly command?: readonly string[];
}

/** The real worker in a process of its own, spoken to over pipes, one request after the other. */
export class WorkerClient implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stderr = "";
  #received: Buffer[] = [];
  #wake: (() => void) | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor({ uid, program = WORKER, command = NODE }: WorkerOptions = {}) {
    const [file = "", ...rest] = command;
    this.child = spawn(file, [...rest, program], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {},
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.child.stdout?.on("data", (bytes: Buffer) => {
      this.#received.push(bytes);
      this.#wake?.();
    });
    this.child.stderr?.on("data", (bytes: Buffer) => {
      this.stderr += bytes.toString();
    });
    this.child.stdin?.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code) => {
        this.#isOver = true;
        this.#wake?.();
        resolve(code);
      });
    });
  }

  /** A worker that was told its profile. */
  static async of(profile: Profile, options: WorkerOptions = {}): Promise<WorkerClient> {
    const worker = new WorkerClient(options);
    await worker.ask({ op: "hello", profile: printProfile(profile) });
    return worker;
  }

  async ask<Name extends Op>(
    request: RequestOf<Name> & { op: Name },
    body: Uint8Array = Buffer.alloc(0),
  ): Promise<Replied<Name>> {
    const before = this.#turn;
    const mine = before.then(() => this.#exchange(JSON.stringify(request), body));
    this.#turn = mine.catch(() => undefined);
    const { header, body: received } = await mine;
    const reply: unknown = JSON.parse(header);
    if (typeof reply !== "object" || reply === null) throw new Error(`no reply: ${header}`);
    if ("fault" in reply) return { fault: FileFault.parse(reply.fault) };
    const schema: z.ZodType = ANSWERS[request.op];
    const answer = schema.parse("answer" in reply ? reply.answer : null) as z.infer<(typeof ANSWERS)[Name]>;
    return { answer, body: received };
  }

  /** Bytes as they are, for what is no frame. */
  send(bytes: Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  async #exchange(header: string, body: Uint8Array): Promise<{ header: string; body: Buffer }> {
    this.send(frameOf(header, body));
    const lengths = await this.#take(8);
    const headerBytes = lengths.readUInt32BE(4);
    const rest = await this.#take(lengths.readUInt32BE(0) - 4);
    return { header: rest.toString("utf8", 0, headerBytes), body: rest.subarray(headerBytes) };
  }

  async #take(bytes: number): Promise<Buffer> {
    let has = this.#received.reduce((sum, one) => sum + one.length, 0);
    while (has < bytes) {
      if (this.#isOver) throw new Error(`the worker has ended: ${this.stderr}`);
      const count = this.#received.length;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      has += this.#received.slice(count).reduce((sum, one) => sum + one.length, 0);
    }
    const [first] = this.#received;
    const all = this.#received.length === 1 && first !== undefined ? first : Buffer.concat(this.#received);
    this.#received = all.length > bytes ? [all.subarray(bytes)] : [];
    return all.subarray(0, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }
}

/** One frame, as the protocol has it. */
export function frameOf(header: string, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = Buffer.from(header);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(4 + text.length + body.length, 0);
  lengths.writeUInt32BE(text.length, 4);
  return Buffer.concat([lengths, text, body]);
}
