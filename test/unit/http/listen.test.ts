import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { approvalApp } from "../../../src/http/app.ts";
import { serveApprovals } from "../../../src/http/serve.ts";
import { desk } from "../../support/approval/desk.ts";
import { ANN, BOB } from "../../support/http/test-app.ts";
import { send } from "../../support/http/wire.ts";

const folder = mkdtempSync(join(tmpdir(), "cofferdam-http-"));
chmodSync(folder, 0o700);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("http.auth: a server listens where nothing outside of the machine reaches it", () => {
  test("http.auth: by default on a free port of 127.0.0.1, with a token of its own making behind the `#` of its inbox's address (S4-18)", async () => {
    const { broker } = desk();
    await using one = await serveApprovals(broker);
    await using two = await serveApprovals(broker);
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const [token, other] = [one, two].map(({ approvers }) => approvers[0]?.token);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(token).not.toBe(other);
    expect(one.inboxUrl()).toBe(`${one.url}/#token=${token}`);
    expect(one.warnings).toEqual([]);
    const status = async (bearer: string | undefined) =>
      (await fetch(`${one.url}/approvals`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect([await status(token), await status(other)]).toEqual([200, 401]);
  });

  test("http.auth: on another address only when that is allowed, and then it warns", async () => {
    const { broker } = desk();
    for (const listen of ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
      await expect(serveApprovals(broker, { listen })).rejects.toMatchObject({ code: "USAGE" });
    await using open = await serveApprovals(broker, {
      listen: "0.0.0.0:0",
      allowRemote: true,
      hosts: ["approvals.example"],
    });
    expect(open.warnings).toEqual([expect.stringContaining("other machines can reach `0.0.0.0`")]);
    expect(open.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const status = async (host: string) =>
      (await send(open.url, { path: "/health", headers: { host } })).status;
    const hosts = ["approvals.example", new URL(open.url).host, "evil.example", "0.0.0.0"];
    expect(await Promise.all(hosts.map(status))).toEqual([200, 200, 421, 421]);
  });

  test.each([
    "127.0.0.1",
    "127.0.0.1:x",
    "localhost",
    ":80",
    "127.0.0.1:70000",
    "example.org:80",
    "::1:80",
    "sock",
  ])("where `%s` leads nobody can say, so it is refused", async (listen) => {
    await expect(serveApprovals(desk().broker, { listen })).rejects.toMatchObject({ code: "USAGE" });
  });

  test("an address that somebody has is refused as that", async () => {
    const { broker } = desk();
    await using one = await serveApprovals(broker);
    const listen = new URL(one.url).host;
    await expect(serveApprovals(broker, { listen })).rejects.toThrow(
      `\`${listen}\` can't be listened on: EADDRINUSE`,
    );
  });
});

describe("a unix socket", () => {
  const path = join(folder, "approvals.sock");

  test("http.auth: is its owner's alone, and needs a token all the same", async () => {
    const { broker } = desk();
    await using server = await serveApprovals(broker, { listen: path, approvers: [ANN] });
    expect([server.url, server.inboxUrl(), (statSync(path).mode & 0o777).toString(8)]).toEqual([
      `unix:${path}`,
      null,
      "600",
    ]);
    expect(await overSocket(path, { host: "localhost", authorization: `Bearer ${ANN.token}` })).toBe(200);
    expect(await overSocket(path, { host: "localhost" })).toBe(401);
    expect(await overSocket(path, { host: "evil.example", authorization: `Bearer ${ANN.token}` })).toBe(421);
  });

  test("goes with its server; one that a killed server left is put away, one that is served is not", async () => {
    const { broker } = desk();
    {
      await using _first = await serveApprovals(broker, { listen: path });
      await expect(serveApprovals(broker, { listen: path })).rejects.toThrow("is served by another process");
    }
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
    const script = `require("node:http").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
    expect(() => execFileSync(process.execPath, ["-e", script])).toThrow("Command failed");
    expect(statSync(path).isSocket()).toBe(true);
    await using _again = await serveApprovals(broker, { listen: path, approvers: [ANN] });
    expect(await overSocket(path, { host: "localhost", authorization: `Bearer ${ANN.token}` })).toBe(200);
  });

  test("http.auth: is not put where others could put another in its place, nor in the place of something else", async () => {
    const { broker } = desk();
    const refused = async (at: string): Promise<string> => {
      try {
        await using _server = await serveApprovals(broker, { listen: at });
        return "served";
      } catch (cause) {
        return cause instanceof Error ? cause.message : String(cause);
      }
    };
    mkdirSync(join(folder, "shared"));
    chmodSync(join(folder, "shared"), 0o777);
    mkdirSync(join(folder, "shared/own"), { mode: 0o700 });
    symlinkSync(join(folder, "shared/own"), join(folder, "link"));
    writeFileSync(join(folder, "file"), "");
    expect(await refused(join(folder, "shared/s"))).toContain("which other users can change");
    expect(await refused(join(folder, "shared/own/s"))).toContain("which other users can change");
    expect(await refused(join(folder, "link/s"))).toContain("which other users can change");
    expect(await refused("/tmp/s.sock")).toContain("which other users can change");
    expect(await refused(join(folder, "file"))).toContain("already exists, and is not a socket");
    expect(await refused(join(folder, "nowhere/s"))).toContain("which does not exist");
    expect(await refused(join(folder, "x".repeat(120)))).toContain("is longer than 103 bytes");
    expect(await refused(join(folder, "s"))).toBe("served");
  });
});

describe("options", () => {
  const broker = desk().broker;

  test.each([
    ["a token that can be guessed", { approvers: [{ name: "ann", token: "short" }] }],
    ["a token of blanks", { approvers: [{ name: "ann", token: " ".repeat(40) }] }],
    ["nobody", { approvers: [] }],
    ["two of one name", { approvers: [ANN, { ...BOB, name: "ann" }] }],
    ["two with one token", { approvers: [ANN, { ...BOB, token: ANN.token }] }],
    ["an origin that stands for anybody", { origins: ["null"] }],
    ["an origin with a path", { origins: ["https://tools.example/"] }],
    ["any origin", { origins: ["*"] }],
    ["a host that is an address", { hosts: ["http://approvals.example"] }],
    ["a heartbeat that a page would not wait for", { heartbeatMs: 60_000 }],
    ["an option that there is not", { lissten: "127.0.0.1:0" }],
  ])("http.auth: %s is refused, and nothing listens", async (_what, options) => {
    const listen = join(folder, "refused.sock");
    const given = { listen, ...options };
    await expect(Reflect.apply(serveApprovals, undefined, [broker, given])).rejects.toMatchObject({
      code: "USAGE",
    });
    expect(statSync(listen, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("several approvers have addresses of their own (S4-18)", async () => {
    await using server = await serveApprovals(broker, { approvers: [ANN, BOB] });
    expect([server.inboxUrl("bob"), server.inboxUrl("eve")]).toEqual([
      `${server.url}/#token=${BOB.token}`,
      null,
    ]);
  });
});

test("the routes can be served by a server of one's own", async () => {
  const { broker } = desk();
  using app = approvalApp(broker, { approvers: [ANN], hosts: ["approvals.example"] });
  const own = createServer(({ url, headers }, response) => {
    const given = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const asked = app.fetch(new Request(`http://approvals.example${url}`, { headers: given }));
    void asked.then(async (answer) =>
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text()),
    );
  });
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  const address = own.address();
  const port = typeof address === "object" ? address?.port : null;
  const headers = { host: "approvals.example", authorization: `Bearer ${ANN.token}` };
  const answer = await send(`http://127.0.0.1:${port}`, { path: "/approvals", headers });
  expect([answer.status, JSON.parse(answer.body).pending]).toEqual([200, []]);
  own.close();
});

async function overSocket(socketPath: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: "/approvals", headers, agent: false }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject);
    })
      .on("error", reject)
      .end();
  });
}
