import { CofferdamError, visible } from "../../errors.ts";
import type { Files, TouchedPath } from "./file-tool.ts";
import { MAX_FILE_BYTES } from "./input.ts";

/** The whole content of a file as it was looked at. Throws `FILE_TOO_LARGE`, `FILE_WRONG_KIND` or `FILE_CHANGED`. */
export async function readWhole(target: TouchedPath, files: Files): Promise<Uint8Array> {
  const { looked, shown } = target;
  if (looked.kind !== "file")
    throw new CofferdamError("FILE_WRONG_KIND", `${visible(shown)} is not a file`, {
      hint: "list the folder to see its kind",
    });
  if (looked.bytes > MAX_FILE_BYTES)
    throw new CofferdamError(
      "FILE_TOO_LARGE",
      `${visible(shown)} has ${looked.bytes} bytes; the maximum for an edit is ${MAX_FILE_BYTES}`,
      { hint: "change it with a command" },
    );
  const { answer, body } = await files.ask<"read">({
    op: "read",
    path: target.path,
    from: 0,
    maxBytes: MAX_FILE_BYTES,
  });
  if (answer.version === looked.version && answer.target === target.path) return body;
  throw new CofferdamError("FILE_CHANGED", `${visible(shown)} changed meanwhile`, { hint: "read it again" });
}
