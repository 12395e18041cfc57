import { visible } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Runtime } from "../../tool/facts.ts";
import type { Grant } from "./grant.ts";

/** A runtime to look for: a known name, or folders listed by hand. */
export type RuntimeRequest = string | { readonly name: string; readonly read: readonly AbsolutePath[] };

/**
 * A runtime as the machine has it, or why it can't be granted: `message` and `hint` of the error that a request for
 * it becomes.
 */
export type Finding =
  | { readonly kind: "found"; readonly runtime: Runtime }
  | { readonly kind: "missing"; readonly message: string; readonly hint: string };

/** A runtime that was found. */
export function found(
  name: string,
  grant: Grant,
  path: readonly AbsolutePath[],
  env: Readonly<Record<string, string>> = {},
): Finding {
  return { kind: "found", runtime: { name, read: grant.read, links: grant.links, path, env, macos: [] } };
}

/** A runtime that no program on PATH belongs to. */
export function notInstalled(name: string): Finding {
  return missing(name, "is not on this machine", `install \`${name}\``);
}

/**
 * A runtime that can't be granted as it stands here; `what` says what was found, `fix` what to do besides listing
 * folders.
 */
export function missing(name: string, what: string, fix: string): Finding {
  const hint = `${fix}, or list the folders that it needs: runtimes: [{ name: ${name}, read: [/its/folder] }]`;
  return { kind: "missing", message: `the runtime \`${name}\` ${what}`, hint };
}

/** A program that is there but can't be granted, told by its path. */
export function unfit(
  name: string,
  path: AbsolutePath,
  what: string,
  fix = "put the program itself on PATH",
): Finding {
  return missing(name, `was found at ${visible(path)}, which ${what}`, fix);
}
