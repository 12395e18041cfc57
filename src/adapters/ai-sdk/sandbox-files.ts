import { posix } from "node:path";
import type {
  Experimental_SandboxDirectoryEntry as Entry,
  Experimental_SandboxSession as SandboxSession,
  Experimental_SandboxFileStat as Stat,
} from "ai";
import { quarantinedText } from "../../call/tool-result.ts";
import type { Outcome } from "../../decide/outcome.ts";
import type { ToolTypes } from "../../decide/tool-cards.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import type { NodeKind } from "../../tool/files/protocol.ts";
import { readName, shownName } from "../../tool/files/written-path.ts";
import { stoppedError, unless, unlessAborted } from "./sandbox-errors.ts";

type OptionsOf<Member extends keyof SandboxSession> = SandboxSession[Member] extends (
  options: infer Options,
) => unknown
  ? Options
  : never;
type At = OptionsOf<"stat">;
type FileTool = "read_file" | "write_file" | "list_dir" | "delete_file";
type ValueOf<Name extends FileTool> = Extract<ToolTypes[Name]["outcome"], { readonly kind: "done" }>["value"];
type Piece = Extract<ValueOf<"read_file">, { readonly kind: "base64" }>;

/** Maximum of bytes read in one call, and of names listed. */
const MAX_BYTES = 256 * 1024;
const MAX_NAMES = 1_000;

