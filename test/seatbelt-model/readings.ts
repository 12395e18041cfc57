import { isAlwaysKnown, isOperation } from "./operations.ts";
import type { Reading } from "./query.ts";

/** The reading that agrees with all that was seen on a Mac: the most specific operation first, every operation there. */
export const LIKELY: Reading = {
  precedence: "specific",
  sharpStrings: "raw",
  foldsCase: "nowhere",
  subpathHasItself: true,
  regexUnit: "byte",
  knows: isOperation,
};

/** A system with no operation beyond those of every release since macOS 12. */
export const LEAST_KNOWN: Reading["knows"] = isAlwaysKnown;

/** Every reading there is, with all operations known and with the fewest. */
export const EVERY_READING: readonly Reading[] = (["specific", "last", "first"] as const).flatMap(
  (precedence) =>
    (["raw", "cooked"] as const).flatMap((sharpStrings) =>
      (["nowhere", "paths", "paths-and-regexes"] as const).flatMap((foldsCase) =>
        [true, false].flatMap((subpathHasItself) =>
          (["byte", "character"] as const).flatMap((regexUnit) =>
            [isOperation, LEAST_KNOWN].map((knows) => ({
              precedence,
              sharpStrings,
              foldsCase,
              subpathHasItself,
              regexUnit,
              knows,
            })),
          ),
        ),
      ),
    ),
);
