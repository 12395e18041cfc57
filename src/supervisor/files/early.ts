import type { Files, Lines, LinesRequest } from "../../tool/files/file-tool.ts";

/** Lines that were asked for in one breath with the look at their file: two waits for the worker become one. */
export interface Early {
  readonly request: LinesRequest;
  /** Null where they could not be had; then they are asked for again, and whoever asks is told why. */
  readonly lines: Promise<Lines | null>;
}

/**
 * Asks for lines before anything is decided; what comes is told to nobody until it is. After a question everything is
 * looked at anew, and so are they.
 */
export function askEarly(files: Pick<Files, "readLines">, request: LinesRequest): Early {
  return { request, lines: files.readLines(request).catch(() => null) };
}

/** The lines, where they are those that are wanted now, and of the file that was looked at. */
export async function earlyLines(early: Early | null, wanted: LinesRequest): Promise<Lines | null> {
  if (early === null) return null;
  const { first, mostLines, mostBytes } = early.request;
  const isSame = first === wanted.first && mostLines === wanted.mostLines && mostBytes === wanted.mostBytes;
  const lines = isSame ? await early.lines : null;
  return lines?.answer.target === wanted.path ? lines : null;
}
