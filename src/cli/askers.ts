import type { ApprovalHandler } from "../approval/handler.ts";
import { BrokerHandler, CallbackHandler } from "../approval/handlers.ts";
import type { TerminalScreen } from "../channel/screen.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import type { Print } from "./print.ts";

/** The parts that approval handlers of one command need. */
export interface Askers {
  readonly host: Host;
  readonly screen: TerminalScreen;
  readonly print: Print;
  readonly approval: Pick<ApprovalSection, "store" | "channels">;
}

/** The person at the terminal, and the people in channels with a shared store: these also answer without a terminal. */
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
      if (isAlone)
        print.talk(print.talkInk.dim(`cofferdam: waiting for an answer to request ${request.approvalId}`));
      throw cause;
    }
  });
  return [terminal, ...others];
}

/** The handler that waits for answers from channels with a shared store; empty without such channels. */
export function waitsElsewhere({ store, channels }: Askers["approval"]): readonly ApprovalHandler[] {
  const { http, telegram } = channels;
  return store !== "memory" && (http !== undefined || telegram !== undefined) ? [new BrokerHandler()] : [];
}
