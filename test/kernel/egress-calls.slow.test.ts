import { readdirSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { portOf } from "../support/web/port-of.ts";

sandboxMustWork("calls that reach hosts");

let server: Server;
let port = 0;
let open = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/endless") response.write("x");
    else response.end("here");
  });
  server.on("connection", (socket) => {
    open += 1;
    socket.on("close", () => (open -= 1));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = portOf(server);
});
afterAll(() => new Promise((done) => server.close(done)));

const SHELL = { network: { hosts: ["a.test"] }, default: { approval: false } };
const outside = () => localOutside({ names: {}, ports: { "a.test:80": port } });
const sh = (script: string) => ({ argv: ["sh", "-c", script] as [string, ...string[]] });
/** Pipes are made ahead, some more or fewer: sockets are not. */
const sockets = (): number => readdirSync("/proc/self/fd").filter(isSocket).length;

function isSocket(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
  } catch {
    return false;
  }
}

describe.skipIf(unusable !== null)("calls in a row", () => {
  it("net.hosts: each has a secret of its own, none leaves a descriptor or a connection, and launchers wait for them", async () => {
    await using at = await testSession(() => undefined, { settings: { shell: SHELL }, outside: outside() });
    const secrets = new Set<string>();
    let before = 0;
    // The first call that takes more than a second has a helper started, which stays: on a busy machine any of these may.
    await at.session.call("shell", sh("sleep 1.5"));
    for (let call = 0; call < 30; call += 1) {
      const said = printed(await at.session.call("shell", sh("echo $http_proxy; curl -sS http://a.test/")));
      const [secret = "", page] = said.split("\n");
      expect(page).toBe("here");
      secrets.add(secret);
      // The launcher that waits for the next call has some.
      if (call === 9) await pause(500);
      if (call === 9) before = sockets();
    }
    expect(secrets.size).toBe(30);
    await expect.poll(() => open).toBe(0);
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });

  it("net.hosts: what is still open when a call ends is closed, the server's side too", async () => {
    await using at = await testSession(() => undefined, { settings: { shell: SHELL }, outside: outside() });
    const script = "curl -sSN http://a.test/endless >got & while ! [ -s got ]; do sleep 0.02; done";
    const outcome = await at.session.call("shell", sh(script));
    expect(outcome.kind).toBe("done");
    await expect.poll(() => open).toBe(0);
  });

  it("net.hosts: another call's secret is nothing to a proxy, whatever the two share", async () => {
    await using at = await testSession(() => undefined, { settings: { shell: SHELL }, outside: outside() });
    const first = at.session.call(
      "shell",
      sh("echo $http_proxy >theirs; while ! [ -e done ]; do sleep 0.02; done"),
    );
    const script =
      "while ! [ -s theirs ]; do sleep 0.02; done; curl -sS -o /dev/null -w '%{http_code} ' -x $(cat theirs) http://a.test/; curl -sS http://a.test/; touch done";
    const second = await at.session.call("shell", sh(script));
    expect(printed(second)).toBe("407 here");
    expect("receipt" in second && second.receipt?.egress?.refused).toMatchObject([{ because: "credential" }]);
    expect((await first).kind).toBe("done");
  });

  it("net.hosts: a program that goes past the proxy is told so, of a host that it may reach by it", async () => {
    await using at = await testSession(() => undefined, { settings: { shell: SHELL }, outside: outside() });
    const denials = async (...argv: [string, ...string[]]) => {
      const outcome = await at.session.call("shell", { argv });
      return "denials" in outcome ? (outcome.denials ?? []) : [];
    };
    const past = ["curl", "-sS", "--noproxy", "*"] as const;
    expect(await denials(...past, "http://a.test/")).toMatchObject([
      {
        operation: "connect",
        target: "a.test:80",
        certainty: "likely",
        remedy: expect.stringMatching("HTTPS_PROXY"),
      },
    ]);
    expect(await denials(...past, "http://b.test/")).toMatchObject([
      { target: "b.test:80", certainty: "likely", remedy: expect.stringMatching("^list the host") },
    ]);
    expect(await denials("curl", "-sS", "http://a.test/")).toEqual([]);
    const unresolved = {
      target: "any host",
      certainty: "likely",
      because: "the sandbox has no resolver: only its egress proxy looks up the names of hosts",
      remedy: expect.stringMatching("HTTPS_PROXY.*; see docs/how-to/allow-a-host.md$"),
    };
    const python = "import socket; socket.create_connection(('a.test', 80))";
    expect(await denials("python3", "-c", python)).toMatchObject([unresolved]);
    expect(await denials("getent", "hosts", "a.test")).toMatchObject([unresolved]);
    expect(await denials("sh", "-c", "getent ahosts a.test || exit 1")).toMatchObject([unresolved]);
  });
});

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it("net.hosts: holds with few descriptors, processes and little memory, and in a shelter beside another call", async () => {
    using place = new Place(person);
    const reach = "curl -sS http://a.test/";
    const ports = { names: {}, ports: { "a.test:80": port } };
    const limits = { open_files: 32, processes: 8, memory: "64MiB", file_size: "1MiB", cpu: "5s" };
    const bounded = await place.run({
      settings: { shell: SHELL, sandbox: { limits } },
      job: { calls: [sh(reach)], outside: ports },
    });
    expect(bounded[1]).toMatchObject({ kind: "ran", stdout: "here" });
    const beside = await place.run({
      settings: { shell: SHELL },
      job: {
        calls: [
          { ...sh("while ! [ -e over ]; do sleep 0.02; done; echo first"), afterMs: 0 },
          { ...sh(`${reach}; touch over`), afterMs: 600 },
        ],
        outside: ports,
      },
    });
    expect(
      beside
        .slice(1)
        .map((reply) => reply.kind === "ran" && reply.stdout)
        .toSorted(),
    ).toEqual(["first\n", "here"]);
  });

  it("net.hosts: a supervisor that has no descriptors left goes on, and ends what takes them at its time", async () => {
    using place = new Place(person);
    const knock =
      'use Socket; for (1 .. 400) { socket my $s,2,1,0; connect $s,sockaddr_in(61080,inet_aton("127.0.0.1")); syswrite $s,"CONNECT x:1 HTTP/1.1\\r\\n"; push @all,$s } sleep 30';
    const replies = await place.run({
      under: ["prlimit", "--nofile=300:300", "--"],
      settings: { shell: SHELL, sandbox: { limits: { wall: "3s" } } },
      job: { calls: [{ argv: ["perl", "-e", knock] }], outside: { names: {}, ports: {} } },
    });
    expect(replies.map(({ kind }) => kind)).toEqual(["made", "ran"]);
  });
});
