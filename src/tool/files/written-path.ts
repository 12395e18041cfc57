import { CofferdamError, visible } from "../../errors.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import { type AbsolutePath, isInside, isTooDeep, MAX_NAMES, pathToBytes } from "../../profile/path.ts";
import type { Root } from "../facts.ts";

/** The longest path that the kernel takes, without the NUL behind it (path_resolution(7), `PATH_MAX`). */
const MOST_PATH_BYTES = 4_095;

const NAMED = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63}):(.*)$/s;

/**
 * A name in a folder as a model is told it and gives it back: as it is, but that with bytes that are no UTF-8, which no
 * JSON carries everywhere, as a JSON string of its own (`"caf\udce9"`), and so is one that begins with `"` by itself.
 */
export function shownName(name: string): string {
  return spelledOut(name);
}

/** The name that `shownName` was given; any other text that begins with `"` as it is. */
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
 * The absolute path that was written: by the name of a root (`notes:sub/report.md`), from `/`, or from the folder that
 * calls start in. Links and `..` in it are left to whoever walks it. Throws `FILE_BAD_PATH`: empty, NUL, too long.
 */
export function readWritten(written: string, roots: readonly Root[], base: AbsolutePath): string {
  if (written === "") throw bad("the path is empty");
  const named = NAMED.exec(written);
  const root = roots.find(({ name }) => name === named?.[1]);
  const names = readNames(root === undefined ? written : (named?.[2] ?? ""));
  if (names.includes("\0")) throw bad(`the path ${visible(written)} holds NUL`);
  const path = names.startsWith("/") && root === undefined ? names : `${root?.path ?? base}/${names}`;
  const bytes = pathToBytes(path).length;
  if (bytes > MOST_PATH_BYTES) throw bad(`the path has ${bytes} bytes, ${MOST_PATH_BYTES} are the most`);
  if (isTooDeep(path)) throw bad(`the path has more than ${MAX_NAMES} names`);
  return path;
}

function readNames(written: string): string {
  return written.includes('"') ? written.split("/").map(readName).join("/") : written;
}

/** The root that a path lies in, the innermost of several. */
export function rootOf(path: AbsolutePath, roots: readonly Root[]): Root | null {
  const holding = roots.filter((root) => isInside(path, root.path));
  return holding.reduce<Root | null>(
    (deepest, one) => (deepest === null || one.path.length > deepest.path.length ? one : deepest),
    null,
  );
}

/** A path as people and models are told it: `notes:sub/report.md`; outside every root, from `/`. */
export function shownPath(path: AbsolutePath, roots: readonly Root[]): string {
  const root = rootOf(path, roots);
  const names = root === null ? path : path.slice(root.path.length + 1);
  const shown =
    names.isWellFormed() && !names.includes('"') ? names : names.split("/").map(shownName).join("/");
  return root === null ? shown : `${root.name}:${shown}`;
}

function bad(message: string): CofferdamError {
  return new CofferdamError("FILE_BAD_PATH", message, {
    hint: "write a path as `ROOT:path/in/it`, or from the folder that calls start in",
  });
}
