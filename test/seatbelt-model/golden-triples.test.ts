import { describe, expect, test } from "vitest";
import { compile } from "./compile.ts";
import { decide } from "./decide.ts";
import type { Query, Reading } from "./query.ts";
import { LIKELY } from "./readings.ts";

type Answer = "allow" | "deny";

/** One text and one question, with what is said when the most specific operation counts and when the last rule does. */
interface Triple {
  readonly claim: string;
  readonly rules: string;
  readonly query: Query;
  readonly specific: Answer;
  readonly last: Answer;
}

const both = (claim: string, rules: string, query: Query, answer: Answer): Triple => ({
  claim,
  rules,
  query,
  specific: answer,
  last: answer,
});
const apart = (claim: string, rules: string, query: Query, specific: Answer, last: Answer): Triple => ({
  claim,
  rules,
  query,
  specific,
  last,
});

const on =
  (operation: string) =>
  (path: string, more: Partial<Query> = {}): Query => ({ operation, path, ...more });
const readData = on("file-read-data");
const readMetadata = on("file-read-metadata");
const writeData = on("file-write-data");
const create = on("file-write-create");
const unlink = on("file-write-unlink");
const connectPath = on("network-outbound");
const connect = (host: string, port: number): Query => ({
  operation: "network-outbound",
  socket: { domain: "AF_INET", type: "SOCK_STREAM", transport: "tcp", remote: { host, port } },
});

const HOME_BREW = '(allow file-write* (subpath "/cellar")) (deny file-write*) (allow default)';
const LOOPBACK_PORT =
  '(allow network-outbound) (deny network-outbound (remote ip "localhost:*")) (allow network-outbound (remote ip "localhost:8080"))';
const BAZEL = '(allow default) (deny file-write*) (allow file-write* (subpath "/tmp"))';
const RUN = '(allow file-read-metadata (subpath "/private/var/run"))';
const CACHED =
  '(allow file-read*) (deny file-read* (subpath "/h")) (allow file-read-metadata (subpath "/h"))';
const HOSTS = '(allow file-read* (literal "/private/etc/hosts"))';
const ONE_PORT = '(allow network-outbound (remote ip "localhost:8080"))';
const DOCKER = "/private/var/run/docker.sock";
const CODEX =
  '(allow file-write* (require-all (subpath "/w") (require-not (literal "/w/.codex")) (require-not (subpath "/w/.codex"))))';
const CONFIG_ENV = '(allow file-read*) (deny file-read* (regex "^/tmp/repo/(.*/)?[^/]*[.]env$"))';
const BEFORE_FIX =
  '(deny file-read* file-write-unlink file-write-create (subpath "/p/s")) (allow file-write-unlink file-write-create (subpath "/p")) (allow file-write* (subpath "/p"))';
const WRITES = "file-write* file-write-unlink file-write-create";
const NORMAL_FORM = `(allow ${WRITES} (require-all (subpath "/p") (require-not (subpath "/p/s")))) (deny ${WRITES} (subpath "/p/s"))`;

