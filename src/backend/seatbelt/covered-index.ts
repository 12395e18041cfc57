import { type MaskFinder, maskIndex } from "../../profile/mask-index.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Mask } from "../../profile/profile.ts";
import { coveringRegexes } from "./regex.ts";
import { isSpellable } from "./translate.ts";

/** Regexes that find what masks of one kind cover, and a mask that stands for them. */
interface Kind {
  readonly mask: Mask;
  readonly ofAll: readonly RegExp[];
  /** Of those whose patterns are not in printable ASCII: they may mean a path that is. */
  readonly ofOthers: readonly RegExp[];
}

/**
 * Finds what masks cover, as `maskIndex` does, also by other spellings that a Mac's disk takes for the same: as the rules
 * mean them, so that nothing they hide is missed. `masks` fold case where their volume does.
 */
export function coveredIndex(masks: readonly Mask[]): MaskFinder {
  const plain = maskIndex(masks);
  const kinds = (["none", "read"] as const).flatMap((atMost) => kindOf(masks, atMost));
  return (path: AbsolutePath) => {
    const found = plain(path);
    if (found?.atMost === "none") return found;
    // Of what a text can spell, patterns that are such say by themselves what they cover.
    const isNamedPlainly = isSpellable(path);
    const other = kinds.find(({ ofAll, ofOthers }) =>
      (isNamedPlainly ? ofOthers : ofAll).some((regex) => regex.test(path)),
    );
    return other === undefined || (found !== null && other.mask.atMost === "read") ? found : other.mask;
  };
}

function kindOf(masks: readonly Mask[], atMost: Mask["atMost"]): readonly Kind[] {
  const some = masks.filter((mask) => mask.atMost === atMost);
  const [mask] = some;
  if (mask === undefined) return [];
  return [
    {
      mask,
      ofAll: regexesOf(some),
      ofOthers: regexesOf(some.filter(({ pattern }) => !isSpellable(pattern.text))),
    },
  ];
}

/** As the kernel reads them: a `.` is any character. */
function regexesOf(masks: readonly Mask[]): readonly RegExp[] {
  const covered = masks.map(
    ({ pattern, ignoreCase }) => ({ pattern, ignoreCase, isNodeAlone: true, root: null }) as const,
  );
  return coveringRegexes(covered).map((source) => new RegExp(source, "s"));
}
