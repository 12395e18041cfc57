import { describe, expect, it } from "vitest";
import { EXISTING_FILE } from "../../../src/profile/access-to.ts";
import {
  connectQuestion,
  Example,
  failedExamples,
  printQuestion,
  questionsOf,
} from "../../../src/profile/examples.ts";
import {
  entryKey,
  explain,
  type Layer,
  maskKey,
  type ProfileQuestion,
} from "../../../src/profile/explain.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { readPattern } from "../../../src/profile/pattern.ts";
import { ProfileSections, profileFromSections } from "../../../src/profile/sections.ts";
import { refusal } from "./refusal.ts";

function layer(name: string, sections: unknown): Layer {
  const profile = profileFromSections(ProfileSections.parse(sections), {});
  const keys = [
    ...profile.files.map(({ path }) => entryKey(path)),
    ...profile.masks.map(maskKey),
    "files",
    "network",
    "sockets",
    "env",
  ];
  return {
    name,
    profile,
    sources: new Map(keys.map((key, at) => [key, { file: `${name}.yaml`, line: at + 1, column: 1 }])),
  };
}

const PLACE = { file: "one.yaml", line: 7, column: 3 };

const NEED = layer("need", {
  files: [
    { path: "/w", access: "write" },
    { path: "/docs", access: "read", suffixes: [".md", ".txt"] },
  ],
  network: { hosts: ["*.a.test:443", "b.test private", "127.0.0.1"], never: ["evil.a.test"] },
  sockets: ["/run/a.sock"],
  env: ["LANG", "LC_*"],
});
const USER = layer("user", {
  files: [
    { path: "/", access: "read" },
    { path: "/w", access: "write" },
    { path: "/w/keys", access: "none" },
  ],
  masks: [
    { pattern: ".env", at_most: "none" },
    { pattern: ".git", at_most: "read" },
  ],
});

const read = (path: string): ProfileQuestion => ({
  ask: "read",
  path: knownPath(path),
  facts: EXISTING_FILE,
});
const write = (path: string): ProfileQuestion => ({
  ask: "write",
  path: knownPath(path),
  facts: EXISTING_FILE,
});
const connect = (host: string, address?: string): ProfileQuestion => connectQuestion(host, address);

function told(question: ProfileQuestion): string {
  const { allowed, decidedBy } = explain([NEED, USER], question);
  return `${allowed ? "yes" : "no"}: ${decidedBy.layer}.yaml:${decidedBy.at?.line}: ${decidedBy.because}`;
}

describe("an explanation", () => {
  it("names the entry, suffix list or mask that decides about a path", () => {
    expect(
      [
        write("/w/a"),
        read("/w/keys/a"),
        read("/etc/hosts"),
        read("/docs/a.md"),
        write("/docs/a.md"),
        read("/docs/a.pdf"),
        read("/w/.env"),
        write("/w/.git/config"),
      ].map(told),
    ).toEqual([
      "yes: need.yaml:2: `/w` has access write",
      "no: user.yaml:3: `/w/keys` has access none",
      "no: need.yaml:3: no entry lists it",
      "yes: need.yaml:1: `/docs` has access read",
      "no: need.yaml:1: `/docs` has access read",
      "no: need.yaml:1: `/docs` has access only for .md, .txt files",
      "no: user.yaml:4: the mask `/**/.env` allows nothing",
      "no: user.yaml:5: the mask `/**/.git` allows at most read",
    ]);
  });

  it("names what decides about a host, a socket or a name", () => {
    const questions: readonly ProfileQuestion[] = [
      connect("x.a.test"),
      connect("x.a.test:80"),
      connect("evil.a.test"),
      connect("b.test:80", "10.0.0.1"),
      connect("x.a.test", "10.0.0.1"),
      connect("127.0.0.1"),
      { ask: "socket", path: knownPath("/run/a.sock") },
      { ask: "socket", path: knownPath("/run/b.sock") },
      { ask: "env", name: "LC_ALL" },
      { ask: "env", name: "HOME" },
    ];
    expect(questions.map(told).map((line) => line.replace(/: need.yaml:\d+/, ""))).toEqual([
      "yes: *.a.test:443 is listed",
      "no: the host is not listed",
      "no: `never` lists evil.a.test",
      "yes: b.test private is listed",
      "no: *.a.test:443 is listed, but 10.0.0.1 is a private address",
      "yes: 127.0.0.1 is listed",
      "yes: the socket is listed",
      "no: the socket is not listed",
      "yes: the name is listed",
      "no: the name is not listed",
    ]);
    const groups = (["abi32", "debug"] as const).map(
      (group) => explain([layer("one", { syscalls: ["abi32"] })], { ask: "syscalls", group }).decidedBy,
    );
    expect(groups.map(({ allowed, because }) => [allowed, because])).toEqual([
      [true, "`abi32` is listed"],
      [false, "`debug` is not listed"],
    ]);
    const macos = { ...layer("one", { macos: ["tls"] }), sources: new Map([["macos", PLACE]]) };
    expect(
      (["tls", "watch"] as const).map((group) => explain([macos], { ask: "macos", group }).decidedBy),
    ).toEqual([
      { layer: "one", allowed: true, access: null, because: "`tls` is listed", at: PLACE },
      { layer: "one", allowed: false, access: null, because: "`watch` is not listed", at: PLACE },
    ]);
    const networks = ["none", "open", "host"].map(
      (network) => explain([layer("one", { network })], connect("a.test", "127.0.0.1")).decidedBy.because,
    );
    expect(networks).toEqual([
      "the network is off",
      "only public addresses are open",
      "the machine's own network",
    ]);
    expect(explain([USER], { ask: "socket", path: knownPath("/run/x") }).decidedBy.because).toBe(
      "any socket",
    );
    const abstract = (network: string, sockets: unknown) => {
      const { decidedBy } = explain([layer("one", { network, sockets })], { ask: "abstract", name: "n" });
      return [decidedBy.allowed, decidedBy.because, decidedBy.at?.line];
    };
    const ofNetwork = "abstract sockets need the machine's own network, which is not granted";
    expect([
      abstract("host", []),
      abstract("host", "none"),
      abstract("open", "any"),
      abstract("none", []),
    ]).toEqual([
      [true, "the machine's own network includes its abstract sockets", 3],
      [false, "no unix sockets are allowed", 4],
      [false, ofNetwork, 3],
      [false, ofNetwork, 3],
    ]);
  });

  it("has the answer of every layer", () => {
    expect(explain([NEED, USER], read("/w/.env"))).toEqual({
      allowed: false,
      decidedBy: {
        layer: "user",
        allowed: false,
        access: "none",
        because: "the mask `/**/.env` allows nothing",
        at: { file: "user.yaml", line: 4, column: 1 },
      },
      layers: [
        {
          layer: "need",
          allowed: true,
          access: "write",
          because: "`/w` has access write",
          at: { file: "need.yaml", line: 2, column: 1 },
        },
        {
          layer: "user",
          allowed: false,
          access: "none",
          because: "the mask `/**/.env` allows nothing",
          at: { file: "user.yaml", line: 4, column: 1 },
        },
      ],
    });
    expect(maskKey({ pattern: readPattern("/**/.env") })).toBe("mask /**/.env");
  });
});

