import type { Presentation } from "../policy/presentation.ts";

/** A presentation that is made when first asked for, and once; one that could not be made may be tried again. */
export function once(make: () => Promise<Presentation>): () => Promise<Presentation> {
  let made: Promise<Presentation> | undefined;
  return async () => {
    made ??= (async () => make())();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}
