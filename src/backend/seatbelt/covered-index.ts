import { type MaskFinder, maskIndex } from "../../profile/mask-index.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Mask } from "../../profile/profile.ts";
import { coveringRegexes } from "./regex.ts";
import { isSpellable } from "./translate.ts";

interface Kind {
  readonly mask: Mask;
  readonly ofAll: readonly RegExp[];
  /** Regexes of the masks whose patterns are not printable ASCII: they may match a path that is. */
  readonly ofOthers: readonly RegExp[];
}

/** Finds covered paths as `maskIndex` does, also by other spellings that a Mac's disk treats as equal. */
export function coveredIndex(masks: readonly Mask[]): MaskFinder {
  const plain = maskIndex(masks);
  const kinds = (["none", "read"] as const).flatMap((atMost) => kindOf(masks, atMost));
  return (path: AbsolutePath) => {
    const found = plain(path);
    if (found?.atMost === "none") return found;
    // For a path that can be spelled, patterns that can be spelled decide by themselves.
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

/** Regexes as the kernel reads them: a `.` is any character. */
function regexesOf(masks: readonly Mask[]): readonly RegExp[] {
  const covered = masks.map(
    ({ pattern, ignoreCase }) => ({ pattern, ignoreCase, isNodeAlone: true, root: null }) as const,
  );
  return coveringRegexes(covered).map((source) => new RegExp(source, "s"));
}
