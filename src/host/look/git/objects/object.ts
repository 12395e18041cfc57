import { createHash } from "node:crypto";

/** An object of a repository, as git stores it (gitformat-pack(5)). */
export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly body: Buffer;
}

/** Maximum of bytes of an object: only commits, tags and trees are read, and a tree of this size has 25,000 names. */
export const MAX_OBJECT_BYTES = 1024 ** 2;

/** The name of an object by its content; the length of `like` determines the repository's hash. */
export function oidOf({ type, body }: GitObject, like: string): string {
  const header = Buffer.from(`${type} ${body.length}\0`);
  return createHash(like.length === 64 ? "sha256" : "sha1")
    .update(header)
    .update(body)
    .digest("hex");
}

/** One name in a tree. */
export interface GitTreeEntry {
  /** One character for each byte. */
  readonly name: string;
  readonly kind: "file" | "program" | "link" | "folder" | "other";
  readonly oid: string;
}

const KINDS: Readonly<Record<string, GitTreeEntry["kind"]>> = {
  "40000": "folder",
  "100644": "file",
  "100664": "file",
  "100755": "program",
  "120000": "link",
};

/** The entries of a tree: for each name `<mode> <name>\0<oid>`; null for an invalid tree. */
export function treeEntries({ type, body }: GitObject, oidBytes: number): readonly GitTreeEntry[] | null {
  if (type !== "tree") return null;
  const entries: GitTreeEntry[] = [];
  for (let at = 0; at < body.length; ) {
    const [blank, end] = [body.indexOf(" ", at), body.indexOf(0, at)];
    if (blank < 0 || end < blank || end + oidBytes >= body.length) return null;
    const mode = body.toString("latin1", at, blank);
    at = end + 1 + oidBytes;
    entries.push({
      name: body.toString("latin1", blank + 1, end),
      kind: KINDS[mode] ?? "other",
      oid: body.toString("hex", end + 1, at),
    });
  }
  return entries;
}

/** The tree of a commit; null for an invalid commit. */
export function treeOfCommit({ type, body }: GitObject): string | null {
  return type === "commit"
    ? (/^tree ([0-9a-f]+)\n/.exec(body.toString("latin1", 0, 100))?.[1] ?? null)
    : null;
}

/** The object that a tag names. */
export function targetOfTag({ type, body }: GitObject): string | null {
  return type === "tag" ? (/^object ([0-9a-f]+)\n/.exec(body.toString("latin1", 0, 100))?.[1] ?? null) : null;
}
