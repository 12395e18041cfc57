import type { Files, Lines, LinesRequest } from "../../tool/files/file-tool.ts";

/** Lines requested together with the look at their file: one wait for the worker instead of two. */
export interface Early {
  readonly request: LinesRequest;
  /** Null if the read failed; then the lines are requested again, and that request reports the error. */
  readonly lines: Promise<Lines | null>;
}

/** Requests lines before the decision, unused until it is made. After a question to a person they are read again. */
export function askEarly(files: Pick<Files, "readLines">, request: LinesRequest): Early {
  return { request, lines: files.readLines(request).catch(() => null) };
}

/** The early lines, if they are the wanted ones, of the file that was looked at. */
export async function earlyLines(early: Early | null, wanted: LinesRequest): Promise<Lines | null> {
  if (early === null) return null;
  const { first, maxLines, maxBytes } = early.request;
  const isSame = first === wanted.first && maxLines === wanted.maxLines && maxBytes === wanted.maxBytes;
  const lines = isSame ? await early.lines : null;
  return lines?.answer.target === wanted.path ? lines : null;
}
