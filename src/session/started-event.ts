import type { SupervisorContext } from "../call/supervisor-context.ts";
import type { EventBody } from "../event/event.ts";

/** The event of a session's start: what is in force then. */
export function startedEvent({ loaded, policy }: Pick<SupervisorContext, "loaded" | "policy">): EventBody {
  const { origin } = loaded.config;
  return {
    type: "session.started",
    config: origin.kind === "default" ? null : origin.file,
    ceiling: [...loaded.ceiling.labels],
    mode: policy.mode,
  };
}
