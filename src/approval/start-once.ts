/** Starts work at the first call. Later calls share its result; after a failure the next call starts it again. */
export function startOnce<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | null = null;
  return () => {
    started ??= (async () => work())().catch((cause: unknown) => {
      started = null;
      throw cause;
    });
    return started;
  };
}
