import { readFileSync } from "node:fs";
import type { Launcher } from "../../../backend/facts.ts";
import { CofferdamError } from "../../../errors.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import type { Host } from "../../look/host.ts";
import { orNull } from "../../or-null.ts";
import { findHelper, findShell } from "../launcher.ts";
import { ask } from "../spawn.ts";
import { type EarlyEnd, explainEarlyEnd } from "./explain-start.ts";

const VERSION = "/System/Library/CoreServices/SystemVersion.plist";

/** Allows everything, to check whether a sandbox can be entered at all. */
const NO_RULES = "(version 1)(allow default)";

/** Finds macOS's sandbox program without running it: its version is the system's. Throws `SANDBOX_UNAVAILABLE`. */
export function findSandboxExec(host: Host, writable: readonly AbsolutePath[] = []): Launcher {
  const path = findHelper(host, "sandbox-exec", writable, "it is part of macOS: use a macOS that has it");
  return { path, version: systemVersion(), options: new Set(), shell: findShell(host, writable), perl: null };
}

/** `15.5 24F74`: the release and its build. One release number has several builds. */
export function systemVersion(file = VERSION): string {
  const text = orNull(() => readFileSync(file, "utf8"));
  if (text === null) return "unknown";
  const value = (key: string): string =>
    new RegExp(`<key>${key}</key>\\s*<string>([\\w.]{1,40})</string>`).exec(text)?.[1] ?? "";
  return `${value("ProductVersion")} ${value("ProductBuildVersion")}`.trim() || "unknown";
}

/** Enters a sandbox without rules. Throws `SANDBOX_UNAVAILABLE` on failure, for example inside another sandbox. */
export async function assertEnterable({ path, shell }: Pick<Launcher, "path" | "shell">): Promise<void> {
  const { status, stderr } = await ask(path, ["-p", NO_RULES, "--", shell, "-c", "exit 9"]);
  if (status === 9) return;
  const end: EarlyEnd = { code: status, signal: null, stderr };
  const { message, hint } = explainEarlyEnd(end);
  throw new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint });
}
