import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import { CofferdamError, visible } from "../errors.ts";
import { assertOptions, flag, type OptionsOf, text } from "../policy/options.ts";
import { approvalApp } from "./app.ts";
import { APP_OPTIONS, type ApprovalAppOptions } from "./app-options.ts";
import { type Approver, makeToken } from "./approvers.ts";
import { type ListenAddress, ownHosts, readListen, USUAL_LISTEN } from "./listen.ts";
import { NodeServer } from "./node-server.ts";
import { closeToOthers, makeWay } from "./unix-socket.ts";

/** The options of a server of approvals; everything has a default. */
export interface ServeOptions extends Partial<ApprovalAppOptions> {
  /** `127.0.0.1:8080`, `[::1]:0`, or the absolute path of a unix socket. Default a free port of 127.0.0.1. */
  readonly listen?: string;
  /** Allows an address that is reachable from the network. Default false. */
  readonly allowRemote?: boolean;
}

/** Schema of these options, for callers in JavaScript. */
const SERVE_OPTIONS: OptionsOf<ServeOptions> = z.strictObject({
  ...APP_OPTIONS.partial().shape,
  listen: text("an address with a port, or the absolute path of a unix socket").optional(),
  allowRemote: flag().optional(),
});

/** A listening server of approvals. */
export interface ApprovalServer extends AsyncDisposable {
  /** `http://127.0.0.1:41234`, or `unix:` and the path of its socket. */
  readonly url: string;
  /** The approvers, with their given or generated tokens. */
  readonly approvers: readonly Approver[];
  /** Warnings for the person who started it. */
  readonly warnings: readonly string[];
  /**
   * The URL of the inbox for an approver: the named one, or the first. The token follows `#`, which browsers send to no
   * server; anybody with the URL can answer. Null for a unix socket, which browsers cannot open, and for an unknown
   * name.
   */
  inboxUrl(name?: string): string | null;
  /** Accepts no further connections, ends every event stream, and finishes unfinished answers. */
  close(): Promise<void>;
}

const SOMEBODY = "http";

/**
 * Serves the approvals of a broker: routes, an event stream, and the inbox. By default it listens on loopback only,
 * with a generated token. Throws `USAGE` for unknown options, for an address that others reach without `allowRemote`,
 * and for one that is not available.
 */
export async function serveApprovals(broker: Broker, options: ServeOptions = {}): Promise<ApprovalServer> {
  assertOptions("serveApprovals", SERVE_OPTIONS, options);
  const { listen = USUAL_LISTEN, allowRemote = false, hosts = [], ...rest } = options;
  const at = readListen(listen);
  if (at.kind === "address" && !at.isLoopback && !allowRemote)
    throw new CofferdamError("USAGE", `other machines could reach ${visible(listen)}`, {
      hint: "listen on `127.0.0.1:0`, or allow it with `allowRemote`",
    });
  const approvers = rest.approvers ?? [{ name: SOMEBODY, token: makeToken() }];
  if (at.kind === "socket") await makeWay(at.path);
  const server = await NodeServer.listen(at, rest.maxSubscribers ?? 2_000);
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
  at: ListenAddress,
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

function warningsOf(at: ListenAddress): readonly string[] {
  if (at.kind === "socket" || at.isLoopback) return [];
  return [
    `other machines can reach ${visible(at.address)} and read the traffic, including tokens: listen on 127.0.0.1 behind a TLS proxy instead`,
  ];
}
