import { type Pattern, plainText, readPattern } from "./pattern.ts";

/** Patterns of the plainly named folders of a pattern: for `.config/mise/x` those of `mise` and of `.config`. */
export function foldersOfPattern({ text, segments }: Pattern): readonly Pattern[] {
  const names = text.slice(1).split("/");
  const folders: Pattern[] = [];
  for (let last = segments.length - 2; last >= 0; last -= 1) {
    const segment = segments[last];
    if (segment?.kind !== "name" || plainText(segment.pieces) === null) break;
    folders.push(readPattern(`/${names.slice(0, last + 1).join("/")}`));
  }
  return folders;
}
