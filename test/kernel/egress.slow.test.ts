import { createServer, type Server } from "node:http";
import { createServer as createPlainServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { trialScript } from "../../src/host/launch/trial-script.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { portOf } from "../support/web/port-of.ts";

sandboxMustWork("the egress proxy");

/** The requests that the server of `a.test` has seen, and how often anybody came to another port of this machine. */
const seen: string[] = [];
let strangers = 0;
let web: Server;
const other = createPlainServer((socket) => {
  strangers += 1;
  socket.end("here");
});

beforeAll(async () => {
  web = createServer((request, response) => {
    seen.push(request.url ?? "");
    if (request.url?.startsWith("/to?") === true)
      response.writeHead(302, { Location: request.url.slice("/to?".length) }).end();
    else response.end("here");
  });
  for (const server of [web, other]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  for (const server of [web, other]) await new Promise((done) => server.close(done));
});

const NETWORK = {
  hosts: ["a.test:80", "a.test:443", "loop.test", "*.deep.test:80"],
  never: ["no.deep.test"],
};

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
    seen.length = 0;
    strangers = 0;
  });
  afterEach(() => place[Symbol.dispose]());

  /** What one program inside prints, and what it did to the network. */
  async function inside(script: string, network: unknown = NETWORK) {
    const replies = await place.run({
      settings: { shell: { network } },
      job: {
        calls: [{ argv: ["sh", "-c", script] }],
        outside: {
          names: {
            "loop.test": ["127.0.0.1"],
            "vm.test": ["127.0.0.1", "::1"],
            "stranger.test": ["127.0.0.1"],
            "six.test": ["::1"],
          },
          ports: Object.fromEntries(
            ["a.test:80", "b.deep.test:80", "c.test:80", "loop.test:80", "vm.test:80"].map((at) => [
              at,
              portOf(web),
            ]),
          ),
        },
      },
    });
    const reply = replies[1];
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(replies));
    return reply;
  }

  it("net.hosts: what is listed is reached by HTTP, through a tunnel and by SOCKS, and nothing of ours is left inside", async () => {
    const socks = "$(echo $http_proxy | sed s/^http/socks5h/)";
    const reply = await inside(
      [
        "curl -sS http://a.test/1; curl -sSp http://a.test/2; ",
        `curl -sS -x ${socks} http://a.test/3; curl -sS http://b.deep.test/4; curl -sSL http://a.test/to?http://A.Test.:80/5`,
        "; echo; ls /proc | grep -c '^[0-9]'; ls -l /proc/1/fd /proc/self/fd | grep -c socket",
        "; cat /proc/1/environ | grep -c \"$(echo $http_proxy | cut -c 18-40)\"; tr '\\0' ' ' </proc/1/cmdline | grep -c \"$(echo $http_proxy | cut -c 18-40)\"",
      ].join(""),
    );
    expect(reply.stdout.split("\n")[0]).toBe("here".repeat(5));
    expect(seen).toEqual(["/1", "/2", "/3", "/4", "/to?http://A.Test.:80/5", "/5"]);
    // The start program, the shell, ls, grep; and the program's own pipe ends, which are no sockets.
    const [, processes, ...leaks] = reply.stdout.trim().split("\n");
    expect(Number(processes)).toBeLessThanOrEqual(4);
    expect({ leaks, reply }).toMatchObject({ leaks: ["0", "0", "0"] });
    expect(reply.egress).toMatchObject({
      hosts: [
        { host: "a.test", port: 80, connections: 5 },
        { host: "b.deep.test", port: 80, connections: 1 },
      ],
      refused: [],
    });
    expect(reply.standings).toMatchObject({ network: "enforced", descriptors: "enforced" });
  });

  it("net.hosts: nothing else is reached, by any spelling, and each try is told; twins pass", async () => {
    const curl = (...words: readonly string[]): string => `curl -fsS -m 10 -o /dev/null ${words.join(" ")}`;
    const asks = (line: string): string =>
      `perl -MSocket -e 'socket S,2,1,0; connect S,sockaddr_in(61080,inet_aton("127.0.0.1")) or die; syswrite S,"${line}\\r\\nHost: a.test\\r\\nProxy-Authorization: Basic ".$ARGV[0]."\\r\\n\\r\\n"; sysread S,$_,12; exit !/ 200/' "$(printf %s "$http_proxy" | sed 's,^http://,,; s,@.*,,' | tr -d '\\n' | base64 -w 0)"`;
    const refused = [
      curl("http://c.test/"),
      curl("https://c.test/"),
      curl("http://nota.test/", "http://a.test.evil/"),
      curl("-p", "http://a.test:22/"),
      curl("http://no.deep.test/"),
      curl("http://loop.test/"),
      curl("-p", "http://loop.test/"),
      ...["127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0"].map(
        (host) => curl("--noproxy ''", `-p http://${host}:${portOf(other)}/`),
      ),
      curl("-L", "http://a.test/to?http://c.test/"),
      curl("-L", `http://a.test/to?http://127.0.0.1:${portOf(other)}/`, "--noproxy ''"),
      curl("-x http://cofferdam:guessed@127.0.0.1:61080", "http://a.test/"),
      curl("-x http://127.0.0.1:61080", "http://a.test/"),
      curl("-x socks5h://127.0.0.1:61080", "http://a.test/"),
      asks("CONNECT a.test:22 HTTP/1.1"),
      asks("CONNECT a.test\\0.evil:80 HTTP/1.1"),
      asks("CONNECT x\\@a.test:80 HTTP/1.1"),
      asks("CONNECT %61.test:80 HTTP/1.1"),
    ];
    const twins = [curl("http://a.test/"), curl("-p", "http://a.test/"), asks("CONNECT a.test:80 HTTP/1.1")];
    const reply = await inside(trialScript([...refused, ...twins]));
    expect(reply.stdout).toBe("n\n".repeat(refused.length) + "y\n".repeat(twins.length));
    expect([strangers, seen.every((url) => url === "/" || url.startsWith("/to?"))]).toEqual([0, true]);
    const told = JSON.stringify(reply.egress);
    for (const host of [
      "c.test",
      "nota.test",
      "a.test.evil",
      "no.deep.test",
      "loop.test",
      "127.0.0.1",
      "::1",
      "0.0.0.0",
    ])
      expect(told).toContain(`"host":"${host}"`);
    for (const because of ["unlisted", "never", "special", "credential", "malformed"])
      expect(told).toContain(`"because":"${because}"`);
  });

  it("net.hosts: a listed name is reached at a listed address of any kind, not at another, on another port, or where `never` lists it", async () => {
    const curl = (url: string): string => `curl -fsS -m 10 --noproxy '' -o /dev/null -p ${url}`;
    const refused = ["six.test", "stranger.test", "vm.test:443", "loop.test"].map((host) =>
      curl(`http://${host}/`),
    );
    const hosts = ["vm.test", "127.0.0.1:80", "six.test", "loop.test:80"];
    const network = { hosts, never: ["loop.test at 127.0.0.1"] };
    const reply = await inside(trialScript([...refused, curl("http://vm.test/")]), network);
    expect([reply.stdout, strangers]).toEqual([`${"n\n".repeat(refused.length)}y\n`, 0]);
    expect(reply.egress).toMatchObject({
      hosts: [{ host: "vm.test", port: 80 }],
      refused: [
        { host: "six.test", because: "special", address: "::1" },
        { host: "stranger.test", because: "unlisted" },
        { host: "vm.test", port: 443, because: "special" },
        { host: "loop.test", because: "never" },
      ],
    });
    const behindAt = { hosts: ["loop.test:80 at 127.0.0.1"] };
    expect(
      (await inside(trialScript([curl("http://127.0.0.1/"), curl("http://loop.test/")]), behindAt)).stdout,
    ).toBe("n\ny\n");
  });

  it("net.hosts: past the proxy there is nothing: no host, no resolver, no raw socket, nothing of this machine", async () => {
    const past = [
      `timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${portOf(other)}'`,
      "timeout 5 bash -c 'exec 3<>/dev/tcp/93.184.215.14/80'",
      "timeout 5 bash -c 'exec 3<>/dev/tcp/2606:4700::1111/80'",
      "timeout 5 bash -c 'echo x >/dev/udp/93.184.215.14/53'",
      "curl -fsS -m 5 --noproxy '*' -o /dev/null http://a.test/",
      `curl -fsS -m 5 --noproxy '*' -o /dev/null http://127.0.0.1:${portOf(other)}/`,
      "env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY curl -fsS -m 5 -o /dev/null http://a.test/",
      "timeout 10 getent ahosts a.test",
      'perl -e \'socket S,2,3,1 or exit 1; send S,"\\x08\\0\\xf7\\xff\\0\\0\\0\\0",0,pack("S n a4 x8",2,0,"\\x5d\\xb8\\xd7\\x0e") or exit 1\'',
      'perl -e \'socket S,2,2,1 or exit 1; send S,"\\x08\\0\\xf7\\xff\\0\\0\\0\\0",0,pack("S n a4 x8",2,0,"\\x5d\\xb8\\xd7\\x0e") or exit 1\'',
      "perl -e 'socket S,17,3,768 or exit 1'",
      "timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/61081'",
    ];
    const twin = "curl -fsS -o /dev/null http://a.test/";
    const reply = await inside(trialScript([...past, twin]));
    expect([reply.stdout, strangers]).toEqual([`${"n\n".repeat(past.length)}y\n`, 0]);
  });

  it("net.hosts: when the supervisor dies nothing is reached any more, and nothing runs", async () => {
    const child = place.start({
      settings: { shell: { network: NETWORK } },
      job: {
        calls: [
          {
            argv: [
              "sh",
              "-c",
              "while :; do curl -sS -m 5 -o /dev/null http://a.test/alive; sleep 0.02; done",
            ],
          },
        ],
        outside: { names: {}, ports: { "a.test:80": portOf(web) } },
      },
    });
    await expect.poll(() => seen.length).toBeGreaterThan(2);
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
    await pause(200);
    const then = seen.length;
    await pause(500);
    expect(seen.length).toBe(then);
  });

  it("net.loopback: a program's own servers are reached without the proxy, and no other call's", async () => {
    const reply = await inside(
      'perl -MSocket -e \'$|=1; socket S,2,1,0; bind S,sockaddr_in(8000,inet_aton("127.0.0.1")); listen S,9; print "up\\n"; accept C,S; sysread C,$_,99; syswrite C,"HTTP/1.0 200 OK\\r\\n\\r\\nmine"\' >up & while ! [ -s up ]; do sleep 0.1; done; curl -sS -m 9 http://localhost:8000/',
    );
    expect(reply.stdout).toBe("mine");
    expect(reply.egress).toMatchObject({ hosts: [], refused: [] });
  });

  it("net.open: public addresses are reached, and no other by any name or number; what a profile never lets be reached is not", async () => {
    const curl = (url: string): string => `curl -fsS -m 10 --noproxy '' -o /dev/null ${url}`;
    const refused = [
      "loop.test",
      "six.test",
      "127.0.0.1",
      "[::1]",
      "169.254.169.254",
      "10.0.0.1",
      "0",
      "a.test:1",
    ];
    const script = trialScript([
      ...refused.map((host) => curl(`http://${host}/`)),
      curl("http://a.test/"),
      curl("http://c.test/"),
    ]);
    expect((await inside(script, true)).stdout).toBe(`${"n\n".repeat(refused.length)}y\ny\n`);
    const never = { hosts: ["*"], never: ["c.test"] };
    const reply = await inside(trialScript([curl("http://c.test/"), curl("http://a.test/")]), never);
    expect(reply.stdout).toBe("n\ny\n");
    expect(strangers).toBe(0);
  });
});
