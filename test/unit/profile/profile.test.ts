import { describe, expect, it } from "vitest";
import { accessTo } from "../../../src/profile/access-to.ts";
import { parseProfile, printProfile } from "../../../src/profile/canonical.ts";
import { intersectAll } from "../../../src/profile/intersect.ts";
import { absolutePath, knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import {
  CLOSED,
  type FileEntry,
  isOnTheWay,
  type Mask,
  normalProfile,
  OPEN,
} from "../../../src/profile/profile.ts";
import { refusal } from "./refusal.ts";

const entry = (
  path: string,
  access: FileEntry["access"],
  suffixes: FileEntry["suffixes"] = "any",
): FileEntry => ({
  path: absolutePath(path),
  access,
  suffixes,
});
const masks = (atMost: Mask["atMost"], ...patterns: readonly string[]): readonly Mask[] =>
  patterns.flatMap((text) => parsePatterns(text)).map((pattern) => ({ pattern, atMost, ignoreCase: false }));

describe("the normal form", () => {
  it("keeps entries that change something, in order; of two for one path the lesser", () => {
    const { files } = normalProfile({
      files: [
        entry("/r/b", "read"),
        entry("/r", "write"),
        entry("/r/b", "write", [".md"]),
        entry("/r/b/c", "read", [".md"]),
        entry("/r/a", "write"),
        entry("/x", "none"),
        entry("/r/a-b", "none", [".md"]),
        entry("/r/a/d", "none"),
      ],
    });
    expect(files).toEqual([
      entry("/r", "write"),
      entry("/r/a-b", "none"),
      entry("/r/a/d", "none"),
      entry("/r/b", "read", [".md"]),
    ]);
  });

  it("keeps masks that cap something, the tighter of two", () => {
    const given = {
      files: [entry("/r", "read")],
      masks: [...masks("read", "*.md", "/r/x"), ...masks("none", "/r/x", "*.{a,b}", "b.md")],
    };
    expect(normalProfile(given).masks.map((mask) => `${mask.pattern.text} ${mask.atMost}`)).toEqual([
      "/**/*.a none",
      "/**/*.b none",
      "/**/b.md none",
      "/r/x none",
    ]);
    expect(normalProfile({ masks: masks("none", "*") }).masks).toEqual([]);
  });

  it("is bottom where nothing is said, but for masks and limits", () => {
    expect(normalProfile({})).toEqual({
      files: [],
      masks: [],
      network: "none",
      sockets: "none",
      env: [],
      terminal: false,
      syscalls: [],
      devices: [],
      macos: [],
      ports: [],
      limits: {},
    });
    expect(intersectAll([])).toEqual(OPEN);
    expect(CLOSED.limits).toEqual({
      wallMs: 0,
      cpuSeconds: 0,
      memoryBytes: 0,
      processes: 0,
      fileBytes: 0,
      openFiles: 0,
      outputBytes: 0,
      scratchBytes: 0,
      sharedMemoryBytes: 0,
      connections: 0,
      transferBytes: 0,
      connectionMs: 0,
      strict: true,
    });
  });
});

it("a folder is passable when something granted lies below it, not beside it", () => {
  const profile = normalProfile({
    files: [entry("/a/b/c", "read"), entry("/a/b/c/d", "none"), entry("/ab", "write")],
  });
  const folders = ["/", "/a", "/a/b", "/a/b/c", "/a/b/c/d", "/a/x", "/ab"].map(knownPath);
  expect(folders.filter((folder) => isOnTheWay(profile, folder))).toEqual(["/", "/a", "/a/b"]);
});

it("a mask is kept where an entry at, below or above its beginning allows more", () => {
  const files = [
    entry("/", "read"),
    entry("/r/a", "write"),
    entry("/r/a/b", "none"),
    entry("/r/a0", "write"),
  ];
  const kept = (...patterns: readonly string[]): readonly string[] =>
    normalProfile({ files, masks: masks("read", ...patterns) }).masks.map((mask) => mask.pattern.text);
  expect(kept("/r", "/r/a/x", "/r/a/*", "/r/a/b", "/r/a/b/*", "/r/b/*", "/x", "/r/a1", "*", "/r/*")).toEqual([
    "/**/*",
    "/r",
    "/r/*",
    "/r/a/*",
    "/r/a/b",
    "/r/a/b/*",
    "/r/a/x",
  ]);
});

it("of two masks on one pattern the tighter is kept; `read` stays beside a `none` that lets paths move", () => {
  const files = [entry("/r", "write")];
  const given = [...masks("none", "/r/a", "/r/*"), ...masks("read", "/r/a", "/r/*")];
  const kept = normalProfile({ files, masks: given }).masks;
  expect(kept.map(({ pattern, atMost }) => `${pattern.text} ${atMost}`)).toEqual([
    "/r/* none",
    "/r/* read",
    "/r/a none",
  ]);
});

it("removing an entry that takes something away adds access: it is a restriction, not a grant", () => {
  const closed = normalProfile({ files: [entry("/r", "write"), entry("/r/secret", "none")] });
  const opened = normalProfile({ files: closed.files.slice(0, 1) });
  expect([closed, opened].map((profile) => accessTo(profile, knownPath("/r/secret/key")))).toEqual([
    "none",
    "write",
  ]);
});

describe("canonical text", () => {
  it("is this", () => {
    const profile = normalProfile({
      files: [entry("/r", "write", [".md"])],
      masks: masks("none", ".env"),
      network: {
        hosts: [{ name: "a.test", port: 443, private: true }],
        never: [{ name: "::1", port: 80, private: false }],
      },
      sockets: [knownPath("/run/\udcff.sock")],
      env: ["LANG"],
      limits: { processes: 4, wallMs: 1000, strict: true },
    });
    expect(printProfile(profile)).toMatchInlineSnapshot(`
      "{
        "files": [
          {
            "path": "/r",
            "access": "write",
            "suffixes": [
              ".md"
            ]
          }
        ],
        "masks": [
          {
            "pattern": "/**/.env",
            "atMost": "none",
            "ignoreCase": false
          }
        ],
        "network": {
          "hosts": [
            "a.test:443 private"
          ],
          "never": [
            "[::1]:80"
          ]
        },
        "sockets": [
          "/run/\\udcff.sock"
        ],
        "env": [
          "LANG"
        ],
        "terminal": false,
        "syscalls": [],
        "devices": [],
        "macos": [],
        "limits": {
          "wallMs": 1000,
          "processes": 4,
          "strict": true
        }
      }"
    `);
    expect(parseProfile(printProfile(profile))).toEqual(profile);
  });

  it("is refused with an unknown key, a wrong type or a wrong spelling", () => {
    const text = printProfile(
      normalProfile({
        files: [entry("/r", "read")],
        masks: masks("none", "x"),
        sockets: [knownPath("/run/s")],
      }),
    );
    expect(() => parseProfile(text.replace('"terminal"', '"terminals"'))).toThrow(/terminals/);
    expect(() => parseProfile(text.replace('"macos": []', '"macos": ["debug"]'))).toThrow(/macos/);
    expect(() => parseProfile(text.replace('"read"', '"exec"'))).toThrow(/access/);
    expect(() => parseProfile(text.replace('"limits": {}', '"limits": {"wallMs": -1}'))).toThrow(/wallMs/);
    expect(() => parseProfile(text.slice(1))).toThrow(SyntaxError);
    expect(refusal(() => parseProfile(text.replace('"/r"', '"r"')))).toMatch(/^PATH_INVALID/);
    expect(refusal(() => parseProfile(text.replace("/**/x", "x")))).toMatch(/^PATTERN_INVALID/);
    expect(
      refusal(() =>
        parseProfile(text.replace('"none",\n  "sockets"', '{"hosts": ["*."], "never": []},\n  "sockets"')),
      ),
    ).toMatch(/^HOST_INVALID/);
  });
});
