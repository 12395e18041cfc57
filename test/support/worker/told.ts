import type { Expected, FileFault, FileRequest, Looked } from "../../../src/tool/files/protocol.ts";
import type { Replied, WorkerClient } from "./client.ts";

/** What was answered. Throws where it was a fault. */
export function answerOf<Name extends FileRequest["op"]>(reply: Replied<Name>) {
  if (reply.fault !== undefined) throw new Error(JSON.stringify(reply.fault));
  return reply.answer;
}

/** The bytes that came with an answer, as text. */
export function textOf(reply: Replied<FileRequest["op"]>): string {
  if (reply.fault !== undefined) throw new Error(JSON.stringify(reply.fault));
  return reply.body.toString();
}

/** A fault in short: its word, where, and for a denial what was needed. */
export function faultOf(reply: Replied<FileRequest["op"]>): string {
  if (reply.fault === undefined) return `no fault: ${JSON.stringify(reply.answer)}`;
  const { fault, path, need }: FileFault = reply.fault;
  return [fault, path, need].filter((one) => one !== null).join(" ");
}

export async function lookAt(
  worker: WorkerClient,
  path: string,
  end: "followed" | "itself" = "followed",
): Promise<Looked> {
  return answerOf(await worker.ask({ op: "look", path, end }));
}

/** What stands there now, as a change expects it. */
export async function expectedAt(
  worker: WorkerClient,
  path: string,
  end: "followed" | "itself" = "followed",
): Promise<Expected> {
  const { kind, version } = await lookAt(worker, path, end);
  return kind === "missing" ? { kind } : { kind: "node", version };
}

let count = 0;

/** A name for a temporary that was not used before. */
export function temporaryName(): string {
  count += 1;
  return `.cofferdam-tmp-of-a-test-${count}-`;
}

/** Writes what it says, expecting what is there. */
export async function writeTo(worker: WorkerClient, path: string, text: string, folders = false) {
  const expected = await expectedAt(worker, path);
  return worker.ask({ op: "write", path, expected, temporary: temporaryName(), folders }, Buffer.from(text));
}

/** Moves what is there. */
export async function moveTo(worker: WorkerClient, path: string, to: string, folders = false) {
  const expected = await expectedAt(worker, path, "itself");
  return worker.ask({ op: "move", path, expected, to, temporary: temporaryName(), folders });
}