/** Seen on a Mac, or written in a profile that is in use. */
const OBSERVED: readonly Triple[] = [
  apart(
    "E1: a deny of all reading does not take back an allowed reading of data",
    '(allow file-read-data (subpath "/")) (deny file-read* (literal "/p/.env"))',
    readData("/p/.env"),
    "allow",
    "deny",
  ),
  both(
    "E2: a deny of reading data does",
    '(allow file-read-data (subpath "/")) (deny file-read-data (literal "/p/.env"))',
    readData("/p/.env"),
    "deny",
  ),
  apart(
    "E3: an allow of all reading does not take back a denied reading of data",
    '(deny file-read-data (subpath "/K")) (allow file-read* (literal "/K/db"))',
    readData("/K/db"),
    "deny",
    "allow",
  ),
  both(
    "E4: of an allow and a later deny the deny counts",
    '(allow network-outbound (subpath "/s")) (deny network-outbound (subpath "/s"))',
    connectPath("/s/x"),
    "deny",
  ),
  both(
    "E5: of a deny and a later allow the allow counts",
    '(deny network-outbound (subpath "/s")) (allow network-outbound (subpath "/s"))',
    connectPath("/s/x"),
    "allow",
  ),
  both(
    "E6: a later allow deeper in the tree counts",
    '(deny network-outbound (subpath "/s")) (allow network-outbound (subpath "/s/d"))',
    connectPath("/s/d/x"),
    "allow",
  ),
  apart(
    "E7: a deny with a path survives a later allow without",
    '(deny network-outbound (subpath "/ro")) (allow network-outbound)',
    connectPath("/ro/x"),
    "deny",
    "allow",
  ),
  both("E8: another port of this machine is denied", LOOPBACK_PORT, connect("127.0.0.1", 3000), "deny"),
  both("E8: the one port of this machine is allowed", LOOPBACK_PORT, connect("127.0.0.1", 8080), "allow"),
  apart(
    "E9: an allow with a path counts before a later deny without",
    HOME_BREW,
    writeData("/cellar/x"),
    "allow",
    "deny",
  ),
  both(
    "E9: the deny counts elsewhere, whatever the default says after it",
    HOME_BREW,
    writeData("/Users/x"),
    "deny",
  ),
  both("E9: what no rule speaks of has the default", HOME_BREW, readData("/Users/x"), "allow"),
  apart(
    "E10: an allow of unlinking folders survives a later deny of all writing",
    '(allow file-write-create file-write-unlink (require-all (subpath "/a") (vnode-type DIRECTORY))) (deny file-write* (subpath "/a/bin"))',
    unlink("/a/bin", { vnode: "DIRECTORY" }),
    "allow",
    "deny",
  ),
  apart(
    "E11: a deny of unlinking survives a later allow of all writing",
    '(deny file-write-unlink) (allow file-write* (subpath "/w"))',
    unlink("/w/f"),
    "deny",
    "allow",
  ),
  both(
    "E12: a later allow of everything opens what was denied",
    '(deny file-write* (subpath "/X")) (allow file-write* (subpath "/"))',
    writeData("/X/f"),
    "allow",
  ),
  both("E13: of the rules that hold the last counts, an allow", BAZEL, create("/tmp/f"), "allow"),
  both("E13: of the rules that hold the last counts, a deny", BAZEL, create("/x"), "deny"),
  both(
    "E14: what cannot be read can still be moved away",
    '(allow file-read*) (deny file-read* (subpath "/h/.aws")) (allow file-write*)',
    unlink("/h/.aws/credentials"),
    "allow",
  ),
  apart(
    "E15: a deny of all reading leaves an allowed reading of metadata",
    `${RUN} (deny file-read* (regex "^/private/var/run/L$"))`,
    readMetadata("/private/var/run/L"),
    "allow",
    "deny",
  ),
  both(
    "E15: a deny that names the metadata does not",
    `${RUN} (deny file-read* file-read-metadata (regex "^/private/var/run/L$"))`,
    readMetadata("/private/var/run/L"),
    "deny",
  ),
  both(
    "E16: an allow put after the others opens what they keep closed",
    '(allow file-write* (subpath "/w")) (allow file-read* file-write* (subpath "/private/tmp"))',
    create("/private/tmp/x"),
    "allow",
  ),
  both("E18: metadata below a denied folder can be allowed", CACHED, readMetadata("/h/x"), "allow"),
  both("E18: data below it stays denied", CACHED, readData("/h/x"), "deny"),
  apart(
    "E20: a deny of setuid survives a later allow of everything with files",
    '(deny file-write-setugid) (allow file* (subpath "/t"))',
    on("file-write-setugid")("/t/x"),
    "deny",
    "allow",
  ),
];

