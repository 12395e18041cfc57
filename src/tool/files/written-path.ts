import { CofferdamError, visible } from "../../errors.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import { type AbsolutePath, isInside, isTooDeep, MAX_NAMES, pathToBytes } from "../../profile/path.ts";
import type { Root } from "../facts.ts";

/** The longest path that the kernel takes, without the final NUL (path_resolution(7), `PATH_MAX`). */
const MAX_PATH_BYTES = 4_095;

const NAMED = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63}):(.*)$/s;

/** A name as models read and write it: UTF-8 unchanged; others, or with a leading `"`, as JSON: `"caf\udce9"`. */
export function shownName(name: string): string {
  return spelledOut(name);
}

/** The inverse of `shownName`; any other text that begins with `"` is unchanged. */
export function readName(written: string): string {
  if (!written.startsWith('"')) return written;
  try {
    const name: unknown = JSON.parse(written);
    return typeof name === "string" && !/[/\0]/.test(name) ? name : written;
  } catch {
    return written;
  }
}

/**
 * The absolute form of a written path: by the name of a root (`notes:sub/report.md`), from `/`, or from the folder that
 * calls start in. Links and `..` are kept for the later walk. Throws `FILE_BAD_PATH`: empty, `~` first, a name before
 * `:` that no root has, NUL, too long.
 */
export function readWritten(written: string, roots: readonly Root[], base: AbsolutePath): string {
  if (written === "") throw bad("the path is empty");
  refuseTilde(written, bad);
  const named = NAMED.exec(written);
  const root = roots.find(({ name }) => name === named?.[1]);
  if (named !== null && root === undefined) throw bad(...unknownRoot(written, named[1] ?? "", roots));
  const names = readNames(root === undefined ? written : (named?.[2] ?? ""));
  if (names.includes("\0")) throw bad(`the path ${visible(written)} contains NUL`);
  const path = names.startsWith("/") && root === undefined ? names : `${root?.path ?? base}/${names}`;
  const bytes = pathToBytes(path).length;
  if (bytes > MAX_PATH_BYTES) throw bad(`the path has ${bytes} bytes; the maximum is ${MAX_PATH_BYTES}`);
  if (isTooDeep(path)) throw bad(`the path has more than ${MAX_NAMES} names`);
  return path;
}

/** The message and the hint. If such a path named a file, a misspelled root would make a file of that name. */
function unknownRoot(written: string, name: string, roots: readonly Root[]): readonly [string, string] {
  const known = roots.map((root) => root.name).join(", ");
  return [
    `there is no root ${visible(name)}`,
    `the roots are ${known === "" ? "none" : known}; write ${visible(`./${written}`)} for a file of that name`,
  ];
}

/** Throws the error that `fault` makes if a path begins with `~`: no shell expands it here. */
export function refuseTilde(written: string, fault: (message: string, hint: string) => CofferdamError): void {
  if (/^~(\/|$)/.test(written))
    throw fault(
      `the path ${visible(written)} begins with \`~\`, which is not expanded`,
      "write the absolute path, or `./~` for a file of that name",
    );
}

function readNames(written: string): string {
  return written.includes('"') ? written.split("/").map(readName).join("/") : written;
}

/** The innermost root that contains a path. */
export function rootOf(path: AbsolutePath, roots: readonly Root[]): Root | null {
  const holding = roots.filter((root) => isInside(path, root.path));
  return holding.reduce<Root | null>(
    (deepest, one) => (deepest === null || one.path.length > deepest.path.length ? one : deepest),
    null,
  );
}

/** A path as people and models see it: `notes:sub/report.md`; outside every root, from `/`. */
export function shownPath(path: AbsolutePath, roots: readonly Root[]): string {
  const root = rootOf(path, roots);
  const names = root === null ? path : path.slice(root.path.length + 1);
  const shown =
    names.isWellFormed() && !names.includes('"') ? names : names.split("/").map(shownName).join("/");
  return root === null ? shown : `${root.name}:${shown}`;
}

function bad(
  message: string,
  hint = "write a path as `ROOT:path/in/it`, or relative to the working folder of calls",
): CofferdamError {
  return new CofferdamError("FILE_BAD_PATH", message, { hint });
}
