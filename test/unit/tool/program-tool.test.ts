import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { isWithin } from "../../../src/profile/compare.ts";
import { DEVICE_GROUPS } from "../../../src/profile/devices.ts";
import { MACOS_GROUPS } from "../../../src/profile/macos.ts";
import { absolutePath, knownPath } from "../../../src/profile/path.ts";
import { SYSCALL_GROUPS } from "../../../src/profile/syscalls.ts";
import { deriveShellNeeds, type ToolSettings } from "../../../src/tool/derive.ts";
import type { Root, Runtime } from "../../../src/tool/facts.ts";
import { fillTemplate, settingsFor, ToolNeeds } from "../../../src/tool/program-tool.ts";
import { SandboxSection, ShellSection } from "../../../src/tool/settings.ts";
import { path, suffixes } from "../../support/generate.ts";

/** The code of what a use throws, with its message. */
function thrown(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof CofferdamError ? `${error.code}: ${error.message}` : String(error);
  }
  return "nothing";
}

describe("the words of a program", () => {
  test("hold each argument in its place, and a list where a word is nothing but its place", () => {
    const args = { name: "a b", count: 2, isDeep: true, files: ["x", "y z", 3], none: [] };
    expect(
      fillTemplate(["git", "log", "-n{count}", "--deep={isDeep}", "{name}", "{files}", "{none}"], args),
    ).toEqual(["git", "log", "-n2", "--deep=true", "a b", "x", "y z", "3"]);
    expect(fillTemplate(["echo", "{}", "{a b}", "{1}", "$name", "{{name}}"], args)).toEqual([
      "echo",
      "{}",
      "{a b}",
      "{1}",
      "$name",
      "{a b}",
    ]);
  });

  test("what an argument says stays one word, and is never read as a place again", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("{b}", "$&", "$1", "; rm -rf /", "-x"),
    );
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(fillTemplate(["tool", "--", "{a}", "x{a}{b}y"], { a, b })).toEqual([
          "tool",
          "--",
          a,
          `x${a}${b}y`,
        ]);
      }),
    );
  });

  test("a list is as many words as it has, whatever they say", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (list) => {
        expect(fillTemplate(["tool", "{list}", "end"], { list })).toEqual(["tool", ...list, "end"]);
      }),
    );
  });

  test.each<[what: string, template: readonly string[], args: Parameters<typeof fillTemplate>[1]]>([
    ["an argument that is missing", ["{name}"], {}],
    ["one that every object has", ["{constructor}"], {}],
    ["an object", ["{name}"], { name: { a: 1 } }],
    ["null", ["x{name}"], { name: null }],
    ["a list within a word", ["x{name}"], { name: ["a"] }],
    ["a list in a list", ["{name}"], { name: [["a"]] }],
    ["arguments without names", ["{name}"], ["name"]],
    ["no arguments at all", ["{name}"], null],
  ])("%s is refused, never left out", (_, template, args) => {
    const [, name] = /\{(\w+)\}/.exec(template.join(" ")) ?? [];
    expect(thrown(() => fillTemplate(template, args))).toBe(
      `USAGE: the command needs \`${name}\` as a string, a number or a boolean`,
    );
  });
});

const root = (name: string, at: string, more: Partial<Root> = {}): Root => ({
  name,
  path: absolutePath(at),
  mode: "rw",
  suffixes: "any",
  writeApproval: false,
  readApproval: false,
  at: null,
  ...more,
});

const runtimeOf = (read: Runtime["read"], macos: Runtime["macos"] = []): Runtime => ({
  name: "system",
  read,
  links: [],
  path: [],
  env: {},
  macos,
});

function settings(more: Partial<ToolSettings> = {}): ToolSettings {
  return {
    roots: [root("ws", "/w"), root("notes", "/w/notes"), root("docs", "/d", { mode: "ro" })],
    runtimes: [runtimeOf([absolutePath("/usr")])],
    sandbox: SandboxSection.parse({ limits: { wall: "2m" } }),
    shell: ShellSection.parse({ network: true, terminal: true }),
    ownFiles: [absolutePath("/w/cofferdam.yaml")],
    ...more,
  };
}

/** How far a tool that needs this gets, after a yes. */
function accessWith(needs: ToolNeeds, at: string): string {
  return accessTo(deriveShellNeeds(settingsFor(settings(), needs)).withApproval, absolutePath(at));
}

