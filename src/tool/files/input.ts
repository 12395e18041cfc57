import { z } from "zod";

/** The longest path, each byte of it escaped; `readWritten` applies the kernel's limit. */
const MAX_PATH = 4_095 * 6;

/** A path as a model writes it; `readWritten` resolves it against the roots. */
export const WrittenPath = z
  .string()
  .min(1)
  .max(MAX_PATH)
  .describe(
    "`ROOT:path/in/it` with the name of a root, a path relative to the working folder of calls, or an absolute path; write a name in quotes if results show it in quotes",
  );

/** A text or pattern to search for. */
export const Pattern = z.string().min(1).max(1_000);

/** Whether a tool creates folders above its path. */
export const CreateFolders = z.boolean().default(true).describe("creates missing folders above the path");

const isWhole = (text: string): boolean => text.isWellFormed();

/** A text for a file: whole characters, so that the approved text is the written one. */
export const FileText = z
  .string()
  .refine(isWhole, "a text can't contain half a character (a lone surrogate)");

/** Maximum size of a file that tools write or edit, in bytes. */
export const MAX_FILE_BYTES = 16 * 1024 ** 2;
