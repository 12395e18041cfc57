import type { ApprovalHandler } from "../approval/handler.ts";
import { BrokerHandler, CallbackHandler } from "../approval/handlers.ts";
import type { Screen } from "../channel/screen.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import type { Print } from "./print.ts";

/** Who is asked about the call of one command. */
export interface Askers {
  readonly host: Host;
  readonly screen: Screen;
  readonly print: Print;
  readonly approval: Pick<ApprovalSection, "store" | "channels">;
}

/**
 * The person at the terminal, and, where the config opens channels over a store that others share, whoever answers there:
 * then a call waits for them also without a terminal.
 */
export function askersFor({ host, screen, print, approval }: Askers): readonly ApprovalHandler[] {
  const others = waitsElsewhere(approval);
  const terminal = new CallbackHandler(async (request, asking) => {
    const { terminalHandler } = await import("../channel/terminal.ts");
    try {
      return await terminalHandler({ person: host.user.name, env: host.env, screen }).requestApproval(
        request,
        asking,
      );
    } catch (cause) {
      const isAlone = cause instanceof CofferdamError && cause.code === "CHANNEL_CLOSED" && others.length > 0;
      if (isAlone) print.talk(print.talkInk.dim(`cofferdam: waits for an answer to ${request.approvalId}`));
      throw cause;
    }
  });
  return [terminal, ...others];
}

/** Who waits for answers from elsewhere, where the config opens channels over a store that others share; else nobody. */
export function waitsElsewhere({ store, channels }: Askers["approval"]): readonly ApprovalHandler[] {
  const { http, telegram } = channels;
  return store !== "memory" && (http !== undefined || telegram !== undefined) ? [new BrokerHandler()] : [];
}
