import { visible } from "../../../errors.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import type { Runtime } from "../../../tool/facts.ts";
import type { RuntimeGrant } from "./grant.ts";

/** A runtime to look for: a known name, or folders listed by hand. */
export type RuntimeRequest = string | { readonly name: string; readonly read: readonly AbsolutePath[] };

/** A runtime found on the machine, or why it can't be granted: `message` and `hint` of the error of a request. */
export type RuntimeFinding =
  | { readonly kind: "found"; readonly runtime: Runtime }
  | { readonly kind: "missing"; readonly message: string; readonly hint: string };

/** A found runtime. */
export function found(
  name: string,
  grant: RuntimeGrant,
  path: readonly AbsolutePath[],
  env: Readonly<Record<string, string>> = {},
): RuntimeFinding {
  return { kind: "found", runtime: { name, read: grant.read, links: grant.links, path, env, macos: [] } };
}

/** The finding for a runtime without a program on PATH. */
export function notInstalled(name: string): RuntimeFinding {
  return missing(name, "is not installed", `install \`${name}\``);
}

/** The finding for a runtime that can't be granted; `what` describes it, `fix` the remedy besides listing folders. */
export function missing(name: string, what: string, fix: string): RuntimeFinding {
  const hint = `${fix}, or list the folders that it needs: runtimes: [{ name: ${name}, read: [/its/folder] }]`;
  return { kind: "missing", message: `the runtime \`${name}\` ${what}`, hint };
}

/** A program that exists but can't be granted, reported by its path. */
export function unfit(
  name: string,
  path: AbsolutePath,
  what: string,
  fix = "put the program itself on PATH",
): RuntimeFinding {
  return missing(name, `was found at ${visible(path)}, which ${what}`, fix);
}
