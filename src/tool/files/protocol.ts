import { z } from "zod";

/**
 * The protocol between a supervisor and the file worker in the sandbox, over one pipe each way. A message is a frame:
 * the length of all that follows (4 bytes, big-endian), the length of the header (4 bytes), the header as JSON, and the
 * body: the raw bytes of a file. Each request has one answer, in order; the first request is `hello`. Paths are those
 * of the host, as `AbsolutePath` holds them: names that are not UTF-8 contain lone surrogates, which JSON carries as
 * `\udc80`.
 */
export const LARGEST_FRAME = 80 * 1024 ** 2;

/** How a path is resolved: to the target of its last name, or to that name itself if it is a link. */
export type LinkEnd = "followed" | "itself";

/** The states of a file for which a change was approved. Any other state is answered with `CHANGED`. */
export type Expected = { readonly kind: "missing" } | { readonly kind: "node"; readonly version: string };

/** The glob and the limits of a walk through a tree. */
export interface WalkBounds {
  /** Start of the walk: a folder, or for a search also one file. */
  readonly path: string;
  /** A pattern of the profile's language, as if `path` were `/`: `*.ts` at any depth, `/*.ts` in it; null: any file. */
  readonly glob: string | null;
  readonly maxFound: number;
  /** Milliseconds; matches found until then are returned. */
  readonly timeMs: number;
}

export type FileRequest =
  /** The canonical text of the profile that every resolved path is checked against. */
  | { readonly op: "hello"; readonly profile: string }
  /** The state of a path. A missing last name is an answer, not an error, and so are missing folders above it. */
  | { readonly op: "look"; readonly path: string; readonly end: LinkEnd }
  /** Bytes of a file; the body of the answer. */
  | { readonly op: "read"; readonly path: string; readonly from: number; readonly maxBytes: number }
  /** Lines of a file, from the first (1) on; the body of the answer, with their ends as they are. */
  | {
      readonly op: "read-lines";
      readonly path: string;
      readonly first: number;
      readonly maxLines: number;
      readonly maxBytes: number;
    }
  /** The names in a folder, in the order of their bytes, after a given name. */
  | { readonly op: "list"; readonly path: string; readonly after: string | null; readonly maxNames: number }
  | ({ readonly op: "find" } & WalkBounds)
  | ({
      readonly op: "search";
      readonly wanted:
        | { readonly kind: "text"; readonly text: string; readonly ignoreCase: boolean }
        | { readonly kind: "regex"; readonly source: string; readonly flags: string };
      readonly context: number;
    } & WalkBounds)
  /** Replaces a file by the body atomically, by a synced temporary; keeps its mode. `folders`: makes missing ones. */
  | {
      readonly op: "write";
      readonly path: string;
      readonly expected: Expected;
      readonly temporary: string;
      readonly folders: boolean;
    }
  | { readonly op: "remove"; readonly path: string; readonly expected: Expected }
  /** Renames; across mounts a file is copied, synced, and then removed. Nothing that exists is replaced. */
  | {
      readonly op: "move";
      readonly path: string;
      readonly expected: Expected;
      readonly to: string;
      readonly temporary: string;
      readonly folders: boolean;
    }
  /** Removes the temporaries in a folder whose names have the prefix. No temporaries, or no folder, is no error. */
  | { readonly op: "sweep"; readonly folder: string; readonly prefix: string };

/** Prefix of every temporary's name; only letters, digits and `-` follow. */
export const TEMPORARY = ".cofferdam-tmp-";

/** The kind of file at a path. */
export const NodeKind = z.enum(["file", "folder", "link", "other", "missing"]);
export type NodeKind = z.infer<typeof NodeKind>;

/**
 * The canonical target of a path, and its state. For an unreadable one only the kind is reported, and only if its
 * folder may be listed: version, bytes, mode and `leadsTo` are then those of `missing`.
 */
export const Looked = z.strictObject({
  target: z.string(),
  kind: NodeKind,
  /** Identifies this state of this file: device, inode, size, times of change. Empty for `missing`. */
  version: z.string(),
  bytes: z.int().nonnegative(),
  mode: z.int().nonnegative(),
  /** The nearest existing folder above a missing path; else the folder that contains the path. */
  folder: z.string(),
  /** The target text of a link that is looked at itself. */
  leadsTo: z.string().nullable(),
});
export type Looked = z.infer<typeof Looked>;

const Found = z.strictObject({ path: z.string(), kind: NodeKind, bytes: z.int().nonnegative() });

/** Lines of a text, cut if too long. `line` counts from 1, `column` in UTF-16 units from 1. */
const Match = z.strictObject({
  path: z.string(),
  line: z.int().positive(),
  column: z.int().positive(),
  text: z.string(),
  isCut: z.boolean(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});

const Stopped = z.enum(["time", "found", "entries"]).nullable();

/** Schemas of the answers, by operation. */
export const ANSWERS = {
  hello: z.strictObject({ ok: z.literal(true) }),
  look: Looked,
  /** Version and bytes are those of the whole file, from before the read. */
  read: z.strictObject({ target: z.string(), version: z.string(), bytes: z.int().nonnegative() }),
  "read-lines": z.strictObject({
    target: z.string(),
    version: z.string(),
    /** Size of the whole file. */
    bytes: z.int().nonnegative(),
    /** Number of lines in the body; the last may be cut. */
    lines: z.int().nonnegative(),
    isLineCut: z.boolean(),
    isEnd: z.boolean(),
  }),
  list: z.strictObject({
    target: z.string(),
    /** An unreadable entry is `other` with 0 bytes: only its name is reported. */
    entries: z.array(z.strictObject({ name: z.string(), kind: NodeKind, bytes: z.int().nonnegative() })),
    total: z.int().nonnegative(),
    isEnd: z.boolean(),
  }),
  /** Everything but folders; unreadable entries are left out. */
  find: z.strictObject({ target: z.string(), found: z.array(Found), stopped: Stopped }),
  search: z.strictObject({
    target: z.string(),
    matches: z.array(Match),
    files: z.int().nonnegative(),
    /** Skipped files: not text, too large, or unreadable. */
    passedOver: z.int().nonnegative(),
    stopped: Stopped,
  }),
  write: z.strictObject({ target: z.string(), version: z.string(), isNew: z.boolean() }),
  remove: z.strictObject({ target: z.string() }),
  move: z.strictObject({ target: z.string(), to: z.string() }),
  sweep: z.strictObject({ removed: z.int().nonnegative() }),
} as const satisfies Record<FileRequest["op"], z.ZodType>;

/** The answer to one kind of request. */
export type FileAnswer<Op extends FileRequest["op"]> = z.infer<(typeof ANSWERS)[Op]>;

/** Why a file operation failed. A failed change had no effect. */
export const FileFault = z.strictObject({
  fault: z.enum([
    /** The profile grants less than is needed there; `path` is the place, `need` the access. */
    "DENIED",
    "NOT_FOUND",
    /** A pipe, a socket or a device instead of a file or folder, or a file instead of a folder. */
    "WRONG_KIND",
    "EXISTS",
    "NOT_EMPTY",
    /** The file differs from the one looked at, or changed during the operation. */
    "CHANGED",
    "TOO_LARGE",
    /** Too many links for the kernel, or a name or path that is too long. */
    "BAD_PATH",
    "BAD_PATTERN",
    "DISK_FULL",
    "READ_ONLY",
    /** The system's own permissions, or another system error: `why` has its code. */
    "SYSTEM",
  ]),
  path: z.string(),
  need: z.enum(["read", "write"]).nullable(),
  why: z.string(),
});
export type FileFault = z.infer<typeof FileFault>;
