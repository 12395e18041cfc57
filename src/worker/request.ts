import { z } from "zod";
import type { FileRequest } from "../tool/files/protocol.ts";

const Count = z.int().nonnegative();
const Path = z.string().min(1);
const LinkEnd = z.enum(["followed", "itself"]);
const Temporary = z.string().regex(/^\.cofferdam-tmp-[A-Za-z0-9-]{1,128}$/);
/** Long enough to mean the temporaries of one session. */
const Prefix = z.string().regex(/^\.cofferdam-tmp-[A-Za-z0-9-]{8,128}$/);
const Expected = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("missing") }),
  z.strictObject({ kind: z.literal("node"), version: z.string() }),
]);
const walk = { path: Path, glob: z.string().nullable(), maxFound: Count, timeMs: z.number().nonnegative() };
const change = { path: Path, expected: Expected };
const making = { temporary: Temporary, folders: z.boolean() };

/** A request as it comes from outside; the same shape as the type in tool/files/protocol.ts. */
export const Request = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("hello"), profile: z.string() }),
  z.strictObject({ op: z.literal("look"), path: Path, end: LinkEnd }),
  z.strictObject({ op: z.literal("read"), path: Path, from: Count, maxBytes: Count }),
  z.strictObject({
    op: z.literal("read-lines"),
    path: Path,
    first: z.int().positive(),
    maxLines: Count,
    maxBytes: Count,
  }),
  z.strictObject({ op: z.literal("list"), path: Path, after: z.string().nullable(), maxNames: Count }),
  z.strictObject({ op: z.literal("find"), ...walk }),
  z.strictObject({
    op: z.literal("search"),
    wanted: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("text"), text: z.string(), ignoreCase: z.boolean() }),
      z.strictObject({ kind: z.literal("regex"), source: z.string(), flags: z.string() }),
    ]),
    context: Count,
    ...walk,
  }),
  z.strictObject({ op: z.literal("write"), ...change, ...making }),
  z.strictObject({ op: z.literal("remove"), ...change }),
  z.strictObject({ op: z.literal("move"), ...change, to: Path, ...making }),
  z.strictObject({ op: z.literal("sweep"), folder: Path, prefix: Prefix }),
]) satisfies z.ZodType<FileRequest>;

/** One kind of request. */
export type RequestOf<Op extends FileRequest["op"]> = Extract<FileRequest, { readonly op: Op }>;

/** An answer, and the bytes that go with it. */
export interface WorkerAnswer<Reply> {
  readonly answer: Reply;
  readonly body?: Buffer;
}
