import { describe, expect, test } from "vitest";
import { type Finding, lint } from "./lint.ts";
import { MAX_SAFE_RULES } from "./lint-profiles.ts";
import { MAX_SAFE_STRING_BYTES, MAX_TEXT_BYTES } from "./lint-text.ts";

const HEAD = `(version 1)
(deny default)
(when (defined? 'process-info*) (deny process-info*))
(when (defined? 'nvram*) (deny nvram*))
(when (defined? 'iokit-get-properties) (deny iokit-get-properties))
(when (defined? 'file-map-executable) (deny file-map-executable))
`;

const linting = (rules: string): readonly Finding[] => lint(`${HEAD}${rules}`);
const paths = (count: number, length = 8) =>
  Array.from({ length: count }, (_, index) => `"/${String(index).padStart(length, "a")}"`).join(" ");

test("a profile with nothing in it that could mislead has no findings", () => {
  expect(
    linting(
      `(allow process-exec process-exec*)
(allow process-fork)
(allow file-read* file-read-data (require-all (subpath "/w") (require-not (subpath "/w/.git") (literal "/tmp"))))
`.replace(' (literal "/tmp")', ""),
    ),
  ).toEqual([]);
});

/** The lint, a rule that it finds, what it says, and the same rule without the mistake. */
const bad: readonly (readonly [string, string, string, string])[] = [
  [
    "local-on-outbound",
    '(allow network-outbound (local ip "localhost:*"))',
    "local",
    '(allow network-outbound (remote ip "localhost:*"))',
  ],
  [
    "local-on-outbound",
    '(allow network* (require-all (local ip "localhost:*")))',
    "local",
    '(allow network-bind (local ip "localhost:*"))',
  ],
  [
    "mixed-filters",
    '(allow file-read-metadata (literal "/System/Volumes") (vnode-type DIRECTORY))',
    "path, vnode-type",
    '(allow file-read-metadata (require-all (literal "/System/Volumes") (vnode-type DIRECTORY)))',
  ],
  [
    "mixed-filters",
    '(deny file-read* (subpath "/w") (require-not (literal "/w/a")))',
    "path, not",
    '(deny file-read* (subpath "/w") (literal "/v"))',
  ],
  ["empty-filter", "(allow file-read* (literal))", "literal", '(allow file-read* (literal "/a"))'],
  [
    "empty-filter",
    "(allow file-read* (require-any))",
    "require-any",
    '(allow file-read* (require-any (literal "/a")))',
  ],
  ["import", '(import "system.sb")', "import", "(allow process-fork)"],
  [
    "unfiltered-allow",
    "(allow file-read-metadata)",
    "file-read-metadata",
    '(allow file-read-metadata (literal "/a"))',
  ],
  [
    "unfiltered-allow",
    "(allow process-fork network-outbound)",
    "network-outbound",
    "(allow process-fork pseudo-tty)",
  ],
  [
    "unfiltered-allow",
    '(allow file-read* (require-not (literal "/a")))',
    "file-read*",
    '(allow file-read* (require-all (subpath "/w") (require-not (literal "/w/a"))))',
  ],
  [
    "unfiltered-allow",
    '(allow file-read* (require-any (literal "/b") (require-not (literal "/a"))))',
    "file-read*",
    '(deny file-read* (require-any (literal "/b") (require-not (literal "/a"))))',
  ],
  ["sharp-string", '(allow file-read* (regex #"^/a$"))', '#"^/a$"', '(allow file-read* (regex "^/a$"))'],
  ["loose-regex", '(deny file-read* (regex "a$"))', "a$", '(deny file-read* (regex "/a$"))'],
  ["loose-regex", '(allow file-read* (regex "/a$"))', "/a$", '(allow file-read* (regex "^/a$"))'],
  [
    "loose-regex",
    '(allow file-read* (require-all (vnode-type DIRECTORY) (regex "/a$")))',
    "/a$",
    '(allow file-read* (require-all (subpath "/w") (regex "/a$")))',
  ],
  ["loose-regex", '(deny file-read* (regex "^/a"))', "^/a", '(deny file-read* (regex "^/a/"))'],
  ["loose-regex", '(deny file-read* (regex "^/a$|b$"))', "^/a$|b$", '(deny file-read* (regex "^(/a|/b)$"))'],
  [
    "loose-regex",
    '(deny file-read* (regex "^/a(/.*)?"))',
    "^/a(/.*)?",
    '(deny file-read* (regex "^/a(/.*)?$"))',
  ],
  ["loose-regex", '(deny file-read* (regex "^/a[^/]"))', "^/a[^/]", '(deny file-read* (regex "^/a/[^/]"))'],
  ["loose-regex", '(deny file-read* (regex "^/a[$]"))', "^/a[$]", '(deny file-read* (regex "^/a([$]|/)$"))'],
  [
    "loose-regex",
    '(deny sysctl-read (sysctl-name-regex "hw"))',
    "hw",
    '(deny sysctl-read (sysctl-name-regex "^hw"))',
  ],
  [
    "no-profile",
    '(deny file-read* (regex "^/a{2}$"))',
    "unsupported: a bare `{` in a regex",
    '(deny file-read* (regex "^/aa$"))',
  ],
  [
    "no-profile",
    "(deny file-ioctl (ioctl-command TIOCSTI))",
    "unsupported: `ioctl-command` of anything but one number",
    "(deny file-ioctl (ioctl-command #x80017472))",
  ],
  [
    "long-string",
    `(deny file-read* (literal ${paths(1, MAX_SAFE_STRING_BYTES)}))`,
    `${MAX_SAFE_STRING_BYTES + 1} bytes`,
    `(deny file-read* (literal ${paths(1, MAX_SAFE_STRING_BYTES - 1)}))`,
  ],
  ["not-ascii", "; ä", "; \\u{e4}", "; a"],
  ["not-ascii", "(allow process-fork)\t", "(allow process-fork)\\u{9}", "(allow process-fork) "],
  [
    "wildcard-service",
    '(allow mach-lookup (global-name-regex "^com[.]apple"))',
    "global-name-regex",
    '(allow mach-lookup (global-name "com.apple.logd"))',
  ],
  [
    "wildcard-service",
    '(allow mach-lookup (xpc-service-name-prefix "com.apple."))',
    "xpc-service-name-prefix",
    '(deny mach-lookup (xpc-service-name-prefix "com.apple."))',
  ],
  ["boundless-prefix", '(allow file-read* (prefix "/a"))', "/a", '(allow file-read* (prefix "/a/"))'],
  ["unclean-path", '(deny file-read* (subpath "/a/"))', "/a/", '(deny file-read* (subpath "/a"))'],
  ["unclean-path", '(deny file-read* (literal "/a//b"))', "/a//b", '(deny file-read* (literal "/a/b"))'],
  ["unclean-path", '(deny file-read* (literal "/a/./b"))', "/a/./b", '(deny file-read* (literal "/a/.b"))'],
  ["unclean-path", '(deny file-read* (literal "/a/.."))', "/a/..", '(deny file-read* (literal "/a/..."))'],
  [
    "unclean-path",
    '(deny network-outbound (remote unix-socket (subpath "/a/../b")))',
    "/a/../b",
    '(deny network-outbound (remote unix-socket (subpath "/")))',
  ],
  [
    "alias-path",
    '(allow file-read* (literal "/tmp/x"))',
    "/tmp/x",
    '(allow file-read* (literal "/private/tmp/x"))',
  ],
  [
    "alias-path",
    '(allow file-read* (subpath "/etc"))',
    "/etc",
    '(allow file-read-metadata (literal "/etc"))',
  ],
  [
    "alias-path",
    '(allow file-read* (require-all (subpath "/var") (require-not (literal "/a"))))',
    "/var",
    '(allow file-read* (require-all (subpath "/a") (require-not (literal "/var"))))',
  ],
  [
    "alias-path",
    '(allow file-write* (prefix "/var/"))',
    "/var/",
    '(deny file-write* (prefix "/var/" "/private/var/"))',
  ],
  [
    "dead-deny",
    '(deny file-read* (literal "/tmp/x") (subpath "/private/tmp/x"))',
    "/tmp/x",
    '(deny file-read* (literal "/tmp/x") (literal "/private/tmp/x"))',
  ],
  [
    "dead-deny",
    '(deny file-read* file-ioctl (regex "^/var(/.*)?$")) (deny file-read* (regex "^/private/var(/.*)?$"))',
    "^/var(/.*)?$",
    '(deny file-read* (regex "^/var(/.*)?$")) (deny file-read* file-ioctl (regex "^/private/var(/.*)?$"))',
  ],
  [
    "unsandboxed",
    '(allow process-exec (literal "/bin/ps") (with no-sandbox))',
    "no-sandbox",
    '(allow process-exec (literal "/bin/ps") (with no-log))',
  ],
  ["unguarded-operation", "(deny file-link)", "file-link", "(when (defined? 'file-link) (deny file-link))"],
  [
    "unguarded-operation",
    "(when (defined? 'file-link) (deny file-clone))",
    "file-clone",
    "(when (defined? 'file-link) (when (defined? 'file-clone) (deny file-link file-clone)))",
  ],
  [
    "unguarded-operation",
    "(if (defined? 'file-link) (deny signal) (deny file-link))",
    "file-link",
    "(if (defined? 'file-link) (deny file-link) (deny signal))",
  ],
  [
    "many-strings",
    `(deny file-read* (literal ${paths(257)}))`,
    "257 strings",
    `(deny file-read* (literal ${paths(256)}))`,
  ],
  ["never-granted", "(allow lsopen (with no-log))", "lsopen", "(deny lsopen)"],
];

