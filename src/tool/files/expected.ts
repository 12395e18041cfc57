import type { Files, TouchedPath } from "./file-tool.ts";
import type { Expected, FileAnswer } from "./protocol.ts";

/** The state of a target for which a change was approved: the change applies to that state, or not at all. */
export function expectedOf({ looked }: TouchedPath): Expected {
  return looked.kind === "missing" ? { kind: "missing" } : { kind: "node", version: looked.version };
}

/** Writes the whole content of a file, for the state that `expectedOf` says. */
export async function writeExpected(
  target: TouchedPath,
  bytes: Uint8Array,
  folders: boolean,
  files: Files,
): Promise<FileAnswer<"write">> {
  const [expected, temporary] = [expectedOf(target), files.temporaryBeside(target.path)];
  const request = { op: "write", path: target.path, expected, temporary, folders } as const;
  return (await files.ask<"write">(request, bytes)).answer;
}
