import { CofferdamError, visible } from "../../errors.ts";
import type { Files, Target } from "./file-tool.ts";
import { MOST_FILE_BYTES } from "./input.ts";

/**
 * All that a file holds, as it was when it was looked at. Throws `FILE_TOO_LARGE`, `FILE_WRONG_KIND` for what is no file,
 * and `FILE_CHANGED` when it is another one by now.
 */
export async function readWhole(target: Target, files: Files): Promise<Uint8Array> {
  const { looked, shown } = target;
  if (looked.kind !== "file")
    throw new CofferdamError("FILE_WRONG_KIND", `${visible(shown)} is no file`, {
      hint: "list the folder to see what it is",
    });
  if (looked.bytes > MOST_FILE_BYTES)
    throw new CofferdamError(
      "FILE_TOO_LARGE",
      `${visible(shown)} has ${looked.bytes} bytes, ${MOST_FILE_BYTES} are the most that is edited`,
      { hint: "change it by a command" },
    );
  const { answer, body } = await files.ask<"read">({
    op: "read",
    path: target.path,
    from: 0,
    mostBytes: MOST_FILE_BYTES,
  });
  if (answer.version === looked.version && answer.target === target.path) return body;
  throw new CofferdamError("FILE_CHANGED", `${visible(shown)} changed meanwhile`, { hint: "read it again" });
}
