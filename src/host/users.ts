import { readFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, pathFromBytes } from "../profile/path.ts";

/** A user of this machine, and their home. */
export interface ListedUser {
  readonly name: string;
  readonly home: AbsolutePath;
}

/**
 * Those whom the user database lists, by the first and the sixth field of each line (passwd(5)); none where it can't be
 * read. macOS keeps people's accounts elsewhere, so there it lists services only.
 */
export function listedUsers(file = "/etc/passwd"): readonly ListedUser[] {
  let text: string;
  try {
    text = pathFromBytes(readFileSync(file));
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [name = "", , , , , written = ""] = line.split(":");
    const home = written.replace(/(?<=.)\/+$/, "");
    return isAbsolutePath(home) ? [{ name, home }] : [];
  });
}
