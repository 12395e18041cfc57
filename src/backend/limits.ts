import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN } from "../profile/profile.ts";
import type { Limit } from "./plan.ts";

/** The limits as a layer. One without exceptions is a mask; one with exceptions becomes entries. */
export function limitLayer(limits: readonly Limit[]): Layer {
  const byPath = (textOf: (limit: Limit) => string): ReadonlyMap<string, string> =>
    new Map([...limits].reverse().map((limit) => [keyOf(limit), textOf(limit)]));
  return {
    name: LIMIT_LAYER,
    profile: normalProfile({
      ...OPEN,
      files: [...OPEN.files, ...limits.flatMap(entriesOf)],
      masks: limits.flatMap(maskOf),
    }),
    sources: new Map(),
    reasons: byPath(({ reason }) => reason),
    remedies: byPath(({ remedy }) => remedy),
  };
}

function entriesOf({ path, atMost, except }: Limit): readonly FileEntry[] {
  if (except === null) return [];
  return [
    { path, access: atMost, suffixes: "any" },
    ...except.map((one): FileEntry => ({ path: one, access: "write", suffixes: "any" })),
  ];
}

function maskOf({ path, atMost, except }: Limit): readonly Mask[] {
  return except === null ? [{ pattern: literalPattern(path), atMost, ignoreCase: false }] : [];
}

function keyOf({ path, except }: Limit): string {
  return except === null ? maskKey({ pattern: literalPattern(path) }) : entryKey(path);
}
