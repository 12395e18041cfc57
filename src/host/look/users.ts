import { readFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, pathFromBytes } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";

/** A user of this machine, and their home. */
export interface ListedUser {
  readonly name: string;
  readonly home: AbsolutePath;
}

/** Users of the user database (passwd(5)); none if unreadable. On macOS it lists services only, not people. */
export function listedUsers(file = "/etc/passwd"): readonly ListedUser[] {
  const text = orNull(() => pathFromBytes(readFileSync(file)));
  if (text === null) return [];
  return text.split("\n").flatMap((line) => {
    const [name = "", , , , , written = ""] = line.split(":");
    const home = written.replace(/(?<=.)\/+$/, "");
    return isAbsolutePath(home) ? [{ name, home }] : [];
  });
}
