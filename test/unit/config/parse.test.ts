import { describe, expect, test } from "vitest";
import { parseData } from "../../../src/config/parse.ts";
import { ConfigFile, ProfileFile } from "../../../src/config/schema.ts";
import { readYaml } from "../../../src/config/yaml.ts";
import { nearest } from "../../../src/policy/nearest.ts";
import { type Refusal, refusalOf } from "./machine.ts";

const config = (text: string) =>
  parseData(
    ConfigFile,
    readYaml(new TextEncoder().encode(`version: 1\n${text}`), "/x/cofferdam.yaml", "CONFIG_INVALID"),
  );
const profile = (text: string) =>
  parseData(
    ProfileFile,
    readYaml(new TextEncoder().encode(`profile: p\n${text}`), "/x/p.yaml", "PROFILE_INVALID"),
  );
const brief = ({ message, hint, at }: Refusal): string => `${at?.split("/").at(-1)} ${message} — ${hint}`;

describe("config.strict: what a schema does not have is refused with its place and what to write", () => {
  const refused: readonly (readonly [claim: string, text: string, told: string, twin: string])[] = [
    [
      "an unknown key",
      "sandbx: {}\n",
      "cofferdam.yaml:2:1 unknown key `sandbx` in the file — did you mean `sandbox`?",
      "sandbox: {}\n",
    ],
    [
      "an unknown key in depth",
      "sandbox:\n  paths:\n    notes: { root: ., mode: rw, write_aproval: false }\n",
      "cofferdam.yaml:4:33 unknown key `write_aproval` in `sandbox.paths.notes` — did you mean `write_approval`?",
      "sandbox:\n  paths:\n    notes: { root: ., mode: rw, write_approval: false }\n",
    ],
    [
      "a key in another case",
      "Shell: {}\n",
      "cofferdam.yaml:2:1 unknown key `Shell` in the file — did you mean `shell`?",
      "shell: {}\n",
    ],
    [
      "a key with dashes",
      "sandbox: { require-os-sandbox: true }\n",
      "cofferdam.yaml:2:12 unknown key `require-os-sandbox` in `sandbox` — did you mean `require_os_sandbox`?",
      "sandbox: { require_os_sandbox: true }\n",
    ],
    [
      "a key like no other",
      "telemetry: {}\n",
      "cofferdam.yaml:2:1 unknown key `telemetry` in the file — the keys here are version, sandbox, shell, approval, web_fetch, mcp, journal",
      "approval: {}\n",
    ],
    [
      "an unknown key in a union",
      "shell: { network: { host: [] } }\n",
      "cofferdam.yaml:2:21 unknown key `host` in `shell.network` — did you mean `hosts`?",
      "shell: { network: { hosts: [] } }\n",
    ],
    [
      "a list for keys",
      "shell: []\n",
      "cofferdam.yaml:2:8 invalid `shell`: a list — write keys and values: `{ key: value }`, or indented lines",
      "shell: {}\n",
    ],
    [
      "an empty section",
      "shell:\n",
      "cofferdam.yaml:2:7 invalid `shell`: empty — write keys and values: `{ key: value }`, or indented lines",
      "shell: {}\n",
    ],
    [
      "keys for a list",
      "shell: { rules: {} }\n",
      "cofferdam.yaml:2:17 invalid `shell.rules`: keys and values — write a list: `[…]`, or lines that begin with `- `",
      "shell: { rules: [] }\n",
    ],
    [
      "a number for a text",
      "sandbox: { env: { set: { CI: 1 } } }\n",
      'cofferdam.yaml:2:30 invalid `sandbox.env.set.CI`: the number `1` — put it in quotes: "1"',
      'sandbox: { env: { set: { CI: "1" } } }\n',
    ],
    [
      "a text for yes or no",
      "sandbox: { require_os_sandbox: no }\n",
      "cofferdam.yaml:2:32 invalid `sandbox.require_os_sandbox`: `no` — write `true` or `false`",
      "sandbox: { require_os_sandbox: false }\n",
    ],
    [
      "a fraction",
      "sandbox: { limits: { processes: 1.5 } }\n",
      "cofferdam.yaml:2:33 invalid `sandbox.limits.processes`: the number `1.5` — write a whole number",
      "sandbox: { limits: { processes: 2 } }\n",
    ],
    [
      "too little",
      "sandbox: { limits: { open_files: 3 } }\n",
      "cofferdam.yaml:2:34 invalid `sandbox.limits.open_files`: the number `3` — write 16 or more",
      "sandbox: { limits: { open_files: 16 } }\n",
    ],
    [
      "a time without a unit",
      "sandbox: { limits: { wall: '60' } }\n",
      "cofferdam.yaml:2:28 invalid `sandbox.limits.wall`: the text `60` — a time is a number and a unit: `500ms`, `60s`, `2m`, `1h`",
      "sandbox: { limits: { wall: 60s } }\n",
    ],
    [
      "a time that is a number",
      "sandbox: { limits: { wall: 2 } }\n",
      "cofferdam.yaml:2:28 invalid `sandbox.limits.wall`: the number `2` — a time is a number and a unit: `500ms`, `60s`, `2m`, `1h`",
      "sandbox: { limits: { wall: 2s } }\n",
    ],
    [
      "a time to answer that is a number",
      "approval: { timeout: 5 }\n",
      "cofferdam.yaml:2:22 invalid `approval.timeout`: the number `5` — a time is a number and a unit: `500ms`, `60s`, `2m`, `1h`",
      "approval: { timeout: 5s }\n",
    ],
    [
      "a size that is a number",
      "sandbox: { limits: { memory: 512 } }\n",
      "cofferdam.yaml:2:30 invalid `sandbox.limits.memory`: the number `512` — a size is a number and a unit: `64KiB`, `256MiB`, `2GiB`",
      "sandbox: { limits: { memory: 512MiB } }\n",
    ],
    [
      "a `true` for a word",
      "approval: { mode: true }\n",
      "cofferdam.yaml:2:19 invalid `approval.mode`: `true` — write `interactive`, `approve_all` or `strict`",
      "approval: { mode: interactive }\n",
    ],
    [
      "the beginning of a key",
      "shell: { rules: [{ pattern: ls, allow: false }] }\n",
      "cofferdam.yaml:2:33 unknown key `allow` in `shell.rules.0` — did you mean `allowed`?",
      "shell: { rules: [{ pattern: ls, allowed: false }] }\n",
    ],
    [
      "a word that is none of the known",
      "sandbox: { paths: { a: { root: ., mode: wr } } }\n",
      "cofferdam.yaml:2:41 invalid `sandbox.paths.a.mode`: `wr` — did you mean `rw`?",
      "sandbox: { paths: { a: { root: ., mode: rw } } }\n",
    ],
    [
      "a word like none of the known",
      "approval: { mode: yolo }\n",
      "cofferdam.yaml:2:19 invalid `approval.mode`: `yolo` — write `interactive`, `approve_all` or `strict`",
      "approval: { mode: strict }\n",
    ],
    [
      "a key left out",
      "shell: { rules: [{ approval: false }] }\n",
      "cofferdam.yaml:2:18 missing key `pattern` in `shell.rules.0` — add `pattern`: write a string",
      "shell: { rules: [{ pattern: ls, approval: false }] }\n",
    ],
    [
      "a name that is none",
      "sandbox: { paths: { -a: { root: ., mode: rw } } }\n",
      "cofferdam.yaml:2:21 invalid key `-a` in `sandbox.paths` — write letters, digits, `_`, `-` and `.`",
      "sandbox: { paths: { a: { root: ., mode: rw } } }\n",
    ],
    [
      "an unknown runtime",
      "sandbox: { runtimes: [nod] }\n",
      "cofferdam.yaml:2:23 invalid `sandbox.runtimes.0`: `nod` — write one of system, node, python, rust, go, git, xcode, java, haskell, or { name, read: [folder] }",
      "sandbox: { runtimes: [node] }\n",
    ],
    [
      "a wrong item of a union",
      "shell: { network: { hosts: [1] } }\n",
      "cofferdam.yaml:2:29 invalid `shell.network.hosts.0`: the number `1` — write a host, such as `example.org:443`",
      'shell: { network: { hosts: ["a.example"] } }\n',
    ],
  ];

  test.each(refused)("%s", (_claim, text, told, twin) => {
    const refusal = refusalOf(() => config(text));
    expect(refusal).toMatchObject({ exit: 65, code: "CONFIG_INVALID" });
    expect(brief(refusal)).toBe(told);
    expect(config(twin).version).toBe(1);
  });

  const profiles: readonly (readonly [claim: string, text: string, told: string, twin: string])[] = [
    [
      "an unknown section",
      "file: []\n",
      "p.yaml:2:1 unknown key `file` in the file — did you mean `files`?",
      "files: []\n",
    ],
    [
      "an operator's allow",
      "approval: { rules: [{ pattern: x, action: allow }] }\n",
      "p.yaml:2:21 invalid `approval.rules.0`: keys and values — write `{ pattern | shell, action: ask | deny }`: an operator can't allow",
      "approval: { rules: [{ pattern: x, action: ask }] }\n",
    ],
    [
      "a misspelt example",
      "expect: [{ alow: read, path: /x }]\n",
      "p.yaml:2:10 invalid `expect.0`: keys and values — write `allow` or `deny` with an access, and its target: `{ deny: write, path: .git/config }`",
      "expect: [{ allow: read, path: /x }]\n",
    ],
    [
      "sockets that are no list",
      "sockets: nothing\n",
      "p.yaml:2:10 invalid `sockets`: `nothing` — write `any` or `none`, or write a list: `[…]`, or lines that begin with `- `",
      "sockets: []\n",
    ],
    [
      "another user",
      "run_as: root\n",
      "p.yaml:2:9 invalid `run_as`: `root` — write `not-root`",
      "run_as: not-root\n",
    ],
  ];

  test.each(profiles)("in a profile, %s", (_claim, text, told, twin) => {
    const refusal = refusalOf(() => profile(text));
    expect(refusal).toMatchObject({ exit: 65, code: "PROFILE_INVALID" });
    expect(brief(refusal)).toBe(told);
    expect(profile(twin).profile).toBe("p");
  });

  test("the first problem of the file is told, and how many more there are", () => {
    const text = "shell: { order: frist-match }\nsandbox: { runtime: [] }\napprovals: {}\n";
    expect(refusalOf(() => config(text))).toMatchInlineSnapshot(`
      {
        "at": "/x/cofferdam.yaml:2:17",
        "code": "CONFIG_INVALID",
        "exit": 65,
        "hint": "did you mean \`first-match\`?",
        "message": "invalid \`shell.order\`: \`frist-match\`, and 2 more",
      }
    `);
  });

  test("a config without a version, and one of another version", () => {
    const of = (text: string) =>
      parseData(ConfigFile, readYaml(new TextEncoder().encode(text), "/c", "CONFIG_INVALID"));
    expect(brief(refusalOf(() => of("shell: {}\n")))).toBe(
      "c:1:1 missing key `version` in the file — add `version`: write `1`",
    );
    expect(brief(refusalOf(() => of("version: 2\n")))).toBe(
      "c:1:10 invalid `version`: the number `2` — write `1`",
    );
  });

  test("what a person cannot see in a value is made visible", () => {
    expect(refusalOf(() => config('approval: { mode: "a\\u202eb" }\n')).message).toBe(
      "invalid `approval.mode`: `a\\u{202e}b`",
    );
  });
});

test("the nearest word is the one a typing slip away, and none when none is near", () => {
  const known = ["sandbox", "shell", "approval", "version"];
  expect(
    ["sandbox", "sandobx", "SHELL", "aproval", "versions", "shel", "x", "web_fetch", ""].map((word) =>
      nearest(word, known),
    ),
  ).toEqual(["sandbox", "sandbox", "shell", "approval", "version", "shell", null, null, null]);
});
