import { SessionReviewer } from "../approval/reviewer.ts";
import { OWN_TOOL_NAMES } from "../tool/own-tool-names.ts";
import { functionReviewer } from "./function-reviewer.ts";
import { configuredReviewer } from "./program-reviewer.ts";
import type { SessionContext } from "./session-context.ts";

/** The reviewer of a session: the host's function, else that of the config, unless an operator forbids both. */
export function sessionReviewer(around: Omit<SessionContext, "gate">): SessionReviewer {
  return new SessionReviewer({
    broker: around.broker,
    // Their requests are about the sandbox or the network: they are for people.
    unreviewed: OWN_TOOL_NAMES,
    runner: () => {
      const { shared } = around;
      if (!shared.policy.ceiling.approval.reviewer) return null;
      if (shared.reviewer !== null) return functionReviewer(shared.reviewer);
      const { reviewer } = shared.loaded.config;
      return reviewer === null ? null : configuredReviewer(around, reviewer);
    },
  });
}
