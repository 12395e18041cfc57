import { parseProfile } from "../profile/canonical.ts";
import type { FileAnswer, FileRequest } from "../tool/files/protocol.ts";
import { faultFrom, WorkerFault } from "./faults.ts";
import { find } from "./find.ts";
import { fitsFrame, MalformedFrame } from "./frames.ts";
import { GrantedFolders } from "./grants.ts";
import { readLines } from "./lines.ts";
import { list } from "./list.ts";
import { look } from "./look.ts";
import { move } from "./move.ts";
import { read } from "./read.ts";
import { remove, sweep } from "./remove.ts";
import { Request, type WorkerAnswer } from "./request.ts";
import { search } from "./search.ts";
import { write } from "./write.ts";

/** The answer to one request. */
export interface WorkerResponse {
  readonly header: Buffer;
  readonly body: Buffer;
}

const NO_BODY = Buffer.alloc(0);

/** The operations of one worker: a profile once, then files under it. */
export class Operations {
  #grants: GrantedFolders | null = null;

  /** Throws `MalformedFrame` for an invalid request, and for a missing or second hello. */
  reply(header: string, body: Buffer): WorkerResponse {
    const request = requestIn(header);
    if (request.op === "hello") return responseFor(this.#hello(request.profile), "");
    if (this.#grants === null) throw new MalformedFrame("the first request is not a hello");
    const path = "path" in request ? request.path : request.folder;
    try {
      return responseFor(done(this.#grants, request, body), path);
    } catch (error) {
      const fault = faultFrom(error, path);
      if (!(fault instanceof WorkerFault)) throw error;
      return { header: Buffer.from(JSON.stringify({ fault: fault.fault })), body: NO_BODY };
    }
  }

  #hello(profile: string): WorkerAnswer<FileAnswer<"hello">> {
    if (this.#grants !== null) throw new MalformedFrame("a second hello");
    try {
      this.#grants = new GrantedFolders(parseProfile(profile));
    } catch (cause) {
      throw new MalformedFrame("the profile is invalid", { cause });
    }
    return { answer: { ok: true } };
  }
}

function requestIn(header: string): FileRequest {
  try {
    return Request.parse(JSON.parse(header));
  } catch (cause) {
    throw new MalformedFrame("the header is not a request", { cause });
  }
}

/** Throws `TOO_LARGE` for an answer that does not fit a frame, or not even a string. */
function responseFor(
  { answer, body = NO_BODY }: WorkerAnswer<FileAnswer<FileRequest["op"]>>,
  path: string,
): WorkerResponse {
  const header = Buffer.from(textOf(answer) ?? "");
  if (header.length === 0 || !fitsFrame(header.length, body.length))
    throw new WorkerFault("TOO_LARGE", path, "the answer is larger than a frame");
  return { header, body };
}

function textOf(answer: unknown): string | null {
  try {
    return JSON.stringify({ answer });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function done(
  grants: GrantedFolders,
  request: Exclude<FileRequest, { op: "hello" }>,
  body: Buffer,
): WorkerAnswer<FileAnswer<FileRequest["op"]>> {
  switch (request.op) {
    case "look":
      return look(grants, request);
    case "read":
      return read(grants, request);
    case "read-lines":
      return readLines(grants, request);
    case "list":
      return list(grants, request);
    case "find":
      return find(grants, request);
    case "search":
      return search(grants, request);
    case "write":
      return write(grants, request, body);
    case "remove":
      return remove(grants, request);
    case "move":
      return move(grants, request);
    case "sweep":
      return sweep(grants, request);
  }
}
