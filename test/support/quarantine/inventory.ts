import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { type AbsolutePath, pathToBytes } from "../../../src/profile/path.ts";

/** Whose call it was, in tests that are about nothing of it. */
export const FROM = { sessionId: "session", callId: "call", tool: "shell", workspace: "/somewhere" };

/** Things to be taken, of which nothing but the path matters. */
export function plantedAt(...paths: readonly AbsolutePath[]) {
  return paths.map((path) => ({ path, by: "direnv", when: "a shell enters the folder" }));
}

/** A line for everything below a path, itself left out: name, kind, mode, owner and content. Names are in latin1, byte for byte. */
export function inventoryOf(path: AbsolutePath): readonly string[] {
  return linesBelow(bytesOf(path), "").toSorted();
}

function linesBelow(folder: Buffer, prefix: string): readonly string[] {
  return readdirOrNothing(folder).flatMap((name) => {
    const path = Buffer.concat([folder, Buffer.from("/"), name]);
    const shown = `${prefix}/${name.toString("latin1")}`;
    const stats = lstatSync(path);
    const line = `${shown} ${kindOf(path, stats)} ${stats.uid}:${stats.gid}`;
    return stats.isDirectory() ? [line, ...linesBelow(path, shown)] : [line];
  });
}

function kindOf(path: Buffer, stats: Stats): string {
  const mode = (stats.mode & 0o7777).toString(8);
  if (stats.isDirectory()) return `folder ${mode}`;
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path, { encoding: "latin1" })}`;
  if (!stats.isFile()) return `other ${mode}`;
  const digest = createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12);
  return `file ${mode} ${stats.size} ${digest} ${Math.round(stats.mtimeMs)}`;
}

function readdirOrNothing(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: "buffer" });
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return [];
    throw cause;
  }
}

function bytesOf(path: AbsolutePath): Buffer {
  return Buffer.from(pathToBytes(path));
}