describe("what a tool needs", () => {
  test("is given as far as it needs it and as far as the config has it, and nothing else is", () => {
    const needs: ToolNeeds = { roots: { notes: "read", docs: "write" } };
    expect(["/w/notes/a", "/d/a", "/w/a", "/usr/bin/x"].map((at) => accessWith(needs, at))).toEqual([
      "read",
      "read",
      "none",
      "read",
    ]);
    expect(["/w/notes/a", "/d/a", "/w/a"].map((at) => accessWith({}, at))).toEqual([
      "write",
      "read",
      "write",
    ]);
  });

  test("a root that is not needed stays closed inside one that is", () => {
    const needs: ToolNeeds = { roots: { ws: "write" } };
    expect(["/w/a", "/w/notes", "/w/notes/a"].map((at) => accessWith(needs, at))).toEqual([
      "write",
      "none",
      "none",
    ]);
  });

  test("is without network and terminal unless it needs the network, and then it has the config's", () => {
    const networkOf = (needs: ToolNeeds, network: boolean): unknown => {
      const shell = ShellSection.parse({ network, terminal: true });
      const { withApproval: onYes } = deriveShellNeeds(settingsFor(settings({ shell }), needs));
      expect(onYes.terminal).toBe(false);
      return onYes.network;
    };
    expect(networkOf({}, true)).toBe("none");
    expect(networkOf({ network: false }, true)).toBe("none");
    expect(networkOf({ network: true }, true)).toBe("open");
    expect(networkOf({ network: true }, false)).toBe("none");
  });

  test("has of the system calls that the config grants those that it needs", () => {
    const granted = (needs: ToolNeeds, syscalls: readonly string[]): unknown =>
      deriveShellNeeds(settingsFor({ ...settings(), sandbox: SandboxSection.parse({ syscalls }) }, needs))
        .withApproval.syscalls;
    expect(granted({}, ["debug", "abi32"])).toEqual([]);
    expect(granted({ syscalls: ["abi32"] }, ["debug", "abi32"])).toEqual(["abi32"]);
    expect(granted({ syscalls: ["abi32"] }, ["debug"])).toEqual([]);
  });

  test("has of what macOS gives what it needs and the config grants, and what a runtime brings along", () => {
    const granted = (needs: ToolNeeds, macos: readonly string[]): unknown => {
      const runtimes = [runtimeOf([absolutePath("/usr")], ["python"])];
      const given = { ...settings({ runtimes }), sandbox: SandboxSection.parse({ macos }) };
      return deriveShellNeeds(settingsFor(given, needs)).withApproval.macos;
    };
    expect(granted({}, ["tls", "pty"])).toEqual(["python"]);
    expect(granted({ macos: ["tls"] }, ["tls", "pty"])).toEqual(["python", "tls"]);
    expect(granted({ macos: ["tls", "watch"] }, ["pty"])).toEqual(["python"]);
  });

  test("a root that there is not is refused with those that there are", () => {
    expect(thrown(() => settingsFor(settings(), { roots: { nots: "read" } }))).toBe(
      "USAGE: a tool needs the unknown root `nots`",
    );
    expect(
      thrown(() => settingsFor(settings(), { roots: Object.fromEntries([["constructor", "read"]]) })),
    ).toMatch(/^USAGE/);
    expect(thrown(() => settingsFor(settings({ roots: [] }), { roots: { ws: "read" } }))).toMatch(/^USAGE/);
    expect(thrown(() => settingsFor(settings(), { roots: { notes: "read" } }))).toBe("nothing");
  });

  test("an operator's and the config's own files stay as they are, and so do the limits", () => {
    const { withApproval: onYes } = deriveShellNeeds(settingsFor(settings(), { roots: { ws: "write" } }));
    expect(accessTo(onYes, absolutePath("/w/cofferdam.yaml"))).toBe("read");
    expect(onYes.limits.wallMs).toBe(120_000);
  });

  test("a runtime can be read wherever it lies: a root around it that is closed hides no program", () => {
    const roots = [root("outer", "/w"), root("inner", "/w/in", { readApproval: true })];
    const given = settings({ roots, runtimes: [runtimeOf([absolutePath("/w/in/rt")])] });
    const at = absolutePath("/w/in/rt/lib");
    const accesses = (all: ToolSettings) => {
      const { withoutApproval: unasked, withApproval: onYes } = deriveShellNeeds(all);
      return [accessTo(unasked, at), accessTo(onYes, at)];
    };
    expect(accesses(given)).toEqual(["read", "write"]);
    expect(accesses(settingsFor(given, { roots: { outer: "write" } }))).toEqual(["read", "read"]);
    expect(accesses(settingsFor(given, { roots: {} }))).toEqual(["read", "read"]);
  });
});

