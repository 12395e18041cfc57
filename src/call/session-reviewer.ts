import { SessionReviewer } from "../approval/reviewer.ts";
import { toolNames } from "../decide/tool-cards.ts";
import { functionReviewer } from "./function-reviewer.ts";
import { configuredReviewer } from "./program-reviewer.ts";
import type { SessionContext } from "./session-context.ts";

/** Tools of the product: their requests are about the sandbox or the network, so they are for people. */
const OWN_TOOLS: ReadonlySet<string> = new Set([...toolNames([]), "web_fetch", "web_fetch_add_domain"]);

/** The reviewer of a session: the host's function, else that of the config, unless an operator forbids both. */
export function sessionReviewer(around: Omit<SessionContext, "gate">): SessionReviewer {
  const { shared } = around;
  return new SessionReviewer({
    broker: shared.broker,
    unreviewed: OWN_TOOLS,
    runner: () => {
      if (!shared.policy.ceiling.approval.reviewer) return null;
      if (shared.reviewer !== null) return functionReviewer(shared.reviewer);
      const { reviewer } = shared.loaded.config;
      return reviewer === null ? null : configuredReviewer(around, reviewer);
    },
  });
}
