import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CallExplanation, explainCall } from "../../src/decide/explain.ts";
import { trialScript } from "../../src/host/launch/trial-script.ts";
import { knownPath } from "../../src/profile/path.ts";
import { createDraft } from "../../src/session/draft.ts";
import { itUnless, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";

sandboxMustWork("the network");

/** Lines of shell, each of which reaches something when it ends with status 0. Numbers are those of `<linux/socket.h>`. */
const reaches = {
  tcp: (host: string, port: number) => `timeout 5 bash -c 'exec 3<>/dev/tcp/${host}/${port}'`,
  udp: (host: string, port: number) => `timeout 5 bash -c 'echo x > /dev/udp/${host}/${port}'`,
  unix: ({ path }: Listener) =>
    `perl -e 'socket(S, 1, 1, 0) && connect(S, pack("S a*", 1, "${path.replace("\0", "\\x00")}")) or exit 1'`,
  vsock: () => `perl -e 'socket(S, 40, 1, 0) or exit 1'`,
  name: (name: string) => `timeout 10 getent ahosts ${name}`,
};

const HAS_IPV6 = (networkInterfaces()["lo"] ?? []).some(({ address }) => address === "::1");

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  /** The standard output of one line of shell inside. */
  async function inside(line: string, network: false | "host"): Promise<string> {
    const replies = await place.runServed({
      settings: { shell: { network } },
      job: { calls: [{ argv: ["sh", "-c", line] }] },
    });
    const reply = replies[1];
    return reply?.kind === "ran" ? reply.stdout : JSON.stringify(replies);
  }

  describe("the network off", () => {
    it("net.none: nothing of the host is reached: loopback of both families, an abstract socket, a socket outside", async () => {
      await using four = await listen({ host: "127.0.0.1" });
      await using six = await listen({ host: HAS_IPV6 ? "::1" : "127.0.0.1" });
      await using abstract = await listen({ path: `\0${randomBytes(8).toString("hex")}` });
      await using named = await listen({ path: join(place.outside, "socket") });
      const lines = [
        reaches.tcp("127.0.0.1", four.port),
        reaches.tcp(HAS_IPV6 ? "::1" : "127.0.0.1", six.port),
        reaches.unix(abstract),
        reaches.unix(named),
      ];
      expect(await inside(trialScript(lines), false)).toBe("n\n".repeat(4));
      expect([four, six, abstract, named].map((one) => one.connections)).toEqual([0, 0, 0, 0]);
      expect(place.plainly(trialScript(lines)).stdout).toBe("y\n".repeat(4));
      await vi.waitUntil(() => abstract.connections + named.connections === 2, 20_000);
      expect([four, six, abstract, named].map((one) => one.connections)).toEqual([1, 1, 1, 1]);
    });

    it("net.none: there is no way out: no interface but loopback, no route, no vsock, no resolver", async () => {
      // Addresses for documentation (RFC 5737, RFC 3849): without this protection, no machine would receive anything either.
      const lines = [
        reaches.tcp("192.0.2.1", 80),
        reaches.udp("192.0.2.1", 53),
        reaches.udp("2001:db8::1", 53),
        reaches.vsock(),
        reaches.name("example.com"),
      ];
      expect(await inside(trialScript(lines), false)).toBe("n\n".repeat(5));
      expect(
        await inside(
          "ls /sys/class/net 2>/dev/null; sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '; sed 1d /proc/net/route",
          false,
        ),
      ).toBe("lo\n");
      expect(await inside(trialScript([reaches.name("localhost"), reaches.name("cofferdam")]), false)).toBe(
        "y\ny\n",
      );
      const plain = place
        .plainly("sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' '")
        .stdout.trim()
        .split("\n");
      expect(plain).toEqual(expect.arrayContaining(Object.keys(networkInterfaces())));
    });

    it("net.loopback: a server and a client inside talk over their own loopback, by name too", async () => {
      const talk = (host: string, family: number, address: string): string =>
        `perl -MSocket -e 'socket(L, ${family}, 1, 0); bind(L, ${address}) or die; listen(L, 1) or die; my $f = ${family};
          my $port = $f == 2 ? (sockaddr_in(getsockname L))[0] : (Socket::sockaddr_in6(getsockname L))[0];
          if (!fork) { exec "bash", "-c", "exec 3<>/dev/tcp/${host}/$port; echo hello >&3" }
          accept(C, L); print scalar <C>; wait'`;
      const lines = [
        talk("127.0.0.1", 2, "sockaddr_in(0, INADDR_LOOPBACK)"),
        talk("localhost", 2, "sockaddr_in(0, INADDR_ANY)"),
        talk("::1", 10, "Socket::sockaddr_in6(0, Socket::IN6ADDR_LOOPBACK)"),
      ];
      expect(await inside(lines.join("\n"), false)).toBe("hello\n".repeat(3));
    });

    it("net.none: two calls of one supervisor do not share a loopback", async () => {
      const listens = `perl -MSocket -e 'socket(L, 2, 1, 0); setsockopt(L, 1, 2, 1); bind(L, sockaddr_in(7001, INADDR_LOOPBACK)) or die; listen(L, 1); open F, ">", "${place.ws}/up"; close F; for (1 .. 200) { exit if -e "${place.ws}/done"; select undef, undef, undef, 0.05 }'`;
      const connects = `while [ ! -e ${place.ws}/up ]; do sleep 0.05; done; ${reaches.tcp("127.0.0.1", 7001)} && echo y || echo n; : > ${place.ws}/done`;
      const calls = [listens, connects].map((line) => ({ argv: ["sh", "-c", line], afterMs: 0 }));
      const [, ...replies] = await place.runServed({ job: { calls } });
      expect(
        replies.map((reply) => reply.kind === "ran" && `${reply.code} ${reply.stdout}`).toSorted(),
      ).toEqual(["0 ", "0 n\n"]);
    });
  });

  describe("an operator's `sockets`", () => {
    /** Under an operator profile that says only that, with the machine's own network. */
    async function under(sockets: string, line: string): Promise<unknown> {
      const profile = place.file("sockets.yaml", `profile: sockets\n${sockets}`);
      const [, reply] = await place.runServed({
        settings: { shell: { network: "host" } },
        job: { profiles: [profile], calls: [{ argv: ["sh", "-c", line] }] },
      });
      return reply?.kind === "ran" ? [reply.stdout, reply.standings["sockets"]] : reply;
    }

    it("sock: `none` refuses unix sockets altogether, but for pairs that reach nobody else; the receipt says enforced", async () => {
      await using granted = await listen({ path: join(place.ws, "socket") });
      await using abstract = await listen({ path: `\0${randomBytes(8).toString("hex")}` });
      const perl = (text: string): string => `perl -MSocket -e '${text} or exit 1'`;
      const datagram = `sockaddr_un("${place.ws}/datagrams")`;
      const lines = [
        reaches.unix(granted),
        reaches.unix(abstract),
        perl(`socket(S, 1, 1, 0) && bind(S, sockaddr_un("${place.ws}/own")) && listen(S, 1)`),
        perl(`unlink "${place.ws}/datagrams"; socket(L, 1, 2, 0) && bind(L, ${datagram}) && socketpair(A, B, 1, 2, 0)
          && defined send(A, "x", 0, ${datagram})`),
        perl(`socketpair(A, B, 1, 1, 0) && defined syswrite(A, "x") && sysread(B, my $x, 1)`),
        perl(`socket(S, 2, 1, 0)`),
      ];
      expect(await under("sockets: none\n", trialScript(lines))).toEqual(["n\nn\nn\nn\ny\ny\n", "enforced"]);
      expect([granted.connections, abstract.connections]).toEqual([0, 0]);
      expect(await under("sockets: []\n", trialScript(lines))).toEqual(["y\n".repeat(6), "partial"]);
      expect([granted.connections, abstract.connections]).toEqual([1, 1]);
    });
  });

  describe("the machine's own network, as configured", () => {
    itUnless(
      CALLER.uid === 0 ? null : "only root can be a resolver at port 53",
      "`network: host` looks names up as the machine does: by its resolver and its hosts; the network off knows neither",
      async () => {
        await using resolver = await answering({ "files.corp.test": "127.0.0.9" });
        const nameFiles = {
          hosts: "127.0.0.1 localhost\n127.0.0.7 vm vm.test # ours",
          resolver: `# ours\nsearch corp.test\nnameserver ${resolver.address}\noptions timeout:2 attempts:1\n`,
        };
        const asked = ["files.corp.test", "files", "vm.test", "localhost", "cofferdam", "no.corp.test"];
        const line = asked
          .map((name) => `timeout 10 getent ahostsv4 ${name} | sed -n '1s/ .*//p' | grep . || echo none`)
          .join("\n");
        const at = async (network: false | "host") => {
          const calls = [{ argv: ["sh", "-c", line] }];
          const [, reply] = await place.runServed({
            settings: { shell: { network } },
            job: { calls, nameFiles },
          });
          return reply?.kind === "ran" ? reply.stdout.trim().split("\n") : null;
        };
        expect(await at("host")).toEqual([
          ...["127.0.0.9", "127.0.0.9", "127.0.0.7"],
          ...["127.0.0.1", "127.0.1.1", "none"],
        ]);
        const heard = resolver.questions;
        expect(heard).toBeGreaterThan(0);
        expect((await at(false))?.slice(0, 3)).toEqual(["none", "none", "none"]);
        expect(resolver.questions).toBe(heard);
      },
    );

    it("net.none: `network: host` reaches the host's loopback and abstract sockets, and the receipt says so", async () => {
      await using four = await listen({ host: "127.0.0.1" });
      await using abstract = await listen({ path: `\0${randomBytes(8).toString("hex")}` });
      const lines = [reaches.tcp("127.0.0.1", four.port), reaches.unix(abstract), reaches.vsock()];
      const settings = { shell: { network: "host" } };
      const [, reply] = await place.runServed({
        settings,
        job: { calls: [{ argv: ["sh", "-c", trialScript(lines)] }] },
      });
      expect(reply).toMatchObject({
        kind: "ran",
        stdout: "y\ny\nn\n",
        standings: { network: "absent", sockets: "partial" },
      });
      expect([four.connections, abstract.connections]).toEqual([1, 1]);
    });

    it("sock: a socket in a folder that nobody granted is not reached there either", async () => {
      await using named = await listen({ path: join(place.outside, "socket") });
      await using granted = await listen({ path: join(place.ws, "socket") });
      expect(await inside(trialScript([reaches.unix(named), reaches.unix(granted)]), "host")).toBe("n\ny\n");
      expect([named.connections, granted.connections]).toEqual([0, 1]);
    });

    it("sock: in a root with a suffix list a socket is not shown, whatever its name ends in; in a root in there it is", async () => {
      const [listed, plain] = [join(place.folder("sfx"), "s.md"), join(place.folder("sfx/inner"), "s.md")];
      place.file("sfx/note.md", "note\n");
      await using hidden = await listen({ path: listed });
      await using granted = await listen({ path: plain });
      const settings = { sandbox: { paths: withSuffixes(place) } };
      const lines = [reaches.unix(hidden), reaches.unix(granted), `grep -q note ${place.top}/sfx/note.md`];
      const job = { calls: [{ argv: ["sh", "-c", trialScript(lines)] }] };
      expect((await place.runServed({ settings, job }))[1]).toMatchObject({
        kind: "ran",
        stdout: "n\ny\ny\n",
      });
      expect([hidden.connections, granted.connections]).toEqual([0, 1]);
    });
  });
});

