/** The result of a look at the system; null if it throws, for whatever reason. */
export function orNull<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch {
    return null;
  }
}
