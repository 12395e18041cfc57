import { linkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { printed } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the rules of the shell tool");

interface Given {
  readonly place: Place;
  readonly rules?: readonly unknown[];
  /** An operator's deny rule for a command line. */
  readonly denied?: string;
  readonly cwd?: string;
}

/** What is decided about each call of an agent, where what no rule covers runs unasked. */
async function decided(given: Given, ...calls: readonly (readonly string[])[]): Promise<readonly string[]> {
  const { place, rules = [], denied } = given;
  if (denied !== undefined) {
    place.folder("operators");
    place.folder("operators/profiles.d");
    const rule = { shell: denied, action: "deny" };
    place.file(
      "operators/profiles.d/denies.yaml",
      JSON.stringify({ profile: "denies", approval: { rules: [rule] } }),
    );
  }
  const settings = { shell: { default: { approval: false }, rules } };
  const operatorFolders = [knownPath(join(place.top, "operators/profiles.d"))];
  await using supervisor = await place.supervisor(settings, { operatorFolders });
  const session = supervisor.session();
  const found: string[] = [];
  for (const argv of calls) {
    const cwd = given.cwd === undefined ? {} : { cwd: given.cwd };
    const { verdict } = await session.prepare({ argv: [...argv], ...cwd });
    found.push(verdict.action);
  }
  return found;
}

describe.skipIf(unusable !== null)("a rule that is written with a path", () => {
  const calls = [
    ["touch", "x"],
    ["/usr/bin/touch", "x"],
    ["/usr/bin/../bin/touch", "x"],
    ["./link", "x"],
  ];

  it.each(["/usr/bin/touch", "/bin/touch", "/bin/t*h"])(
    "`%s` holds for the program by every name",
    async (denied) => {
      using place = new Place(CALLER);
      symlinkSync("/usr/bin/touch", join(place.ws, "link"));
      const all = calls.map(() => "deny");
      expect(await decided({ place, denied }, ...calls, ["/bin/touch", "x"])).toEqual([...all, "deny"]);
      const rules = [{ pattern: denied, allowed: false }];
      expect(await decided({ place, rules }, ...calls, ["true"])).toEqual([...all, "allow"]);
    },
  );

  it("holds for the same file by another link to it, and from another folder", async () => {
    using place = new Place(CALLER);
    place.folder("ws/sub");
    place.file("ws/tool", "#!/bin/true\n", 0o755);
    linkSync(join(place.ws, "tool"), join(place.ws, "same"));
    const rules = [{ pattern: "./tool", allowed: false }];
    expect(await decided({ place, rules }, ["./same"], [join(place.ws, "same")])).toEqual(["deny", "deny"]);
    const fromSub = { place, rules: [{ pattern: "./ws/tool", allowed: false }], cwd: "sub" };
    expect(await decided(fromSub, ["../tool"], [join(place.ws, "same")])).toEqual(["deny", "deny"]);
  });
});

describe.skipIf(unusable !== null)("a program that is called through a link and out again", () => {
  it("is the one that the kernel finds: it is judged, and it runs", async () => {
    using place = new Place(CALLER);
    place.folder("ws/sub/deep");
    symlinkSync("sub/deep", join(place.ws, "link"));
    for (const name of ["", "sub/"]) place.file(`ws/${name}tool`, `#!/bin/sh\necho ${name}tool\n`, 0o755);
    const calls = [["link/../tool"], ["tool/../tool"], ["./tool"], ["sub/tool"]];
    const denied = (pattern: string) => ({ place, rules: [{ pattern, allowed: false }] });
    const [inner, outer] = [join(place.ws, "sub/tool"), join(place.ws, "tool")];
    expect(await decided(denied(inner), ...calls)).toEqual(["deny", "allow", "allow", "deny"]);
    expect(await decided(denied(outer), ...calls)).toEqual(["allow", "allow", "deny", "allow"]);
    expect(await decided(denied("link/../tool"), ...calls)).toEqual(["deny", "allow", "allow", "deny"]);
    await using supervisor = await place.supervisor({ shell: { default: { approval: false } } });
    await using session = supervisor.session();
    for (const input of [
      { argv: ["link/../tool"] },
      { script: "link/../tool" },
      { script: "link/../tool; true" },
    ])
      expect(printed(await session.call("shell", input))).toBe("sub/tool");
  });
});

describe.skipIf(unusable !== null)("a rule that is written with a name", () => {
  it("holds for what the name leads to", async () => {
    using place = new Place(CALLER);
    const rules = [{ pattern: "awk", allowed: false }, { pattern: "touch x" }];
    const calls = [
      ["/usr/bin/awk", "1"],
      ["/usr/bin/touch", "x"],
      ["/usr/bin/touch", "y"],
    ];
    expect(await decided({ place, rules }, ...calls)).toEqual(["deny", "ask", "allow"]);
    // Where one file is many programs, only the name tells which.
    const real = realpathSync("/usr/bin/awk");
    const isOneProgram = !/busybox|toybox/.test(real);
    expect(await decided({ place, rules }, [real, "1"])).toEqual([isOneProgram ? "deny" : "allow"]);
  });
});

describe.skipIf(unusable !== null)("a rule with roots", () => {
  const rules = [{ pattern: "cat", approval: false, sandbox_paths: ["ws"] }, { pattern: "cat" }];

  it("speaks for paths inside, existing or not", async () => {
    using place = new Place(CALLER);
    place.folder("ws/sub");
    writeFileSync(join(place.ws, "sub/file"), "");
    symlinkSync("sub/file", join(place.ws, "inner"));
    const calls = [
      ["a"],
      ["sub/file"],
      ["sub/new"],
      ["sub/../a"],
      ["inner"],
      ["--show-all", "-v"],
      [place.ws],
    ];
    expect(await decided({ place, rules }, ...calls.map((words) => ["cat", ...words]))).toEqual(
      calls.map(() => "allow"),
    );
  });

  it("is passed by no spelling of a path that leads outside", async () => {
    using place = new Place(CALLER);
    place.folder("outside/sub");
    place.file("outside/secret", "");
    symlinkSync(join(place.outside, "sub"), join(place.ws, "link"));
    symlinkSync("nowhere", join(place.ws, "dangling"));
    const calls = [
      ["link/../secret"],
      ["link"],
      ["./link/x"],
      ["../outside/secret"],
      ["-cf/other/x.tar"],
      ["-cf../other/y"],
      ["-f/etc/x"],
      ["--file=/x"],
      ["--file=link/x"],
      ["if=/x"],
      ["if=link/../secret"],
      ["-I../x"],
      ["-Clink"],
      ["-xvflink"],
      ["@/etc/x"],
      ["@link"],
      ["~/x"],
      ["~"],
      ["missing/../../outside/secret"],
      ["r/etc/x"],
      ["dangling"],
    ];
    expect(await decided({ place, rules }, ...calls.map((words) => ["cat", ...words]))).toEqual(
      calls.map(() => "ask"),
    );
  });

  it("speaks for no call with more paths than are looked up", async () => {
    using place = new Place(CALLER);
    const words = (count: number) => ["cat", ...Array.from({ length: count }, () => "b".repeat(200))];
    const outside = "../outside/secret";
    const calls = [words(100), [...words(100), outside], words(400), [...words(400), outside]];
    expect(await decided({ place, rules }, ...calls)).toEqual(["allow", "ask", "ask", "ask"]);
  });
});
