import { describe, expect, it } from "vitest";
import { printProfile } from "../../../src/profile/canonical.ts";
import { LimitsSection, limitsFrom } from "../../../src/profile/limits-section.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { OPEN } from "../../../src/profile/profile.ts";
import {
  NetworkSection,
  networkFrom,
  ProfileSections,
  pathsFrom,
  profileFromSections,
} from "../../../src/profile/sections.ts";
import { refusal } from "./refusal.ts";

const variables = {
  workspace: [knownPath("/w[1]")],
  runtime: [knownPath("/usr"), knownPath("/lib")],
  nothing: [],
};
const from = (sections: unknown): ReturnType<typeof profileFromSections> =>
  profileFromSections(ProfileSections.parse(sections), variables);

describe("operator sections", () => {
  it("that are left out say nothing, and an empty list allows nothing", () => {
    expect(from({})).toEqual(OPEN);
    expect(from({ masks: [] })).toEqual(OPEN);
    expect(
      from({
        files: [],
        network: { hosts: [] },
        sockets: [],
        env: [],
        terminal: false,
        syscalls: [],
        devices: [],
        macos: [],
        ports: [],
      }),
    ).toEqual({
      files: [],
      masks: [],
      network: "none",
      sockets: [],
      env: [],
      terminal: false,
      syscalls: [],
      devices: [],
      macos: [],
      ports: [],
      limits: {},
    });
  });

  it("mean each path that a variable stands for, as literal text", () => {
    const profile = from({
      files: [
        { path: "${workspace}", access: "write", suffixes: [".md"] },
        { path: "${runtime}/share", access: "read" },
        { path: "${nothing}", access: "write" },
      ],
      masks: [
        { pattern: "${workspace}/{.env,*.pem}", at_most: "none" },
        { pattern: ".git", at_most: "read", ignore_case: true },
      ],
      sockets: ["${workspace}/a.sock"],
      network: { hosts: ["a.test:443"], never: ["b.a.test"] },
      limits: { wall: "2m", cpu: "1500ms", memory: "1GiB", strict: false },
    });
    expect(printProfile(profile)).toMatchInlineSnapshot(`
      "{
        "files": [
          {
            "path": "/lib/share",
            "access": "read",
            "suffixes": "any"
          },
          {
            "path": "/usr/share",
            "access": "read",
            "suffixes": "any"
          },
          {
            "path": "/w[1]",
            "access": "write",
            "suffixes": [
              ".md"
            ]
          }
        ],
        "masks": [
          {
            "pattern": "/w[[]1[]]/*.pem",
            "atMost": "none",
            "ignoreCase": false
          },
          {
            "pattern": "/w[[]1[]]/.env",
            "atMost": "none",
            "ignoreCase": false
          },
          {
            "pattern": "/**/.git",
            "atMost": "read",
            "ignoreCase": true
          }
        ],
        "network": {
          "hosts": [
            "a.test:443"
          ],
          "never": [
            "b.a.test"
          ]
        },
        "sockets": [
          "/w[1]/a.sock"
        ],
        "env": [
          "*"
        ],
        "terminal": true,
        "syscalls": [
          "abi32",
          "debug"
        ],
        "devices": [
          "gpu",
          "kvm",
          "fuse",
          "serial"
        ],
        "macos": [
          "java",
          "listen",
          "openmp",
          "prefs",
          "processes",
          "pty",
          "python",
          "tls",
          "watch"
        ],
        "ports": "any",
        "limits": {
          "wallMs": 120000,
          "cpuSeconds": 2,
          "memoryBytes": 1073741824
        }
      }"
    `);
  });

  it("are refused when a key is unknown or a value wrong", () => {
    const refused = [
      { file: [] },
      { files: [{ path: "/a" }] },
      { files: [{ path: "/a", access: "exec" }] },
      { files: [{ path: "/a", access: "read", suffixes: ["md"] }] },
      { masks: [{ pattern: "a", at_most: "write" }] },
      { masks: [{ pattern: "a", atMost: "none" }] },
      { network: "yes" },
      { network: { host: ["a.test"] } },
      { sockets: "all" },
      { env: ["A-B"] },
      { terminal: "no" },
      { syscalls: "debug" },
      { syscalls: ["ptrace"] },
      { devices: "gpu" },
      { devices: ["usb"] },
      { macos: "tls" },
      { macos: ["debug"] },
      { limits: { memory: 5 } },
      { limits: { processes: 0 } },
      { limits: { open_files: 8 } },
      { limits: { time: "1s" } },
    ];
    expect(refused.filter((sections) => ProfileSections.safeParse(sections).success)).toEqual([]);
  });

  it("are refused when what stands in them is no path, pattern or host", () => {
    expect(refusal(() => from({ files: [{ path: "notes", access: "read" }] }))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`notes\` is not absolute
      → write it from \`/\`, or with \`\${workspace}\`"
    `);
    expect(refusal(() => from({ files: [{ path: "${home}/a", access: "read" }] }))).toMatchInlineSnapshot(`
      "PATH_INVALID: \`\${home}/a\` names the unknown variable \`home\`
      → the variables are \${workspace}, \${runtime}, \${nothing}"
    `);
    expect(refusal(() => from({ masks: [{ pattern: "${hom}/a", at_most: "none" }] }))).toMatchInlineSnapshot(`
      "PATH_INVALID: \`\${hom}/a\` names the unknown variable \`hom\`
      → the variables are \${workspace}, \${runtime}, \${nothing}"
    `);
    expect(
      refusal(() => from({ masks: [{ pattern: "${workspace/a", at_most: "none" }] })),
    ).toMatchInlineSnapshot(`
      "PATTERN_INVALID: the pattern \`\${workspace/a\` has a brace outside of \`{a,b}\` and \`\${name}\`
      → write a plain brace as \`[{]\` or \`[}]\`"
    `);
    expect(refusal(() => from({ network: { hosts: ["*."] } }))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`*.\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => pathsFrom("/a/${workspace", variables))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`/a/\${workspace\` has a variable without \`}\`
      → write \`\${name}\`"
    `);
    expect(refusal(() => pathsFrom("${constructor}", {}))).toMatchInlineSnapshot(`
      "PATH_INVALID: \`\${constructor}\` names the unknown variable \`constructor\`
      → no variable is allowed here"
    `);
  });
});

it("a network is written as a word, a truth value or a list", () => {
  expect(
    [false, true, "none", "open", "host", { hosts: ["A.test"] }].map((written) =>
      networkFrom(NetworkSection.parse(written)),
    ),
  ).toEqual([
    "none",
    "open",
    "none",
    "open",
    "host",
    { hosts: [{ name: "a.test", port: null, private: false }], never: [] },
  ]);
  expect(NetworkSection.safeParse("on").error?.issues.map((issue) => issue.message)).toEqual([
    "write `false`, `true`, `host` or `{ hosts: [name:port], never: [name] }`",
  ]);
});

it("limits are written with units", () => {
  const written = {
    wall: "1s",
    cpu: "1ms",
    memory: "2KiB",
    processes: 3,
    file_size: "512B",
    open_files: 16,
    output: "5B",
    scratch: "4KiB",
    shared_memory: "8KiB",
    strict: true,
  };
  expect(limitsFrom(LimitsSection.parse(written))).toEqual({
    wallMs: 1000,
    cpuSeconds: 1,
    memoryBytes: 2048,
    processes: 3,
    fileBytes: 512,
    openFiles: 16,
    outputBytes: 5,
    scratchBytes: 4096,
    sharedMemoryBytes: 8192,
    strict: true,
  });
});
