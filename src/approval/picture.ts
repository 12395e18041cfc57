import type { Presentation } from "../policy/presentation.ts";

/** A picture that takes longer is left out: a person elsewhere sees the request without it. */
const PICTURE_MS = 5_000;

/** The presentation of a request, for storage; null if it can't be made in time. */
export async function pictureInTime(present: () => Promise<Presentation>): Promise<Presentation | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PICTURE_MS);
  });
  try {
    return await Promise.race([present(), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
