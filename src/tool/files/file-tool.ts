import type { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import type { Risk } from "../../policy/risk.ts";
import type { Access } from "../../profile/access.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Root } from "../facts.ts";
import type { FileAnswer, FileRequest, LinkEnd, Looked } from "./protocol.ts";

/** One path that a use of a tool touches. */
export interface Touch {
  /** The path as written: `notes:report.md`, `./notes/report.md`, absolute. */
  readonly written: string;
  /** The argument that holds the path: rules and people see its resolved value there. Null if it was omitted. */
  readonly argument: string | null;
  readonly need: Exclude<Access, "none">;
  readonly end: LinkEnd;
}

/** A touched path as the machine has it now. */
export interface TouchedPath extends Touch {
  readonly path: AbsolutePath;
  /** The root that contains it; null outside all roots. */
  readonly root: Root | null;
  /** Its spelling for people and models: `notes:report.md`. */
  readonly shown: string;
  readonly looked: Looked;
}

/** The change of one file, for approval: its bytes before and after; null if it does not exist. */
export interface FileChange {
  readonly path: AbsolutePath;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** The preview of a use that a person sees. */
export type Preview =
  | { readonly kind: "change"; readonly change: FileChange }
  | { readonly kind: "text"; readonly text: string };

/** A range of lines of a file. */
export type LinesRequest = Omit<Extract<FileRequest, { readonly op: "read-lines" }>, "op">;

/** Lines of a file, their bytes as the body. */
export interface Lines {
  readonly answer: FileAnswer<"read-lines">;
  readonly body: Uint8Array;
}

/** Requests to the worker in the sandbox. Throws `FileFaultError` if one fails. */
export interface Files {
  ask<Op extends FileRequest["op"]>(
    request: Extract<FileRequest, { readonly op: Op }>,
    body?: Uint8Array,
  ): Promise<{ readonly answer: FileAnswer<Op>; readonly body: Uint8Array }>;
  /** Lines of a file, possibly requested together with the look at it. */
  readLines(request: LinesRequest): Promise<Lines>;
  /** A unique name for a temporary file beside a path. */
  temporaryBeside(path: AbsolutePath): string;
  shown(path: string): string;
  /** Does work in steps, so that other work in this process can run in between. */
  inTurns<Result>(steps: Iterator<void, Result>): Promise<Result>;
}

/** One use of a file tool, with checked input. */
export interface FileUse<Value> {
  readonly touches: readonly Touch[];
  /** The question about the use, with its paths as shown: "write to notes:report.md". */
  readonly describe: (targets: readonly TouchedPath[]) => string;
  /** The effect. Throws `CofferdamError` for an impossible one: no question is asked. Null: only the description. */
  readonly preview: ((targets: readonly TouchedPath[], files: Files) => Promise<Preview>) | null;
  readonly run: (targets: readonly TouchedPath[], files: Files) => Promise<Value>;
  /** The lines that it reads of its one path, if it does nothing else. */
  readonly reads?: (path: string) => LinesRequest;
  /** The new content of its one path, if known beforehand. */
  readonly writes?: Uint8Array;
}

/** A tool that works on files. It never has the supervisor's rights: it sends all work to the worker in the sandbox. */
export interface FileTool<Input = unknown, Value = unknown> {
  readonly name: string;
  readonly risk: Risk;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Without a path, a use is about the readable ones of `roots`. */
  readonly use: (input: Input, roots: readonly Root[]) => FileUse<Value>;
}

/** The target of a touch; each touch of a use has one. */
export function given(target: TouchedPath | undefined): TouchedPath {
  if (target === undefined) throw new CofferdamError("INTERNAL", "a file tool was used without its target");
  return target;
}

/** Letters of names and paths; other characters could pass for words of the sentence around them. */
const PLAIN = /^[\p{L}\p{N}_.:/@+~-]+$/u;

/** A target in a sentence, in quotes if it could be taken for more than a path. */
export function spoken(target: Pick<TouchedPath, "shown"> | undefined): string {
  const { shown = "" } = target ?? {};
  return PLAIN.test(shown) ? shown : JSON.stringify(shown);
}
