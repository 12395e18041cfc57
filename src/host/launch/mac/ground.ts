import type { AbsolutePath } from "../../../profile/path.ts";
import type { Host } from "../../look/host.ts";
import type { MachineFacts } from "../facts.ts";
import { findHelper, findShell, fitHelper } from "../launcher.ts";
import { Outsider } from "./outsider.ts";
import { ViolationLog } from "./violation-log.ts";

/** Requirements for running a plan of rules, besides the launcher. */
export interface RuleGround {
  /** The folder in which each call gets its own: see `MacFacts`. */
  readonly calls: AbsolutePath;
  readonly ps: AbsolutePath;
  readonly tools: RemovalTools;
  readonly outsider: Outsider;
  /** Reader of the kernel's log about calls; null if the log can't be read. */
  readonly log: ViolationLog | null;
}

/** rm(1), chmod(1), and macOS's chflags(1), or null without it. */
export interface RemovalTools {
  readonly rm: AbsolutePath;
  readonly chmod: AbsolutePath;
  readonly chflags: AbsolutePath | null;
}

/** Finds the requirements of calls. Throws `SANDBOX_UNAVAILABLE` if a helper is missing; null without macOS facts. */
export function groundFor(host: Host, { mac, user }: Pick<MachineFacts, "mac" | "user">): RuleGround | null {
  if (mac === null) return null;
  const log = fitHelper(host, "log");
  return {
    calls: mac.calls,
    ps: findHelper(host, "ps", [], MISSING),
    tools: toolsOf(host),
    outsider: new Outsider(findShell(host, []), user.isCaller ? null : user),
    log: log === null ? null : new ViolationLog(log),
  };
}

const MISSING = "install it: it is part of the system";

/** Throws `SANDBOX_UNAVAILABLE` if a standard tool is missing. */
export function toolsOf(host: Host): RemovalTools {
  return {
    rm: findHelper(host, "rm", [], MISSING),
    chmod: findHelper(host, "chmod", [], MISSING),
    chflags: fitHelper(host, "chflags"),
  };
}
