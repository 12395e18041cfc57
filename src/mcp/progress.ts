import type { ServerContext } from "@modelcontextprotocol/server";

/** The interval of progress notifications. Clients treat a silent call as lost. */
const INTERVAL_S = 1;

/** Sends progress notifications, in seconds since the start of the call, to a client that requested them. */
export function startProgress({ mcpReq }: ServerContext): Disposable {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  const notify = (): void => {
    if (progressToken === undefined) return;
    const message = progress === 0 ? "started" : `running for ${progress} s`;
    // A lost notification has no other effect.
    mcpReq
      .notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => undefined);
    progress += INTERVAL_S;
  };
  notify();
  const timer = setInterval(notify, INTERVAL_S * 1_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
