import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { postToLoopback } from "../../../src/network/loopback-post.ts";

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address() as AddressInfo;
  return `http://127.0.0.1:${address.port}/review`;
}

const post = (url: string, signal = new AbortController().signal) =>
  postToLoopback({ url, body: '{"a":"é"}', maxBytes: 100, signal });

describe("a document posted to a service of this machine", () => {
  it("arrives whole, and the answer is its text", async () => {
    const url = await served((request, response) => {
      void text(request).then((body) =>
        response.end(`${request.method} ${request.headers["content-type"]} ${body}`),
      );
    });
    expect(await post(url)).toBe('POST application/json {"a":"é"}');
  });

  it.each<readonly [string, RequestListener, string]>([
    ["another status", (_, response) => response.writeHead(500).end("{}"), "status 500"],
    [
      "a redirect",
      (_, response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
      "status 307",
    ],
    ["more than the maximum", (_, response) => response.end("x".repeat(101)), "too long"],
    [
      "a flood without an end",
      (_, response) => void setInterval(() => response.write("x".repeat(60)), 1).unref(),
      "too long",
    ],
    ["bytes that are no UTF-8", (_, response) => response.end(Buffer.from([0xff])), "not valid"],
    ["a broken connection", (_, response) => response.destroy(), "socket hang up"],
  ])("is an error with %s", async (_, listener, message) => {
    await expect(post(await served(listener))).rejects.toThrow(message);
  });

  it("is given up with its signal", async () => {
    const stop = new AbortController();
    const url = await served(() => stop.abort());
    await expect(post(url, stop.signal)).rejects.toThrow("aborted");
  });

  it("uses no proxy of the environment", async () => {
    process.env["http_proxy"] = "http://127.0.0.1:1/";
    process.env["NODE_USE_ENV_PROXY"] = "1";
    onTestFinished(() => {
      delete process.env["http_proxy"];
      delete process.env["NODE_USE_ENV_PROXY"];
    });
    expect(await post(await served((_, response) => response.end("here")))).toBe("here");
  });
});
