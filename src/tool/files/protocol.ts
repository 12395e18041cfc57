import { z } from "zod";

/**
 * What a supervisor and the program inside the walls that works on files say to each other, over one pipe each way.
 * A message is a frame: the length of all that follows (4 bytes, big-endian), the length of the header (4 bytes), the
 * header as JSON, and the body: the bytes of a file, without any encoding. One request is answered by one answer, in
 * turn; the first request is `hello`. Paths are those of the host, as `AbsolutePath` holds them: names that are not UTF-8
 * stand in lone surrogates, which JSON carries as `\udc80`.
 */
export const LARGEST_FRAME = 80 * 1024 ** 2;

/** How a path is taken: what its last name leads to, or that name itself where it is a link. */
export type LinkEnd = "followed" | "itself";

/** The states of a file that a change was decided for. Another one is answered with `CHANGED`. */
export type Expected = { readonly kind: "missing" } | { readonly kind: "node"; readonly version: string };

/** The glob and the bounds of a walk through a tree. */
export interface Walk {
  /** Where it begins: a folder, or for a search also one file. */
  readonly path: string;
  /** A pattern of the profile's language, as if `path` were `/`: `*.ts` at any depth, `/*.ts` in it; null: every file. */
  readonly glob: string | null;
  readonly mostFound: number;
  /** Milliseconds; what was found until then is answered. */
  readonly timeMs: number;
}

export type FileRequest =
  /** The canonical text of the profile that every path is held against, once it is resolved. */
  | { readonly op: "hello"; readonly profile: string }
  /** What stands at a path. A missing last name is an answer, not an error, and so are missing folders above it. */
  | { readonly op: "look"; readonly path: string; readonly end: LinkEnd }
  /** Bytes of a file; the body of the answer. */
  | { readonly op: "read"; readonly path: string; readonly from: number; readonly mostBytes: number }
  /** Lines of a file, from the first (1) on; the body of the answer, with their ends as they are. */
  | {
      readonly op: "read-lines";
      readonly path: string;
      readonly first: number;
      readonly mostLines: number;
      readonly mostBytes: number;
    }
  /** The names in a folder, in the order of their bytes, behind one of them. */
  | { readonly op: "list"; readonly path: string; readonly after: string | null; readonly mostNames: number }
  | ({ readonly op: "find" } & Walk)
  | ({
      readonly op: "search";
      readonly wanted:
        | { readonly kind: "text"; readonly text: string; readonly ignoreCase: boolean }
        | { readonly kind: "regex"; readonly source: string; readonly flags: string };
      /** Lines before and behind each match. */
      readonly context: number;
    } & Walk)
  /**
   * Puts the body in the place of a file, at once: a temporary of that name beside it, synced, renamed over it. An
   * existing file keeps its mode. With `folders`, missing folders above it are made.
   */
  | {
      readonly op: "write";
      readonly path: string;
      readonly expected: Expected;
      readonly temporary: string;
      readonly folders: boolean;
    }
  /** Removes a file, a link or an empty folder. */
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
  /** Removes the temporaries in a folder whose names begin so; that there are none, or no folder, is no error. */
  | { readonly op: "sweep"; readonly folder: string; readonly prefix: string };

/** The name that every temporary begins with; behind it stand only letters, digits and `-`. */
export const TEMPORARY = ".cofferdam-tmp-";

/** What stands at a path. */
export const NodeKind = z.enum(["file", "folder", "link", "other", "missing"]);
export type NodeKind = z.infer<typeof NodeKind>;

/**
 * Where a path leads, canonical, and what stands there. Of what may not be read only the kind is told, and that only
 * where its folder may be listed: version, bytes, mode and `leadsTo` are then those of `missing`.
 */
export const Looked = z.strictObject({
  target: z.string(),
  kind: NodeKind,
  /** What tells this state of this file from any other: device, inode, size, times of change. Empty for `missing`. */
  version: z.string(),
  bytes: z.int().nonnegative(),
  mode: z.int().nonnegative(),
  /** Of a missing path, the nearest folder above it that is there; else the folder that holds it. */
  folder: z.string(),
  /** Of a link that is looked at itself, what it says. */
  leadsTo: z.string().nullable(),
});
export type Looked = z.infer<typeof Looked>;

const Found = z.strictObject({ path: z.string(), kind: NodeKind, bytes: z.int().nonnegative() });

/** Lines of a text, cut where they are too long. `line` counts from 1, `column` in UTF-16 units from 1. */
const Match = z.strictObject({
  path: z.string(),
  line: z.int().positive(),
  column: z.int().positive(),
  text: z.string(),
  isCut: z.boolean(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});

/** Why a walk ended before its end. */
const Stopped = z.enum(["time", "found", "entries"]).nullable();

/** Answers, by what was asked. */
export const ANSWERS = {
  hello: z.strictObject({ ok: z.literal(true) }),
  look: Looked,
  /** Version and bytes are those of the whole file, from before it was read. */
  read: z.strictObject({ target: z.string(), version: z.string(), bytes: z.int().nonnegative() }),
  "read-lines": z.strictObject({
    target: z.string(),
    version: z.string(),
    /** Of the whole file. */
    bytes: z.int().nonnegative(),
    /** How many lines the body has; the last may be cut. */
    lines: z.int().nonnegative(),
    /** True when the body ends before the line that it ends in does. */
    isLineCut: z.boolean(),
    /** True when nothing of the file is behind the body. */
    isEnd: z.boolean(),
  }),
  list: z.strictObject({
    target: z.string(),
    /** What may not be read is `other` and has 0 bytes: the name is all that is told. */
    entries: z.array(z.strictObject({ name: z.string(), kind: NodeKind, bytes: z.int().nonnegative() })),
    /** So many names the folder has in all. */
    total: z.int().nonnegative(),
    isEnd: z.boolean(),
  }),
  /** Whatever is no folder; what may not be read is left out. */
  find: z.strictObject({ target: z.string(), found: z.array(Found), stopped: Stopped }),
  search: z.strictObject({
    target: z.string(),
    matches: z.array(Match),
    files: z.int().nonnegative(),
    /** Files that were left out: no text, too large, or not to be read. */
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

/** Why a file operation was not done. Nothing of it was, where a change was asked for. */
export const FileFault = z.strictObject({
  fault: z.enum([
    /** The profile gives less than is needed there; `path` is where, `need` what. */
    "DENIED",
    "NOT_FOUND",
    /** A pipe, a socket or a device where a file or folder is wanted, or a file where a folder is. */
    "WRONG_KIND",
    "EXISTS",
    "NOT_EMPTY",
    /** It is no longer what was looked at, or changed while it was worked on. */
    "CHANGED",
    "TOO_LARGE",
    /** More links than the kernel follows, a name or path that is too long. */
    "BAD_PATH",
    "BAD_PATTERN",
    "DISK_FULL",
    "READ_ONLY",
    /** The system's own permissions, or another of its errors: `why` has its code. */
    "SYSTEM",
  ]),
  path: z.string(),
  need: z.enum(["read", "write"]).nullable(),
  why: z.string(),
});
export type FileFault = z.infer<typeof FileFault>;
