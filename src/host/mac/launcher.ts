import { readFileSync } from "node:fs";
import type { Launcher } from "../../backend/facts.ts";
import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { findHelper, findShell } from "../launcher.ts";
import { ask } from "../spawn.ts";
import { type EarlyEnd, explainEarlyEnd } from "./explain-start.ts";

/** What the system says of its own version. */
const VERSION = "/System/Library/CoreServices/SystemVersion.plist";

/** Everything is allowed: whether a sandbox can be entered at all. */
const NO_RULES = "(version 1)(allow default)";

/**
 * Finds macOS's own sandbox program; nothing is asked of it, because its version is the system's. Throws
 * `SANDBOX_UNAVAILABLE`.
 */
export function findSandboxExec(host: Host, writable: readonly AbsolutePath[] = []): Launcher {
  const path = findHelper(host, "sandbox-exec", writable, "it is part of macOS: use one that has it");
  return { path, version: systemVersion(), options: new Set(), shell: findShell(host, writable), perl: null };
}

/** `15.5 24F74`: the release and its build, of which there are several under one number. */
export function systemVersion(file = VERSION): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return "unknown";
  }
  const value = (key: string): string =>
    new RegExp(`<key>${key}</key>\\s*<string>([\\w.]{1,40})</string>`).exec(text)?.[1] ?? "";
  return `${value("ProductVersion")} ${value("ProductBuildVersion")}`.trim() || "unknown";
}

/** Enters a sandbox without rules. Throws `SANDBOX_UNAVAILABLE` where that fails, as inside of another one. */
export async function assertEnterable({ path, shell }: Pick<Launcher, "path" | "shell">): Promise<void> {
  const { status, stderr } = await ask(path, ["-p", NO_RULES, "--", shell, "-c", "exit 9"]);
  if (status === 9) return;
  const end: EarlyEnd = { code: status, signal: null, stderr };
  const { message, hint } = explainEarlyEnd(end);
  throw new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint });
}
