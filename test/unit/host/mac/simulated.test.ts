import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { here, simulatedMac, there } from "../../../../src/host/look/mac/simulated.ts";
import { accessTo } from "../../../../src/profile/access-to.ts";
import { movedPattern, movedProfile } from "../../../../src/profile/moved.ts";
import { absolutePath, isInside, joinPath, knownPath } from "../../../../src/profile/path.ts";
import { parsePatterns } from "../../../../src/profile/pattern.ts";
import { normalProfile } from "../../../../src/profile/profile.ts";

const MAC = simulatedMac({ name: "ada", home: absolutePath("/home/ada") });
const toThere = (path: string): string => there(MAC, absolutePath(path));

describe("a path of this machine stands for one of the Mac:", () => {
  test.each([
    ["/home/ada", "/Users/ada"],
    ["/home/ada/work/app", "/Users/ada/work/app"],
    ["/home/adam", "/Users/adam"],
    ["/home", "/Users"],
    ["/tmp/x", "/private/tmp/x"],
    ["/etc/hosts", "/private/etc/hosts"],
    ["/etc", "/private/etc"],
    ["/var/run/docker.sock", "/private/var/run/docker.sock"],
    ["/srv/app", "/srv/app"],
    ["/", "/"],
    // The Mac's own paths stand for themselves.
    ["/usr/bin", "/usr/bin"],
    ["/private/tmp/x", "/private/tmp/x"],
    ["/Users/ada/work", "/Users/ada/work"],
    ["/opt/homebrew/Cellar", "/opt/homebrew/Cellar"],
  ])("%s → %s", (path, meant) => {
    expect(toThere(path)).toBe(meant);
  });
});

describe("a home stands for one in /Users:", () => {
  const home = (name: string, path: string): string =>
    there(simulatedMac({ name, home: absolutePath(path) }), absolutePath(`${path === "/" ? "" : path}/x`));
  test.each([
    ["ada", "/srv/people/ada", "/Users/ada/x"],
    ["ada", "/home/lovelace", "/Users/lovelace/x"],
    ["root", "/root", "/Users/root/x"],
    ["jenkins", "/var/lib/jenkins", "/Users/jenkins/x"],
    // What a Mac has by the same path is not taken for somebody's home.
    ["daemon", "/usr/sbin", "/usr/sbin/x"],
    ["nobody", "/", "/x"],
  ])("of %s in %s", (name, path, meant) => {
    expect(home(name, path)).toBe(meant);
  });
});

/** Paths in and around the places that stand for others, without those that only a Mac has. */
const name = fc.constantFrom("a", "b", "ada", "home", "tmp", "Users", ".git", "x.md");
const path = fc
  .tuple(
    fc.constantFrom("/home/ada", "/home/bob", "/home", "/tmp", "/etc", "/var", "/srv", "/opt"),
    fc.array(name, { maxLength: 3 }),
  )
  .map(([base, names]) => knownPath([base, ...names].join("/")));
/** Below a path with wildcards, or anywhere by names that neither side has at its top. */
const pattern = fc
  .oneof(
    fc.tuple(path, fc.array(fc.oneof(name, fc.constantFrom("*", "**", "?", "[ab]")), { maxLength: 3 })),
    fc.tuple(fc.constant("/**"), fc.array(fc.constantFrom("a", ".git", "x.*"), { maxLength: 3 })),
  )
  .map(([start, rest]) => parsePatterns([start, ...rest].join("/")))
  .filter((parsed) => parsed.length === 1)
  .map(([one]) => one ?? expect.unreachable());
const profile = fc
  .record({
    files: fc.array(
      fc.record({
        path,
        access: fc.constantFrom("none", "read", "write"),
        suffixes: fc.constantFrom("any" as const, [".md"]),
      }),
      { maxLength: 5 },
    ),
    masks: fc.array(
      fc.record({ pattern, atMost: fc.constantFrom("none", "read"), ignoreCase: fc.boolean() }),
      { maxLength: 3 },
    ),
    sockets: fc.oneof(fc.constantFrom("any" as const, "none" as const), fc.array(path, { maxLength: 2 })),
  })
  .map(normalProfile);

describe("laws of the translation", () => {
  test("what is there is found again here", () => {
    fc.assert(fc.property(path, (one) => here(MAC, there(MAC, one)) === one));
  });

  test("what lies in a folder lies in what the folder stands for, and nothing else does", () => {
    fc.assert(
      fc.property(
        path,
        path,
        (one, folder) => isInside(there(MAC, one), there(MAC, folder)) === isInside(one, folder),
      ),
    );
    fc.assert(
      fc.property(path, fc.array(name, { minLength: 1, maxLength: 2 }), (folder, names) => {
        const below = joinPath(folder, names.join("/"));
        return isInside(there(MAC, below), there(MAC, folder));
      }),
    );
  });

  test("a profile gives to what a path stands for what it gave to the path", () => {
    const move = (one: ReturnType<typeof knownPath>) => there(MAC, one);
    fc.assert(
      fc.property(profile, path, (given, one) => {
        const moved = movedProfile(given, move);
        expect(accessTo(moved, move(one))).toBe(accessTo(given, one));
        expect(
          moved.sockets === "any" || moved.sockets === "none" ? moved.sockets : [...moved.sockets].sort(),
        ).toEqual(typeof given.sockets === "string" ? given.sockets : given.sockets.map(move).sort());
      }),
      { numRuns: 2_000 },
    );
  });

  test("a pattern keeps all behind its first wildcard", () => {
    const moved = (text: string): readonly string[] =>
      parsePatterns(text).map((one) => movedPattern(one, (folder) => there(MAC, folder)).text);
    expect(
      ["/home/ada/**/*.md", "/tmp/a[b]c/*", "**/.env", "/home/ada/.ssh", "/home/*/x"].map(moved),
    ).toEqual([
      ["/Users/ada/**/*.md"],
      ["/private/tmp/abc/*"],
      ["/**/.env"],
      ["/Users/ada/.ssh"],
      ["/Users/*/x"],
    ]);
  });
});
