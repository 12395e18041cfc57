import { visible } from "../errors.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { INSTALLATION_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, ROOT } from "../profile/path.ts";
import { literalPattern, type Pattern } from "../profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, OPEN } from "../profile/profile.ts";

/** A read-only part that decides which code of the product is loaded: a path, or packages without their caches. */
export type ReadOnlyPart =
  | { readonly kind: "packages"; readonly path: AbsolutePath; readonly caches: readonly AbsolutePath[] }
  | { readonly kind: "name"; readonly path: AbsolutePath };

/** The same for every path that matches a pattern. */
export interface ReadOnlyPattern {
  readonly kind: "pattern";
  readonly pattern: Pattern;
}

/** The same with its words: the kind of part, and how to move it out of a root. */
export type DescribedPart = (ReadOnlyPart | ReadOnlyPattern) & {
  readonly what: string;
  readonly wayOut?: string;
};

/** The words for a copy of the product, and for each package that it loads. */
export const COPY = "a copy of cofferdam that programs there load";

/** The remedy that moves most of it out of a root, for the end of a sentence. */
export const ELSEWHERE =
  "install cofferdam elsewhere: `npm install --global cofferdam`, and `npm uninstall cofferdam` here";

/** The layer of the ceiling that makes these parts read-only and leaves all else writable, with words for each. */
export function readOnlyLayer(held: readonly DescribedPart[]): Layer {
  const byPath = (textOf: (one: DescribedPart) => string): ReadonlyMap<string, string> =>
    new Map(held.map((one) => [keyOf(one), textOf(one)]));
  const files = held.flatMap((one) => entriesOf(one));
  const masks = held.flatMap((one) => maskOf(one) ?? []);
  return {
    name: INSTALLATION_LAYER,
    profile: normalProfile({ ...OPEN, files: [entryAt(ROOT, "write"), ...files], masks }),
    sources: new Map(),
    reasons: byPath((one) => `${visible(nameOf(one))} is read-only: tools must not change ${one.what}`),
    remedies: byPath(({ wayOut = ELSEWHERE }) => `do it outside the sandbox, or ${wayOut}`),
  };
}

function entriesOf(one: DescribedPart): readonly FileEntry[] {
  if (one.kind !== "packages") return [];
  return [entryAt(one.path, "read"), ...one.caches.map((cache) => entryAt(cache, "write"))];
}

function maskOf(one: DescribedPart): Mask | null {
  switch (one.kind) {
    case "packages":
      return null;
    case "name":
      return { pattern: literalPattern(one.path), atMost: "read", ignoreCase: false };
    case "pattern":
      return { pattern: one.pattern, atMost: "read", ignoreCase: true };
  }
}

function keyOf(one: DescribedPart): string {
  if (one.kind === "packages") return entryKey(one.path);
  return maskKey({ pattern: one.kind === "pattern" ? one.pattern : literalPattern(one.path) });
}

function nameOf(one: DescribedPart): string {
  return one.kind === "pattern" ? one.pattern.text : one.path;
}

function entryAt(path: AbsolutePath, access: "read" | "write"): FileEntry {
  return { path, access, suffixes: "any" };
}
