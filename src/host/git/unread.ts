import type { RepositorySign } from "../../backend/repositories.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, isInside, parentOf } from "../../profile/path.ts";
import { BY_WHO_ASKS } from "./files.ts";
import { type Led, ledBy } from "./led.ts";
import type { Glance, Unread } from "./settings.ts";

/** What a receipt says of what could not be read, told from the first of the folders that it lies in. */
export function anything(
  { unread }: Pick<Glance, "unread">,
  folders: readonly AbsolutePath[],
): readonly string[] {
  const told = unread.map(({ path, why }) => {
    const folder = folders.find((one) => isInside(path, one));
    return `anything (${folder === undefined ? path : path.slice(folder.length + 1)} ${why})`;
  });
  return [...new Set(told)];
}

/** Where a file leads by its words; null where they name no path, or that can't be told. */
export function ledFrom(file: AbsolutePath, written: string, { see, unread }: Glance): Led | null {
  const led = ledBy(written, parentOf(file), see);
  if (led !== "who") return led;
  unread.push({ path: file, why: BY_WHO_ASKS });
  return null;
}

/** Why a repository can't be protected. */
export function unreadable({ path }: RepositorySign, unread: Unread): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `what git obeys in ${visible(path)} can't be told, so it can't be protected: ${visible(unread.path)} ${unread.why}`,
    { hint: "look at that file; put it right or remove it, or leave its folder out of the roots" },
  );
}