describe("a lint finds", () => {
  test.each(bad)("%s: %s", (name, rules, what, good) => {
    expect(linting(rules)).toContainEqual({ lint: name, line: 7, what });
    expect(linting(good)).toEqual([]);
  });

  test("default-open: a profile that allows what it does not speak of", () => {
    const finding = { lint: "default-open", what: "anything but one `(deny default)`" };
    expect(lint(HEAD.replace("deny default", "allow default"))).toContainEqual({ ...finding, line: 2 });
    expect(lint(HEAD.replace("(deny default)", ""))).toContainEqual({ ...finding, line: 1 });
    expect(linting("(deny default)")).toContainEqual({ ...finding, line: 2 });
    expect(linting("")).toEqual([]);
  });

  test("uncovered-operation: what the default does not cover, unless it is denied by name", () => {
    expect(lint("(version 1) (deny default)").map(({ lint: name, what }) => [name, what])).toEqual([
      ["uncovered-operation", "process-info*"],
      ["uncovered-operation", "nvram*"],
      ["uncovered-operation", "iokit-get-properties"],
      ["uncovered-operation", "file-map-executable"],
    ]);
    const within = "(require-not (require-any (target self) (target same-sandbox)))";
    expect(lint(HEAD.replace("(deny process-info*)", `(deny process-info* ${within})`))).toEqual([]);
  });

  test("many-rules: more than 4,096", () => {
    const rules = "(deny signal)\n".repeat(MAX_SAFE_RULES - 5);
    expect(linting(rules)).toEqual([]);
    expect(linting(`${rules}(deny signal)`)).toEqual([{ lint: "many-rules", line: 1, what: "4097 rules" }]);
  });

  test("long-text: more than 256 KiB", () => {
    const comment = `;${"-".repeat(MAX_TEXT_BYTES - HEAD.length - 1)}`;
    expect(linting(comment)).toEqual([]);
    expect(linting(`${comment}-`)).toEqual([
      { lint: "long-text", line: 1, what: `${MAX_TEXT_BYTES + 1} bytes of text` },
    ]);
  });

  test("no-profile: what cannot be read", () => {
    expect(linting("(")).toEqual([{ lint: "no-profile", line: 7, what: "a list without an end" }]);
  });
});

test("parameters are looked at with the values that they have", () => {
  const text = `${HEAD}(allow file-read* (subpath (param "ROOT")))`;
  expect(lint(text, new Map([["ROOT", "/w"]]))).toEqual([]);
  expect(lint(text, new Map([["ROOT", "/w/"]]))).toEqual([{ lint: "unclean-path", line: 7, what: "/w/" }]);
});
