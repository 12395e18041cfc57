import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import { CofferdamError, visible } from "../errors.ts";
import { assertOptions, type OptionsOf, text } from "../supervisor/options.ts";
import { approvalApp } from "./app.ts";
import { APP_OPTIONS, type ApprovalAppOptions } from "./app-options.ts";
import { type Approver, makeToken } from "./approvers.ts";
import { type ListenAt, ownHosts, readListen, USUAL_LISTEN } from "./listen.ts";
import { NodeServer } from "./node-server.ts";
import { closeToOthers, makeWay } from "./unix-socket.ts";

/** What a server of approvals is made from; everything has a default. */
export interface ServeOptions extends Partial<ApprovalAppOptions> {
  /** `127.0.0.1:8080`, `[::1]:0`, or the absolute path of a unix socket. Default a free port of 127.0.0.1. */
  readonly listen?: string;
  /** It may listen on an address that others in the network reach. Default false. */
  readonly allowRemote?: boolean;
}

/** How the same is checked when it comes from JavaScript. */
const SERVE_OPTIONS: OptionsOf<ServeOptions> = z.strictObject({
  ...APP_OPTIONS.partial().shape,
  listen: text("an address with a port, or the absolute path of a unix socket").optional(),
  allowRemote: z.boolean({ error: "`true` or `false`" }).optional(),
});

/** A server of approvals that listens. */
export interface ApprovalServer extends AsyncDisposable {
  /** `http://127.0.0.1:41234`, or `unix:` and the path of its socket. */
  readonly url: string;
  /** Who may answer, with the tokens that were given or made. */
  readonly approvers: readonly Approver[];
  /** What whoever started it should know, in words. */
  readonly warnings: readonly string[];
  /**
   * Where an approver opens the inbox: the first one, or whom the name says. The token stands behind `#`, which browsers
   * send to no server; whoever sees the address can answer. Null for a unix socket, which browsers don't open, and for a
   * name that nobody has.
   */
  inboxUrl(name?: string): string | null;
  /** Takes no more connections, ends every stream of events, and lets answers that are on their way be sent. */
  close(): Promise<void>;
}

/** Who answers where nobody was named. */
const SOMEBODY = "http";

/**
 * Serves the approvals of a broker: routes, a stream of events, and the inbox. It listens where nothing outside of this
 * machine reaches it, with a token made for it, unless it is told otherwise. Throws `USAGE` for options that there are
 * not, for an address that others reach and that was not allowed, and for one that can't be had.
 */
export async function serveApprovals(broker: Broker, options: ServeOptions = {}): Promise<ApprovalServer> {
  assertOptions("serveApprovals", SERVE_OPTIONS, options);
  const { listen = USUAL_LISTEN, allowRemote = false, hosts = [], ...rest } = options;
  const at = readListen(listen);
  if (at.kind === "address" && !at.isLoopback && !allowRemote)
    throw new CofferdamError("USAGE", `others in the network could reach ${visible(listen)}`, {
      hint: "listen on `127.0.0.1:0`, or allow it with `allowRemote`",
    });
  const approvers = rest.approvers ?? [{ name: SOMEBODY, token: makeToken() }];
  if (at.kind === "socket") await makeWay(at.path);
  const server = await NodeServer.listen(at, rest.mostSubscribers ?? 2_000);
  try {
    if (at.kind === "socket") closeToOthers(at.path);
    const own = at.kind === "socket" ? ["localhost"] : ownHosts({ ...at, port: server.port ?? at.port });
    const app = approvalApp(broker, { ...rest, approvers, hosts: [...own, ...hosts] });
    server.serve(app);
    return serving(at, own, approvers, async () => {
      app[Symbol.dispose]();
      await server.close();
    });
  } catch (cause) {
    await server.close();
    throw cause;
  }
}

function serving(
  at: ListenAt,
  hosts: readonly string[],
  approvers: readonly Approver[],
  close: () => Promise<void>,
): ApprovalServer {
  const url = at.kind === "socket" ? `unix:${at.path}` : `http://${hosts[0]}`;
  return {
    url,
    approvers,
    warnings: warningsOf(at),
    inboxUrl: (name) => {
      const approver = approvers.find((one) => name === undefined || one.name === name);
      return at.kind === "socket" || approver === undefined ? null : `${url}/#token=${approver.token}`;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function warningsOf(at: ListenAt): readonly string[] {
  if (at.kind === "socket" || at.isLoopback) return [];
  return [
    `others in the network reach ${visible(at.address)}, and read there what is sent, tokens too: put a server that speaks TLS before it, and let it listen on 127.0.0.1`,
  ];
}
