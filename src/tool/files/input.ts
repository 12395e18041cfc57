import { z } from "zod";

/** The longest path, each byte of it spelled out: `readWritten` holds it to what the kernel takes. */
const MOST_PATH = 4_095 * 6;

/** A path as a model writes it; what it means is found out with the roots: `readWritten`. */
export const WrittenPath = z
  .string()
  .min(1)
  .max(MOST_PATH)
  .describe(
    "`ROOT:path/in/it` by the name of a root, a path from the folder that calls start in, or from `/`; a name that is told in quotes is given back in quotes",
  );

const isWhole = (text: string): boolean => text.isWellFormed();

/** A text that a file may get: whole characters, so that what was approved is what is written. */
export const FileText = z.string().refine(isWhole, "a text can't hold half a character (a lone surrogate)");

/** No file that tools write or edit is larger, in bytes. */
export const MOST_FILE_BYTES = 16 * 1024 ** 2;
