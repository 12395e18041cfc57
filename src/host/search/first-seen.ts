import type { Stats } from "node:fs";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { isChangedSince } from "../changed-since.ts";
import type { NameKind } from "./list.ts";

/** A read of a folder: what it held when it was read before, and the time now, by the search's clock. */
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
 * Tells when names of a folder were first seen there: what was there before keeps its time. All is new where another folder stood at
 * this path then, and so is a link that was changed since: it may lead elsewhere.
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
