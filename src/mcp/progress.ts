import type { ServerContext } from "@modelcontextprotocol/server";

/** The interval of progress notifications. Clients treat a silent call as lost. */
const INTERVAL_S = 1;
/** The length of an id that `cofferdam approvals list` prints. */
const SHORT_ID = 8;

/** The progress of one call, as its client sees it. */
export interface CallProgress extends Disposable {
  /** Says from now on that the call waits for the answer to this request. */
  waitFor(approvalId: string): void;
}

/** Sends progress notifications, in seconds since the start of the call, to a client that requested them. */
export function startProgress({ mcpReq }: ServerContext): CallProgress {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  let waiting: string | null = null;
  const notify = (): void => {
    if (progressToken === undefined) return;
    const message =
      waiting !== null
        ? `waits for an approval: see \`cofferdam approvals show ${waiting}\``
        : progress === 0
          ? "started"
          : `running for ${progress} s`;
    // A lost notification has no other effect.
    mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => undefined);
    progress += INTERVAL_S;
  };
  notify();
  const timer = setInterval(notify, INTERVAL_S * 1_000);
  return {
    waitFor: (approvalId) => {
      waiting = approvalId.slice(0, SHORT_ID);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
