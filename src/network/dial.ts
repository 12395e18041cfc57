import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as secure } from "node:tls";
import type { Dial, Targets } from "../host/look/outside.ts";
import { isAddress } from "../profile/host-rule.ts";

/** How connections are made. */
export interface Dialling {
  readonly dial: Dial;
  /** CA certificates that servers are verified with; null: those that the machine's Node trusts. */
  readonly ca: string | null;
}

/** A connection, or the error that prevented it: no server there, or a certificate that is not that host's. */
export type Connected =
  | { readonly kind: "connected"; readonly socket: Socket }
  | { readonly kind: "failed"; readonly because: "connection" | "certificate"; readonly error: Error };

/** Connects; over TLS the server must prove that it is the host. Rejects when the signal aborts. */
export async function connectTo(
  targets: Targets,
  { dial, ca }: Dialling,
  { isSecure, signal }: { readonly isSecure: boolean; readonly signal: AbortSignal },
): Promise<Connected> {
  const plain = dial(targets);
  const broken = await outcomeOf(plain, "connect", signal);
  if (broken !== null) return { kind: "failed", because: "connection", error: broken };
  if (!isSecure) return { kind: "connected", socket: plain };
  const [{ host }] = targets;
  return secured(plain, host, { ca }, signal);
}

/** TLS over an open connection; the server must prove that it is the host. Rejects when the signal aborts. */
export async function secured(
  plain: Socket,
  host: string,
  { ca }: Pick<Dialling, "ca">,
  signal: AbortSignal,
): Promise<Connected> {
  const made = secure({
    socket: plain,
    host,
    // An address is not a valid server name (RFC 6066, section 3).
    servername: isAddress(host) ? "" : host,
    // Set explicitly, so that no environment variable can turn it off.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    ...(ca === null ? {} : { ca }),
  });
  const unproven = await outcomeOf(made, "secureConnect", signal);
  if (unproven === null) return { kind: "connected", socket: made };
  plain.destroy();
  return { kind: "failed", because: "certificate", error: unproven };
}

/** Waits for a socket's event: null once it came, otherwise the error. Rejects on the signal. */
async function outcomeOf(socket: Socket, event: string, signal: AbortSignal): Promise<Error | null> {
  // Later errors are reported to the user of the socket, and must not end the process if there is none.
  socket.on("error", () => undefined);
  try {
    await once(socket, event, { signal });
    return null;
  } catch (cause) {
    socket.destroy();
    signal.throwIfAborted();
    return cause instanceof Error ? cause : new Error("the connection failed", { cause });
  }
}
