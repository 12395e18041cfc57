import type { AbsolutePath } from "../../profile/path.ts";
import type { StandingFacts } from "../facts.ts";
import type { Host } from "../host.ts";
import { findHelper, findShell, fitHelper } from "../launcher.ts";
import { Outsider } from "./outsider.ts";
import { ViolationLog } from "./violation-log.ts";

/** What running a plan of rules takes of the machine besides the launcher. */
export interface RuleGround {
  /** In it a folder is made for each call: see `MacFacts`. */
  readonly calls: AbsolutePath;
  /** ps(1). */
  readonly ps: AbsolutePath;
  /** What removes what a program left, by the names that these have everywhere. */
  readonly tools: RemovalTools;
  /** What no sandbox may signal. */
  readonly outsider: Outsider;
  /** What the kernel's log says of calls; null where it can't be read. */
  readonly log: ViolationLog | null;
}

/** rm(1), chmod(1), and macOS's chflags(1); null where there is none. */
export interface RemovalTools {
  readonly rm: AbsolutePath;
  readonly chmod: AbsolutePath;
  readonly chflags: AbsolutePath | null;
}

/** What calls are run on. Throws `SANDBOX_UNAVAILABLE` where a helper is missing; null without facts of macOS. */
export function groundFor(host: Host, { mac, user }: Pick<StandingFacts, "mac" | "user">): RuleGround | null {
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

const MISSING = "it is part of the system: install it";

/** Throws `SANDBOX_UNAVAILABLE` where one is missing that every system has. */
export function toolsOf(host: Host): RemovalTools {
  return {
    rm: findHelper(host, "rm", [], MISSING),
    chmod: findHelper(host, "chmod", [], MISSING),
    chflags: fitHelper(host, "chflags"),
  };
}
