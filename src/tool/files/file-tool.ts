import type { z } from "zod";
import { CofferdamError } from "../../errors.ts";
import type { Risk } from "../../policy/risk.ts";
import type { Access } from "../../profile/access.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Root } from "../facts.ts";
import type { FileAnswer, FileRequest, LinkEnd, Looked } from "./protocol.ts";

/** One path that a use of a tool is about. */
export interface Touch {
  /** As it was written: `notes:report.md`, `./notes/report.md`, absolute. */
  readonly written: string;
  /** The argument that it stands in: rules and people see there where it leads. Null where it was left out. */
  readonly argument: string | null;
  readonly need: Exclude<Access, "none">;
  readonly end: LinkEnd;
}

/** A touched path as the machine has it now. */
export interface Target extends Touch {
  readonly path: AbsolutePath;
  /** The root that it lies in; null outside all of them. */
  readonly root: Root | null;
  /** How people and models are told of it: `notes:report.md`. */
  readonly shown: string;
  readonly looked: Looked;
}

/** What becomes of one file, for whoever decides: its bytes before and after; null where it is not there. */
export interface FileChange {
  readonly path: AbsolutePath;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** What a person is shown of a use. */
export type Preview =
  | { readonly kind: "change"; readonly change: FileChange }
  | { readonly kind: "text"; readonly text: string };

/** Which lines of a file. */
export type LinesRequest = Omit<Extract<FileRequest, { readonly op: "read-lines" }>, "op">;

/** Lines of a file, their bytes as the body. */
export interface Lines {
  readonly answer: FileAnswer<"read-lines">;
  readonly body: Uint8Array;
}

/** Asks the program inside the walls. Throws `FileFaultError` for what could not be done. */
export interface Files {
  ask<Op extends FileRequest["op"]>(
    request: Extract<FileRequest, { readonly op: Op }>,
    body?: Uint8Array,
  ): Promise<{ readonly answer: FileAnswer<Op>; readonly body: Uint8Array }>;
  /** Lines of a file; perhaps they were asked for together with the look at it. */
  readLines(request: LinesRequest): Promise<Lines>;
  /** The name of a temporary that nobody else has, to be made beside a path. */
  temporaryBeside(path: AbsolutePath): string;
  /** How a path is told: by the root that it lies in. */
  shown(path: string): string;
  /** Does work in steps, between which everything else in this process has its turn. */
  inTurns<Result>(steps: Iterator<void, Result>): Promise<Result>;
}

/** One use of a file tool, its input checked. */
export interface FileUse<Value> {
  readonly touches: readonly Touch[];
  /** What is asked about it, by what the paths are shown as: "write to notes:report.md". */
  readonly describe: (targets: readonly Target[]) => string;
  /** What would happen. Throws `CofferdamError` for what can't: nobody is asked about that. Null: nothing but the words. */
  readonly preview: ((targets: readonly Target[], files: Files) => Promise<Preview>) | null;
  readonly run: (targets: readonly Target[], files: Files) => Promise<Value>;
  /** The lines that it will read of the path that it touches, where that is all that it does. */
  readonly reads?: (path: string) => LinesRequest;
  /** What the one path that it touches will hold, where that is known before anything is done. */
  readonly writes?: Uint8Array;
}

/** A tool that works on files. It never has the supervisor's rights: all it does, it asks of the program inside. */
export interface FileTool<Input = unknown, Value = unknown> {
  readonly name: string;
  readonly risk: Risk;
  /** What a model is told. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Of the roots, those that a use without a path is about. */
  readonly use: (input: Input, roots: readonly Root[]) => FileUse<Value>;
}

/** The target of a touch: whoever runs a use has one for each. */
export function given(target: Target | undefined): Target {
  if (target === undefined) throw new CofferdamError("INTERNAL", "a use of a file tool without its target");
  return target;
}

/** Letters of names and paths; all else could pass for words of the sentence that it stands in. */
const PLAIN = /^[\p{L}\p{N}_.:/@+~-]+$/u;

/** A target in a sentence: as it is shown, in quotes where it could be taken for more than a path. */
export function spoken(target: Pick<Target, "shown"> | undefined): string {
  const { shown = "" } = target ?? {};
  return PLAIN.test(shown) ? shown : JSON.stringify(shown);
}
