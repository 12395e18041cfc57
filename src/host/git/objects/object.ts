import { createHash } from "node:crypto";

/** An object of a repository, as git stores it (gitformat-pack(5)). */
export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly body: Buffer;
}

/** Larger objects are not read: only commits, tags and trees are, and a tree of so many bytes has 25,000 names. */
export const MAX_OBJECT_BYTES = 1024 ** 2;

/** The name of an object by its content; `like` tells by its length which hash the repository uses. */
export function oidOf({ type, body }: GitObject, like: string): string {
  const header = Buffer.from(`${type} ${body.length}\0`);
  return createHash(like.length === 64 ? "sha256" : "sha1")
    .update(header)
    .update(body)
    .digest("hex");
}

/** One name in a tree. */
export interface TreeEntry {
  /** One character for each byte. */
  readonly name: string;
  readonly kind: "file" | "program" | "link" | "folder" | "other";
  readonly oid: string;
}

const KINDS: Readonly<Record<string, TreeEntry["kind"]>> = {
  "40000": "folder",
  "100644": "file",
  "100664": "file",
  "100755": "program",
  "120000": "link",
};

/** What a tree holds: for each name `<mode> <name>\0<oid>`; null for what is no tree. */
export function treeEntries({ type, body }: GitObject, oidBytes: number): readonly TreeEntry[] | null {
  if (type !== "tree") return null;
  const entries: TreeEntry[] = [];
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

/** The tree of a commit; null for what is no commit. */
export function treeOfCommit({ type, body }: GitObject): string | null {
  return type === "commit"
    ? (/^tree ([0-9a-f]+)\n/.exec(body.toString("latin1", 0, 100))?.[1] ?? null)
    : null;
}

/** What a tag stands for. */
export function targetOfTag({ type, body }: GitObject): string | null {
  return type === "tag" ? (/^object ([0-9a-f]+)\n/.exec(body.toString("latin1", 0, 100))?.[1] ?? null) : null;
}
