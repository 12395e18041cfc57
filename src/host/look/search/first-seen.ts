import type { Stats } from "node:fs";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { isChangedSince } from "../changed-since.ts";
import type { NameKind } from "./list.ts";

interface Reading {
  readonly before:
    | {
        readonly stamp: Pick<Stats, "dev" | "ino">;
        readonly readMs: number;
        readonly watched: ReadonlyMap<string, number> | null;
      }
    | undefined;
  readonly nowMs: number;
}

/**
 * Returns when each name of a folder was first seen there. A name that was there before keeps its time. All names are
 * new if another folder was at this path before. A link that was changed since is new, too: it may lead elsewhere.
 */
export function whenSeen(
  folder: AbsolutePath,
  { dev, ino }: Stats,
  { before, nowMs }: Reading,
): (name: string, kind: NameKind) => number {
  if (before === undefined || before.stamp.dev !== dev || before.stamp.ino !== ino) return () => nowMs;
  const { watched, readMs } = before;
  return (name, kind) => {
    const known = watched?.get(name);
    if (known === undefined) return nowMs;
    return kind === "link" && isChangedSince(joinPath(folder, name), readMs) ? nowMs : known;
  };
}