describe("an example", () => {
  const examples = [
    { allow: "read", path: "/w/a" },
    { deny: "write", path: "/${name}/a" },
    { allow: "read", path: "/docs/" },
    { deny: "read", path: "/docs/a.pdf" },
    { deny: "connect", host: "x.a.test", address: "10.0.0.1" },
    { allow: "connect", host: "127.0.0.1" },
    { deny: "connect", socket: "/run/x.sock" },
    { deny: "env", name: "HOME" },
  ].map((example) => Example.parse(example));

  it("that is kept says nothing", () => {
    expect(failedExamples(NEED, examples, { name: [knownPath("/etc")] })).toEqual([]);
  });

  it("that is not kept says which, and why", () => {
    const broken = [
      { deny: "read", path: "/w/a" },
      { allow: "write", path: "${name}/a" },
      { allow: "connect", host: "[::1]:80" },
      { allow: "env", name: "HOME" },
      { deny: "syscalls", group: "debug" },
      { deny: "macos", group: "tls" },
    ].map((example) => Example.parse(example));
    expect(failedExamples(NEED, broken, { name: [knownPath("/w"), knownPath("/etc")] })).toEqual([
      {
        index: 0,
        message: "expected: it denies read `/w/a`; actual: it allows it, because `/w` has access write",
      },
      {
        index: 1,
        message: "expected: it allows write `/etc/a`; actual: it denies it, because no entry lists it",
      },
      {
        index: 2,
        message:
          "expected: it allows connect `[::1]:80`; actual: it denies it, because the host is not listed",
      },
      {
        index: 3,
        message: "expected: it allows env `HOME`; actual: it denies it, because the name is not listed",
      },
      {
        index: 4,
        message: "expected: it denies syscalls debug; actual: it allows it, because `debug` is listed",
      },
      { index: 5, message: "expected: it denies macos tls; actual: it allows it, because `tls` is listed" },
    ]);
  });

  it("is about one thing, and of a known shape", () => {
    const refused = [
      { allow: "read" },
      { allow: "read", path: "/a", host: "a" },
      { allow: "read", deny: "read", path: "/a" },
      { allow: "connect", path: "/a" },
      { allow: "env", name: "LC_*" },
      { allow: "execute", path: "/a" },
      { allow: "syscalls", group: "tls" },
      { deny: "macos", group: "debug" },
    ];
    expect(refused.filter((example) => Example.safeParse(example).success)).toEqual([]);
    expect(refusal(() => connect("*.a.test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: \`*.a.test\` is a host rule, not one host
      → write one \`name:port\`"
    `);
    expect(refusal(() => connect("a.test private"))).toMatch(/^HOST_INVALID/);
    expect(refusal(() => connect("a.test", "localhost"))).toMatchInlineSnapshot(`
      "HOST_INVALID: \`localhost\` is not an address, or has an unusual spelling
      → write four decimal numbers, or IPv6 without a zone"
    `);
    expect(refusal(() => questionsOf(Example.parse({ allow: "read", path: "w" }), {}))).toMatch(
      /^PATH_INVALID/,
    );
  });

  it("is printed as a question, with nothing hidden in it", () => {
    const printed = (example: unknown): readonly string[] =>
      questionsOf(Example.parse(example), {}).map(printQuestion);
    expect([
      printed({ allow: "read", path: "/a\u202Eb/" }),
      printed({ deny: "connect", host: "::1" }),
      printed({ deny: "connect", socket: "/run/a" }),
      printed({ allow: "env", name: "A" }),
      printed({ allow: "syscalls", group: "debug" }),
      printed({ deny: "syscalls", group: "debug" }),
      printed({ allow: "macos", group: "tls" }),
      printed({ deny: "macos", group: "tls" }),
    ]).toEqual([
      ["read `/a\\u{202e}b`"],
      ["connect `[::1]:443`"],
      ["connect `/run/a`"],
      ["env `A`"],
      ["syscalls debug"],
      ["syscalls debug"],
      ["macos tls"],
      ["macos tls"],
    ]);
  });
});