/** Roots: `ws`, `sfx` for files that end in `.md` alone, and `sfx/inner`. */
function withSuffixes({ ws, top }: Place) {
  const root = { mode: "rw", write_approval: false };
  const sfx = { root: join(top, "sfx"), ...root, suffixes: [".md"] };
  return { ws: { root: ws, ...root }, sfx, inner: { root: join(top, "sfx/inner"), ...root } };
}

describe.skipIf(unusable !== null)("what `explain` says of a socket that nobody listed", () => {
  it("sock: the same as the kernel, as above: yes in a granted folder, no outside of it and with `none`", async () => {
    using place = new Place(CALLER);
    const looserFor = async (sockets: string, path: string) => {
      const { onYes, looser, tighter } = await explained(place, `sockets: ${sockets}`, {
        ask: "socket",
        path,
      });
      expect([onYes.allowed, tighter]).toEqual([false, []]);
      return looser.onYes;
    };
    const [granted, outside] = [join(place.ws, "socket"), join(place.outside, "socket")];
    expect(await looserFor("[]", granted)).toMatch(/can be connected to, listed or not/);
    expect(await looserFor("[]", outside)).toBeNull();
    expect(await looserFor("none", granted)).toBeNull();
  });

  it("sock: the same as the kernel, as above: no in a root with a suffix list, and why", async () => {
    using place = new Place(CALLER);
    const [sfx, inner] = [place.folder("sfx"), place.folder("sfx/inner")];
    const settings = { sandbox: { paths: withSuffixes(place) } };
    const socket = { ask: "socket", path: join(sfx, "s.md") } as const;
    const { onYes, looser, tighter } = await explained(place, "sockets: []", socket, settings);
    expect([onYes.allowed, looser]).toEqual([false, { unasked: null, onYes: null }]);
    expect(tighter).toEqual([
      `${sfx} has access only for .md files: none of its files are shown, and nothing can be created there`,
    ]);
    const within = { ask: "socket", path: join(inner, "s.md") } as const;
    expect(await explained(place, "sockets: []", within, settings)).toMatchObject({
      looser: { onYes: expect.stringMatching("can be connected to") },
      tighter: [],
    });
  });

  it("sock: the same as the kernel, as above: an abstract one by the machine's own network, but for `none`", async () => {
    using place = new Place(CALLER);
    const isLet = async (profile: string, network: false | "host") => {
      const question = { ask: "abstract", name: "n" } as const;
      const { onYes, looser } = await explained(place, profile, question, { shell: { network } });
      expect(looser.onYes).toBeNull();
      return onYes.allowed;
    };
    expect(await isLet("sockets: []", "host")).toBe(true);
    expect(await isLet("sockets: []", false)).toBe(false);
    expect(await isLet("sockets: none", "host")).toBe(false);
  });
});