/** The files of a sandbox session: each of its calls goes through the gate as a call of a file tool. */
export class SandboxFiles {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async stream(at: At): Promise<ReadableStream<Uint8Array> | null> {
    const first = await unless("FILE_NOT_FOUND", () => this.#piece(at, 0));
    return first === null ? null : streamOf(this.#pieces(at, first));
  }

  async bytes(at: At): Promise<Uint8Array | null> {
    const first = await unless("FILE_NOT_FOUND", () => this.#piece(at, 0));
    if (first === null) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#pieces(at, first)) pieces.push(piece);
    return Uint8Array.from(Buffer.concat(pieces));
  }

  async text({ encoding = "utf-8", startLine, endLine, ...at }: OptionsOf<"readTextFile">) {
    const decoder = decoderOf(encoding);
    const bytes = await this.bytes(at);
    return bytes === null ? null : linesOf(decoder.decode(bytes), startLine, endLine);
  }

  async writeStream({ content, ...at }: OptionsOf<"writeFile">): Promise<void> {
    await this.writeBytes({ ...at, content: await whole(content, at.abortSignal) });
  }

  async writeBytes({ content, ...at }: OptionsOf<"writeBinaryFile">): Promise<void> {
    await this.#write(at, textOf(content, at.path));
  }

  async writeText({ content, encoding = "utf-8", ...at }: OptionsOf<"writeTextFile">): Promise<void> {
    if (/^utf-?8$/i.test(encoding)) return this.#write(at, content);
    if (!Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
    await this.writeBytes({ ...at, content: Buffer.from(content, encoding) });
  }

  async stat(at: At): Promise<Stat | null> {
    return unless("FILE_NOT_FOUND", async () => {
      const piece = await unless("FILE_WRONG_KIND", () => this.#piece(at, 0, 1));
      if (piece !== null) return { type: "file", size: piece.size };
      const names = await unless("FILE_WRONG_KIND", () => this.#names(at, undefined, 1));
      return { type: names === null ? "other" : "directory", size: 0 };
    });
  }

  async list(at: At): Promise<Entry[] | null> {
    return unless("FILE_NOT_FOUND", async () => {
      const found: Entry[] = [];
      for (let after: string | undefined; ; ) {
        const { entries, is_end: isEnd } = await this.#names(at, after, MAX_NAMES);
        found.push(...entries.map(({ name, kind }) => ({ name: readName(name), type: TYPES[kind] })));
        after = entries.at(-1)?.name;
        if (isEnd || after === undefined) return found;
      }
    });
  }

  async remove(at: At): Promise<boolean> {
    const isFolder = (await this.stat(at))?.type === "directory" && !(await this.#isLink(at));
    // The tool would delete an empty one.
    if (isFolder)
      throw new CofferdamError("FILE_WRONG_KIND", `${visible(at.path)} is a folder`, {
        hint: "delete it with a command",
      });
    const gone = await unless("FILE_NOT_FOUND", () =>
      this.#call("delete_file", { path: written(at.path) }, at.abortSignal),
    );
    return gone !== null;
  }

  async #isLink({ path, abortSignal }: At): Promise<boolean> {
    const folder = { path: posix.dirname(path), ...(abortSignal === undefined ? {} : { abortSignal }) };
    const entries = (await this.list(folder)) ?? [];
    return entries.some(({ name, type }) => name === posix.basename(path) && type === "symlink");
  }

  async #write({ path, abortSignal }: At, content: string): Promise<void> {
    await this.#call("write_file", { path: written(path), content }, abortSignal);
  }

  async *#pieces(at: At, first: Piece): AsyncGenerator<Uint8Array, void, undefined> {
    let read = 0;
    for (let piece = first; ; piece = await this.#piece(at, read)) {
      if (piece.size !== first.size)
        throw new CofferdamError("FILE_CHANGED", `${visible(at.path)} changed while it was read`, {
          hint: "read it again",
        });
      read += piece.bytes;
      if (piece.bytes > 0) yield Uint8Array.from(Buffer.from(piece.data, "base64"));
      if (read >= first.size || piece.bytes === 0) return;
    }
  }

  async #piece({ path, abortSignal }: At, from: number, bytes = MAX_BYTES): Promise<Piece> {
    const input = { path: written(path), as: "base64", from_byte: from, bytes } as const;
    const value = await this.#call("read_file", input, abortSignal);
    if (value.kind === "base64") return value;
    throw new CofferdamError("INTERNAL", "expected bytes, but got text");
  }

  #names({ path, abortSignal }: At, after: string | undefined, limit: number) {
    const input = { path: written(path), limit, ...(after === undefined ? {} : { after }) };
    return this.#call("list_dir", input, abortSignal);
  }

  async #call<Name extends FileTool>(
    tool: Name,
    input: ToolTypes[Name]["input"],
    signal: AbortSignal | undefined,
  ): Promise<ValueOf<Name>> {
    const outcome = await unlessAborted(signal, () =>
      this.#session.call(tool, input, signal === undefined ? {} : { signal }),
    );
    switch (outcome.kind) {
      case "done":
        assertNotTaken(outcome);
        return outcome.value;
      case "failed":
        throw outcome.error;
      case "denied":
      case "pending":
        throw stoppedError(tool, outcome);
    }
  }
}

/** Throws if the file went to quarantine: these callers read no outcomes. */
function assertNotTaken(outcome: Outcome): void {
  const taken = quarantinedText(outcome);
  if (taken !== null) throw new CofferdamError("APPROVAL_DENIED", taken.trimEnd());
}

const TYPES = {
  file: "file",
  folder: "directory",
  link: "symlink",
  other: "other",
  missing: "other",
} as const satisfies Record<NodeKind, Entry["type"]>;

/** A path as file tools read it: no name in it is read as a root's or as quoted, unless we put it there. */
function written(path: string): string {
  const names = path.split("/").map(shownName).join("/");
  return path === "" || path.startsWith("/") ? names : `./${names}`;
}

function streamOf(pieces: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await pieces.return();
    },
  });
}

/** The whole content of a stream. If the signal aborts, the stream is cancelled and the signal's reason is thrown. */
async function whole(stream: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  const reader = stream.getReader();
  // The wait ends too, even if the stream is slow to cancel.
  const stop = () => {
    reader.cancel(signal?.reason).catch(() => undefined);
  };
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return Buffer.concat(pieces);
      pieces.push(value);
    }
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CofferdamError(
      "USAGE",
      `the new content of ${visible(path)} is not UTF-8 text, and file tools write only that`,
      {
        hint: 'write it with a command that reads it: `spawn({ command: "tee FILE", stdin: true })`',
        cause,
      },
    );
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw unknownEncoding(encoding);
  }
}

function unknownEncoding(encoding: string): CofferdamError {
  return new CofferdamError("USAGE", `unknown encoding ${visible(encoding)}`, { hint: "use `utf-8`" });
}

/** The lines from `first` to `last`, counted from 1, both included; with the line ends that the text uses first. */
function linesOf(text: string, first: number | undefined, last: number | undefined): string {
  if (first === undefined && last === undefined) return text;
  const [end = "\n"] = /\r\n|\n|\r/.exec(text) ?? [];
  return text
    .split(end)
    .slice(Math.max(1, first ?? 1) - 1, last)
    .join(end);
}
