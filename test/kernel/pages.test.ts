import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolResult } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";

sandboxMustWork("the tools for pages");

const seen: string[] = [];
let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.url ?? "");
    if (request.url === "/part" || request.url === "/whole") {
      const { socket } = request;
      // Nothing says how long it is: the connection's end is the page's.
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na page", () => {
        if (request.url === "/whole") socket.end();
        else setTimeout(() => socket.resetAndDestroy(), 50);
      });
    } else if (request.url === "/away")
      response.writeHead(302, { location: `http://127.0.0.2:${port}/` }).end();
    else response.writeHead(200, { "content-type": "text/plain" }).end("a page");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address: AddressInfo | string | null = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => new Promise((closed) => server.close(closed)));

const nothing = (): void => undefined;

describe.skipIf(unusable !== null)("pages, called by the name of the tool", () => {
  it("pages: of a listed host are fetched without asking; nothing else on this machine is reached, whoever says yes (S2-20)", async () => {
    seen.length = 0;
    const settings = { web_fetch: { domains: [`127.0.0.1:${port}`] } };
    await using at = await testSession(nothing, { settings, handler: new Asked() });
    const { session } = at;
    const page = await session.call("web_fetch", { url: `http://127.0.0.1:${port}/page` });
    expect(page).toMatchObject({
      kind: "done",
      value: { kind: "page", status: 200, text: "a page" },
      receipt: { backend: "none", enforcement: { files: { kind: "absent" } } },
    });
    for (const host of ["localhost", "127.0.0.2", "0x7f000001", "[::1]", "169.254.169.254"])
      expect([host, (await session.call("web_fetch", { url: `http://${host}:${port + 1}/` })).kind]).toEqual([
        host,
        "denied",
      ]);
    expect(
      toolResult(await session.call("web_fetch", { url: `http://127.0.0.1:${port}/away` })),
    ).toMatchObject({
      type: "success",
      output: { kind: "stopped", host: expect.stringContaining("127.0.0.2") },
    });
    expect([at.asked.requests, seen]).toEqual([[], ["/page", "/away"]]);
  });

  it("pages: one whose connection broke is told as stopped, and one that the server ended as a page", async () => {
    const settings = { web_fetch: { domains: [`127.0.0.1:${port}`] } };
    await using at = await testSession(nothing, { settings });
    const fetched = (path: string) =>
      at.session.call("web_fetch", { url: `http://127.0.0.1:${port}${path}` });
    expect(await fetched("/part")).toMatchObject({ value: { kind: "stopped", because: "connection" } });
    expect(await fetched("/whole")).toMatchObject({ value: { kind: "page", text: "a page", is_cut: false } });
  });

  it("pages: of another host are asked about, each time, and a host is added by a person alone (S2-19, S2-20)", async () => {
    const handler = new Asked(() => ({ approved: false }));
    await using at = await testSession(nothing, { handler });
    const { session } = at;
    for (const outcome of [
      await session.call("web_fetch", { url: "https://example.com/" }),
      await session.call("web_fetch_add_domain", { domain: "example.com" }),
    ])
      expect(outcome).toMatchObject({ kind: "denied", code: "APPROVAL_DENIED" });
    expect(handler.tools).toEqual(["web_fetch", "web_fetch_add_domain"]);
    expect(handler.requests.map(({ covers }) => covers)).toEqual([null, null]);
  });

  it("pages: of a host that was added are fetched until it is taken back, and never above the ceiling (S2-19)", async () => {
    await using at = await testSession(nothing);
    const { session } = at;
    expect((await session.call("web_fetch_add_domain", { domain: "example.com" })).kind).toBe("done");
    const [grant] = await session.grants();
    expect(grant).toMatchObject({ kind: "host", host: "example.com", tool: "web_fetch_add_domain" });
    expect(await session.revoke(grant?.grantId ?? "")).toBe(true);
    expect(await session.grants()).toEqual([]);
    await using offline = await testSession(nothing, { profile: { network: "none" } });
    expect(await offline.session.call("web_fetch_add_domain", { domain: "example.com" })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_BLOCKED",
    });
    expect(offline.asked.requests).toEqual([]);
  });
});
