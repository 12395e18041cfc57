import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { EgressRefusal } from "../../../src/network/account.ts";
import { CallEgress } from "../../../src/network/call-egress.ts";
import type { ListenFunction } from "../../../src/network/listen-at.ts";
import { SharedProxy } from "../../../src/network/shared-proxy.ts";
import { heard } from "./proxied.ts";
import { hostsOf, type SmallWeb, smallWeb } from "./server.ts";

/** A proxy for calls that share this machine's loopback; gone after the test. */
export async function shared(listenAt?: ListenFunction) {
  const proxy = await SharedProxy.listen(listenAt);
  onTestFinished(() => proxy[Symbol.dispose]());
  return { proxy, port: proxy.port, call: callOf(proxy) };
}

/** What one call of it reaches. */
export interface SharedCall {
  readonly egress: CallEgress;
  /** What was refused to it, the first time each. */
  readonly refused: readonly Omit<EgressRefusal, "times">[];
  /** What its programs ask: `GET`, of a whole URL. */
  readonly get: (url: string) => string;
  readonly tunnel: (place: string) => string;
  readonly end: () => void;
}

function callOf(proxy: SharedProxy) {
  return (hosts: readonly string[], web: SmallWeb): SharedCall => {
    const refused: Omit<EgressRefusal, "times">[] = [];
    const egress = new CallEgress(
      { network: hostsOf(...hosts), limits: {}, ask: null, onRefused: (one) => void refused.push(one) },
      smallWeb(web).means,
    );
    const served = proxy.callers.add(egress);
    const credential = Buffer.from(`cofferdam:${egress.secret}`).toString("base64");
    const head = `Host: x\r\nProxy-Authorization: Basic ${credential}\r\n`;
    const end = (): void => {
      served[Symbol.dispose]();
      egress[Symbol.dispose]();
    };
    onTestFinished(end);
    return {
      egress,
      refused,
      get: (url) => `GET ${url} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
      tunnel: (place) => `CONNECT ${place} HTTP/1.1\r\n${head}\r\n`,
      end,
    };
  };
}

/** Connects to a port of this machine and says something, or nothing; gone after the test. */
export async function knocking(port: number, words = "", host = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (words !== "") socket.write(words);
  return socket;
}

/** All that is answered, until the connection ends. */
export async function answered(port: number, words: string, host = "127.0.0.1"): Promise<string> {
  return heard(await knocking(port, words, host));
}
