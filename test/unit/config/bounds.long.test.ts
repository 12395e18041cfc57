import { describe, expect, test } from "vitest";
import { trustFile } from "../../../src/config/trust.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const HOSTILE = "home/ann/project/p.yaml";

function offered(text: string) {
  const m = machine({ [CONFIG]: `${PLAIN}  os_profile: [./p.yaml]\n`, [HOSTILE]: `profile: p\n${text}` });
  return refusalOf(() => {
    trustFile(m.host);
    throw new Fine();
  }, m.folder);
}

class Fine extends Error {}

function loads(text: string): void {
  const m = machine({ [CONFIG]: `${PLAIN}  os_profile: [./p.yaml]\n`, [HOSTILE]: `profile: p\n${text}` });
  expect(trustFile(m.host).loaded.ceiling.labels).toEqual(["protected", "./p.yaml"]);
}

const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

describe("what is too long to mean anything is refused where it stands, at once", () => {
  const mask = (pattern: string): string => `masks: [{ pattern: "${pattern}", at_most: none }]\n`;
  const file = (path: string): string => `files: [{ path: "${path}", access: read }]\n`;
  test.each<[claim: string, text: string, at: string, hint: string, twin: string]>([
    [
      "a pattern",
      mask("a".repeat(70_000)),
      "2:20",
      "write a pattern of at most 4095 bytes",
      mask("a".repeat(4000)),
    ],
    [
      "a pattern of bytes",
      mask("é".repeat(2048)),
      "2:20",
      "write a pattern of at most 4095 bytes",
      mask("é".repeat(2047)),
    ],
    [
      "a pattern of variables",
      mask("${home}".repeat(500)),
      "2:20",
      "write a path with `*`, `?`, `[abc]`, `[!abc]`, `**` or `{a,b}`",
      mask("${home}"),
    ],
    [
      "a path",
      file("/a".repeat(200_000)),
      "2:17",
      "write a path of at most 4095 bytes",
      file("/a".repeat(2000)),
    ],
    [
      "a path of variables",
      file(`/${"${home}".repeat(500)}`),
      "2:17",
      "write a shorter path",
      file("${home}/a"),
    ],
    [
      "a variable's name",
      `env: [${"A".repeat(256)}]\n`,
      "2:7",
      "an environment name is `NAME` or `PREFIX*`, at most 255 characters",
      `env: [${"A".repeat(255)}]\n`,
    ],
    [
      "a host",
      `network: { hosts: [${"a.".repeat(200)}example] }\n`,
      "2:20",
      "write a host rule of at most 304 bytes",
      `network: { hosts: [${"a.".repeat(120)}example] }\n`,
    ],
    [
      "an example",
      `expect: [{ allow: read, path: "/${"a/".repeat(3000)}" }]\n`,
      "2:31",
      "write a path of at most 4095 bytes",
      'expect: [{ allow: read, path: "/a/" }]\n',
    ],
    [
      "a list",
      `env: [${times(20_001, (at) => `A${at},`)}]\n`,
      "2:6",
      "write at most 20000 entries",
      `env: [${times(20_000, (at) => `A${at},`)}]\n`,
    ],
    [
      "alternatives",
      `masks:\n${times(320, (at) => `  - { pattern: "{a,b,c,d}{a,b,c,d}{a,b,c,d}${at}", at_most: none }\n`)}`,
      "315:16",
      "write fewer alternatives in `{a,b}`",
      mask("{a,b,c,d}{a,b,c,d}{a,b,c,d}"),
    ],
  ])("%s", (_claim, text, at, hint, twin) => {
    const outcome = offered(text);
    expect([outcome.at, outcome.hint]).toEqual([`~/${HOSTILE}:${at}`, hint]);
    loads(twin);
  });
});

describe("as much as a file can hold is read in time", () => {
  test.each<[claim: string, text: string]>([
    ["names of variables", `env: [${times(4000, (at) => `${"A".repeat(245)}${at},`)}]\n`],
    [
      "long patterns",
      `masks:\n${times(240, (at) => `  - { pattern: "${"*/a/".repeat(1000)}${at}", at_most: none }\n`)}`,
    ],
    [
      "deep paths",
      `files:\n${times(240, (at) => `  - { path: "${"/a".repeat(2000)}${at}", access: read }\n`)}`,
    ],
    ["masks", `masks:\n${times(12_000, (at) => `  - { pattern: "**/masked-${at}", at_most: none }\n`)}`],
    ["files", `files:\n${times(12_000, (at) => `  - { path: "/srv/listed-${at}", access: read }\n`)}`],
    [
      "masks and examples",
      `masks:\n${times(9000, (at) => `  - { pattern: "**/m*-${at}", at_most: none }\n`)}expect:\n${times(256, (at) => `  - { deny: read, path: "/w/masked-${at}" }\n`)}`,
    ],
    ["sockets", `sockets:\n${times(18_000, (at) => `  - /run/socket-${at}\n`)}`],
    ["hosts", `network:\n  hosts:\n${times(1000, (at) => `    - ${"a.".repeat(100)}example:${at + 1}\n`)}`],
  ])("%s", (_claim, text) => {
    loads(text);
  });

  test.each<[claim: string, text: string]>([
    ["wrong entries", `env: [${"1,".repeat(400_000)}]\n`],
    ["unknown keys", times(60_000, (at) => `key${at}: 1\n`)],
    ["wrong masks", `masks: [${"{},".repeat(60_000)}]\n`],
  ])("and refused in time: %s", (_claim, text) => {
    const outcome = offered(text);
    expect(outcome.code).toBe("PROFILE_INVALID");
  });
});

describe("profiles that extend one another", () => {
  const chain = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        at === 0 ? HOSTILE : `home/ann/project/p${at}.yaml`,
        `profile: p${at}\n${at === count - 1 ? "" : `extends: [p${at + 1}.yaml]\n`}`,
      ]),
    );
  const project = (files: Record<string, string>) =>
    machine({ [CONFIG]: `${PLAIN}  os_profile: [./p.yaml]\n`, ...files });

  test("end somewhere", () => {
    const m = project(chain(40));
    expect(refusalOf(() => trustFile(m.host), m.folder)).toEqual({
      exit: 65,
      code: "PROFILE_INVALID",
      message: "profiles extend one another more than 32 times",
      hint: "merge them into fewer files",
      at: "~/home/ann/project/p31.yaml:2:11",
    });
    expect(trustFile(project(chain(32)).host).loaded.ceiling.layers).toHaveLength(33);
  });

  test("are not too many together", () => {
    const wide = (count: number): Record<string, string> => ({
      [HOSTILE]: `profile: p\nextends: [${times(5, (at) => `w${at}.yaml,`)}]\n`,
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, at) => [
          `home/ann/project/w${at}.yaml`,
          `profile: w${at}\nextends: [${times(count, (leaf) => `w${at}-${leaf}.yaml,`)}]\n`,
        ]),
      ),
      ...Object.fromEntries(
        Array.from({ length: 5 * count }, (_, at) => [
          `home/ann/project/w${at % 5}-${Math.floor(at / 5)}.yaml`,
          "profile: leaf\n",
        ]),
      ),
    });
    expect(refusalOf(() => trustFile(project(wide(60)).host)).message).toBe(
      "there are more than 256 profiles",
    );
    expect(trustFile(project(wide(40)).host).loaded.ceiling.layers).toHaveLength(207);
  });
});