const NAMES = ["one", "two", "three", "four"];
const anyRoots: fc.Arbitrary<readonly Root[]> = fc
  .uniqueArray(
    fc.record({
      path: path.filter((at) => at !== "/"),
      mode: fc.constantFrom("rw", "rw", "ro", "none"),
      suffixes,
      writeApproval: fc.boolean(),
      readApproval: fc.boolean(),
    }),
    { selector: (one) => one.path, maxLength: NAMES.length },
  )
  .map((made) => made.map((one, index): Root => ({ ...one, name: NAMES[index] ?? "", at: null })));
const anySettings: fc.Arbitrary<ToolSettings> = fc
  .record({
    roots: anyRoots,
    read: fc.array(path, { maxLength: 4 }),
    below: fc.array(fc.tuple(fc.nat(), fc.constantFrom("", "/a", "/rt")), { maxLength: 2 }),
    ownFiles: fc.array(path, { maxLength: 2 }),
    network: fc.constantFrom(false, true, { hosts: ["a.test:443"] }),
    terminal: fc.boolean(),
    syscalls: fc.subarray([...SYSCALL_GROUPS]),
    devices: fc.subarray([...DEVICE_GROUPS]),
    macos: fc.subarray([...MACOS_GROUPS]),
    ofRuntime: fc.subarray([...MACOS_GROUPS]),
    env: fc.constantFrom(["*"], ["LANG", "LC_*"], []),
    limits: fc.constantFrom({}, { wall: "2m" }, { memory: "1GiB", cpu: "9s" }),
  })
  .map(
    ({
      roots,
      read,
      below,
      ownFiles,
      network,
      terminal,
      syscalls,
      devices,
      macos,
      ofRuntime,
      env,
      limits,
    }) => ({
      roots,
      runtimes: [
        runtimeOf(
          [
            ...read,
            ...below.flatMap(([index, tail]) => {
              const at = roots[index % Math.max(1, roots.length)]?.path;
              return at === undefined ? [] : [knownPath(`${at}${tail}`)];
            }),
          ],
          ofRuntime,
        ),
      ],
      sandbox: SandboxSection.parse({ env: { pass: env }, syscalls, devices, macos, limits }),
      shell: ShellSection.parse({ network, terminal }),
      ownFiles,
    }),
  );
const anyNeeds = (roots: readonly Root[]): fc.Arbitrary<ToolNeeds> =>
  fc.record(
    {
      roots: fc.dictionary(
        fc.constantFrom(...roots.map(({ name }) => name)),
        fc.constantFrom<"read" | "write">("read", "write"),
      ),
      network: fc.boolean(),
      syscalls: fc.subarray([...SYSCALL_GROUPS]),
      devices: fc.subarray([...DEVICE_GROUPS]),
      macos: fc.subarray([...MACOS_GROUPS]),
    },
    { requiredKeys: [] },
  );
const used = anySettings.chain((given) =>
  fc.tuple(fc.constant(given), given.roots.length === 0 ? fc.constant<ToolNeeds>({}) : anyNeeds(given.roots)),
);

describe("for every config, and whatever a tool needs", () => {
  test("each profile derived for it is within the shell's own", () => {
    fc.assert(
      fc.property(used, ([given, needs]) => {
        const [own, shell] = [deriveShellNeeds(settingsFor(given, needs)), deriveShellNeeds(given)];
        expect(isWithin(own.withoutApproval, shell.withoutApproval)).toBe(true);
        expect(isWithin(own.withApproval, shell.withApproval)).toBe(true);
        expect(isWithin(own.withoutApproval, own.withApproval)).toBe(true);
        expect(isWithin(shell.withoutApproval, shell.withApproval)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a tool that needs all of it has the same files as the shell", () => {
    fc.assert(
      fc.property(anySettings, (given) => {
        expect(
          deriveShellNeeds(
            settingsFor(given, {
              network: true,
              syscalls: [...SYSCALL_GROUPS],
              devices: [...DEVICE_GROUPS],
              macos: [...MACOS_GROUPS],
            }),
          ).withApproval,
        ).toEqual({
          ...deriveShellNeeds(given).withApproval,
          terminal: false,
        });
      }),
    );
  });

  test("needs are read as written, and a misspelt one is refused", () => {
    expect(ToolNeeds.safeParse({ roots: { a: "read" }, network: true, cwd: "sub" }).success).toBe(true);
    for (const given of [
      { root: {} },
      { roots: { a: "rw" } },
      { network: "yes" },
      { syscalls: ["all"] },
      { devices: ["usb"] },
      { macos: ["debug"] },
      { cwd: "" },
      [],
    ])
      expect([given, ToolNeeds.safeParse(given).success]).toEqual([given, false]);
  });
});
