import type { ApprovalHandler } from "../approval/handler.ts";
import { BrokerHandler, CallbackHandler } from "../approval/handlers.ts";
import type { TerminalScreen } from "../channel/screen.ts";
import { CofferdamError, visible } from "../errors.ts";
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
  const { http, telegram, webhook } = channels;
  const isOpen = [http, telegram, webhook].some((channel) => channel !== undefined);
  return store !== "memory" && isOpen ? [new BrokerHandler()] : [];
}

/**
 * The handler for calls of an MCP client: they also wait for `cofferdam approvals`, which needs no open channel. Each
 * request is told, because a host may show nothing but a call that takes long. Empty if nobody could answer.
 */
export function waitsForApprovals(
  approval: Askers["approval"],
  talk: (line: string) => void,
): readonly ApprovalHandler[] {
  const { store, channels } = approval;
  const isAnswered = store !== "memory" && channels.approvals_command;
  if (!isAnswered) return waitsElsewhere(approval);
  const waiting = new BrokerHandler();
  const told = new CallbackHandler((request, asking) => {
    const { approvalId, tool } = request;
    talk(
      `${visible(tool)} waits for an approval: see \`cofferdam approvals show ${approvalId.slice(0, SHORT_ID)}\``,
    );
    return waiting.requestApproval(request, asking);
  });
  return [told];
}

const SHORT_ID = 8;

/** The places where the requests of an MCP client without forms are answered, as one line for its log. */
export function placesForClients(approval: Askers["approval"]): string {
  if (waitsForApprovals(approval, () => undefined).length === 0)
    return "calls that need approval are denied if the client has no forms, because no channel is open: write `channels: { http: {} }` under `approval`, and run `cofferdam serve`";
  const isOpen = waitsElsewhere(approval).length > 0;
  const elsewhere = [
    ...(approval.channels.approvals_command ? ["`cofferdam approvals` in a terminal"] : []),
    ...(isOpen ? ["the channels of `cofferdam serve`"] : []),
  ];
  return `calls that need approval wait for a form of the client, or for ${elsewhere.join(" or ")}`;
}