type SocketQuestion =
  | { readonly ask: "socket"; readonly path: string }
  | { readonly ask: "abstract"; readonly name: string };

/** What `explain` says under an operator profile. */
async function explained(
  place: Place,
  profile: string,
  question: SocketQuestion,
  settings: Settings = {},
): Promise<CallExplanation> {
  const profiles = [place.file("sockets.yaml", `profile: sockets\n${profile}\n`)];
  const [config, host] = [place.config(settings), place.host()];
  const draft = createDraft({ config, host, profiles, cwd: knownPath(place.ws) });
  const prepared = await draft.prepare({ argv: ["true"] });
  return explainCall(
    prepared,
    question.ask === "socket" ? { ...question, path: knownPath(question.path) } : question,
  );
}

/** A server of the host that counts who connects. */
interface Listener extends AsyncDisposable {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
}

async function listen(at: { readonly host?: string; readonly path?: string }): Promise<Listener> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).end();
  });
  const isNamed = at.path !== undefined && !at.path.startsWith("\0");
  server.listen({
    ...(at.path === undefined ? { port: 0 } : {}),
    ...at,
    readableAll: isNamed,
    writableAll: isNamed,
  });
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    path: at.path ?? "",
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** A resolver on loopback that knows the IPv4 addresses of these names, and that no other name has one. */
async function answering(names: Readonly<Record<string, string>>) {
  const socket = createSocket("udp4");
  const address = "127.0.53.53";
  let questions = 0;
  socket.on("message", (asked, from) => {
    questions += 1;
    const labels: string[] = [];
    let at = 12;
    for (let length = asked[at] ?? 0; length > 0; length = asked[at] ?? 0) {
      labels.push(asked.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const found = names[labels.join(".")];
    const isAddress = asked.readUInt16BE(at + 1) === 1;
    const numbers = found !== undefined && isAddress ? found.split(".").map(Number) : null;
    const head = Buffer.from(asked.subarray(0, at + 5));
    // An answer that exists, or a name that there is not (RFC 1035, section 4.1.1); nothing behind the question.
    head.writeUInt16BE(found === undefined ? 0x81_83 : 0x81_80, 2);
    for (const [count, field] of [
      [numbers === null ? 0 : 1, 6],
      [0, 8],
      [0, 10],
    ] as const)
      head.writeUInt16BE(count, field);
    const answer = numbers === null ? [] : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...numbers];
    socket.send(Buffer.concat([head, Buffer.from(answer)]), from.port, from.address);
  });
  socket.bind(53, address);
  await once(socket, "listening");
  return {
    address,
    get questions() {
      return questions;
    },
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}