/** What follows from them, and traps. */
const DERIVED: readonly Triple[] = [
  both(
    "G13: a subpath ends where a name ends",
    '(allow file-write* (subpath "/private/tmp/g-abc"))',
    create("/private/tmp/g-abcdef/evil"),
    "deny",
  ),
  both(
    "G13: a regex without an end does not",
    '(allow file-write* (regex "^/private/tmp/g-abc"))',
    create("/private/tmp/g-abcdef/evil"),
    "allow",
  ),
  both(
    "G14: an allow by the name of a link is dead",
    '(allow file-read* (literal "/tmp/x"))',
    readData("/private/tmp/x"),
    "deny",
  ),
  both(
    "G14: an allow by the true name is not",
    '(allow file-read* (literal "/private/tmp/x"))',
    readData("/private/tmp/x"),
    "allow",
  ),
  both("G15: an allowed file says nothing of the link on the way to it", HOSTS, readMetadata("/etc"), "deny"),
  both(
    "G15: the link has a rule of its own",
    `${HOSTS} (allow file-read-metadata (literal "/etc"))`,
    readMetadata("/etc"),
    "allow",
  ),
  both(
    "G17: a filter on the local end lets every connection out",
    '(allow network-outbound (local ip "*:*"))',
    connect("93.184.0.1", 80),
    "allow",
  ),
  both(
    "G17: a filter on the local end lets every connection out, be it for localhost",
    '(allow network-outbound (local ip "localhost:*"))',
    connect("93.184.0.1", 80),
    "allow",
  ),
  both(
    "G17: a filter on the remote end does not",
    '(allow network-outbound (remote ip "localhost:*"))',
    connect("93.184.0.1", 80),
    "deny",
  ),
  both("G18: the port of a rule is allowed", ONE_PORT, connect("localhost", 8080), "allow"),
  both("G18: another port is not", ONE_PORT, connect("localhost", 3000), "deny"),
  both("G18: another host is not", ONE_PORT, connect("93.184.0.1", 443), "deny"),
  both(
    "G19: a deny of a socket's file does not stop a connection",
    `(allow network-outbound) (deny file-read* file-write* (literal "${DOCKER}"))`,
    connectPath(DOCKER),
    "allow",
  ),
  apart(
    "G19: a deny of connecting to its path does, as long as no rule without a filter counts more",
    `(deny network-outbound (path "${DOCKER}")) (allow network-outbound)`,
    connectPath(DOCKER),
    "deny",
    "allow",
  ),
  both(
    "G19: a deny of connecting to its path does",
    `(allow network-outbound) (deny network-outbound (path "${DOCKER}"))`,
    connectPath(DOCKER),
    "deny",
  ),
  both(
    "G20: of two filters in one rule each is enough",
    '(allow file-read-metadata (literal "/System/Volumes") (vnode-type DIRECTORY))',
    readMetadata("/Users/x/.ssh", { vnode: "DIRECTORY" }),
    "allow",
  ),
  both("G21: what a rule leaves out is denied", CODEX, create("/w/.codex"), "deny"),
  both("G21: what only begins like it is allowed", CODEX, create("/w/.codexx"), "allow"),
  both(
    "G22: signals within the sandbox are none to others",
    "(allow signal (target same-sandbox))",
    { operation: "signal", target: "others" },
    "deny",
  ),
  both(
    "G23: a regex of a glob holds for its files",
    CONFIG_ENV,
    readData("/tmp/repo/app/config.env"),
    "deny",
  ),
  both("G23: and for no others", CONFIG_ENV, readData("/tmp/repo/app/config.toml"), "allow"),
  both(
    "G25: the literal `/` is one folder",
    '(allow file-read* (literal "/"))',
    readData("/Users/x"),
    "deny",
  ),
  both(
    "G25: the subpath `/` is everything",
    '(allow file-read* (subpath "/"))',
    readData("/Users/x"),
    "allow",
  ),
  both(
    "G27: an allow of unlinking opens what a former deny keeps in place",
    BEFORE_FIX,
    unlink("/p/s"),
    "allow",
  ),
  both(
    "G27: a deny after it closes it",
    `${BEFORE_FIX} (deny file-write-unlink (subpath "/p/s"))`,
    unlink("/p/s"),
    "deny",
  ),
  both("G28: the normal form denies what it leaves out", NORMAL_FORM, unlink("/p/s"), "deny"),
  both("G28: the normal form allows what it does not", NORMAL_FORM, unlink("/p/t"), "allow"),
];

function answer(rules: string, query: Query, change: Partial<Reading>): Answer {
  const reading = { ...LIKELY, ...change };
  const text = rules === HOME_BREW ? `(version 1) ${rules}` : `(version 1) (deny default) ${rules}`;
  const profile = compile(text, reading);
  if (profile.kind !== "profile") throw new Error(JSON.stringify(profile));
  return decide(profile, query, reading).allowed ? "allow" : "deny";
}

describe.each([
  ["what was seen or is in use", OBSERVED],
  ["what follows from it", DERIVED],
])("%s", (_what, triples) => {
  test.each(triples)("$claim", ({ rules, query, specific, last }) => {
    expect({
      specific: answer(rules, query, { precedence: "specific" }),
      last: answer(rules, query, { precedence: "last" }),
    }).toEqual({ specific, last });
  });
});

test("G24: a parameter that is missing is an error", () => {
  const text = '(version 1)\n(deny default)\n(allow file-read* (subpath (param "X")))';
  expect(compile(text, LIKELY)).toEqual({
    kind: "error",
    line: 3,
    message: "the parameter `X` is missing: expected pattern, got boolean",
  });
  expect(compile(text, LIKELY, { params: new Map([["X", "/x"]]) }).kind).toBe("profile");
});

test('G26: two backslashes in `#"…"` are a dead deny if the string is raw', () => {
  const rules = String.raw`(allow file-read* (subpath "/w")) (deny file-read* (regex #"^/w/(.*/)?\\.env$"))`;
  const query = readData("/w/.env");
  for (const precedence of ["specific", "last"] as const) {
    expect(answer(rules, query, { precedence, sharpStrings: "raw" })).toBe("allow");
    expect(answer(rules, query, { precedence, sharpStrings: "cooked" })).toBe("deny");
  }
});

test("G28: the normal form means the same whichever rule counts", () => {
  for (const precedence of ["specific", "last", "first"] as const) {
    expect([precedence, answer(NORMAL_FORM, unlink("/p/s"), { precedence })]).toEqual([precedence, "deny"]);
    expect([precedence, answer(NORMAL_FORM, unlink("/p/t"), { precedence })]).toEqual([precedence, "allow"]);
  }
});
