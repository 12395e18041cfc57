import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { PROXY_USER } from "../backend/proxy-way.ts";
import { ByteReader } from "./byte-reader.ts";
import type { NotReached } from "./call-egress.ts";
import type { Clients } from "./clients.ts";
import { dismiss } from "./dismiss.ts";
import { tunnel } from "./tunnel.ts";

/** The first byte of a connection that speaks SOCKS 5 (RFC 1928). */
export const SOCKS_5 = 5;

/** RFC 1928, section 6. */
const REPLY = {
  succeeded: 0,
  failed: 1,
  notAllowed: 2,
  unreachable: 4,
  noSuchCommand: 7,
  noSuchAddress: 8,
} as const;

/** RFC 1928, section 3: a user and a password, or no acceptable method. */
const [BY_PASSWORD, BY_NOTHING] = [2, 0xff];

/** SOCKS 5 with a user and a password (RFC 1929), to connect and nothing else; names are looked up here. */
export async function serveSocks(client: Socket, clients: Clients): Promise<void> {
  const reader = new ByteReader(client);
  const [, methods = 0] = await reader.take(2);
  if (!(await reader.take(methods)).includes(BY_PASSWORD)) return end(client, [SOCKS_5, BY_NOTHING]);
  client.write(Buffer.from([SOCKS_5, BY_PASSWORD]));
  const [, userLength = 0] = await reader.take(2);
  const user = (await reader.take(userLength)).toString("latin1");
  const [passwordLength = 0] = await reader.take(1);
  const password = (await reader.take(passwordLength)).toString("latin1");
  const place = { host: null, port: null };
  const egress = clients.callerOf(client, user === PROXY_USER ? password : "", place);
  if (egress === null) return end(client, [1, 1]);
  client.write(Buffer.from([1, 0]));
  const [version, command, , kind = 0] = await reader.take(4);
  const host = await readHost(reader, kind);
  if (host === null) return end(client, reply(REPLY.noSuchAddress));
  const port = (await reader.take(2)).readUInt16BE();
  clients.asked(client);
  if (version !== SOCKS_5 || command !== 1) return end(client, reply(REPLY.noSuchCommand));
  // Before any wait: an empty stream ends for good as soon as the program has ended its side.
  reader.putBack();
  const reached = await egress.reach(host, port);
  if (reached.kind !== "reached") return end(client, reply(replyTo(reached)));
  client.write(Buffer.from(reply(REPLY.succeeded)));
  tunnel(client, reached.connection, egress);
}

/** RFC 1928, section 5; null for another kind of address. */
async function readHost(reader: ByteReader, kind: number): Promise<string | null> {
  switch (kind) {
    case 1:
      return ipaddr.fromByteArray([...(await reader.take(4))]).toString();
    case 3: {
      const [length = 0] = await reader.take(1);
      return (await reader.take(length)).toString("utf8");
    }
    case 4:
      return ipaddr.fromByteArray([...(await reader.take(16))]).toString();
    default:
      return null;
  }
}

/** The address in the reply is empty: only the proxy knows the real one. */
function reply(code: number): readonly number[] {
  return [SOCKS_5, code, 0, 1, 0, 0, 0, 0, 0, 0];
}

function replyTo(reached: NotReached): number {
  if (reached.kind === "failed") return REPLY.failed;
  return reached.because === "no-address" ? REPLY.unreachable : REPLY.notAllowed;
}

function end(client: Socket, bytes: readonly number[]): void {
  dismiss(client, Buffer.from(bytes));
}
