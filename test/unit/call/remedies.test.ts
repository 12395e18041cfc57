import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findings } from "../../../src/config/check.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { type DeniableQuestion, denialFor, SOME_PUBLIC } from "../../../src/decide/denial.ts";
import { layersOf } from "../../../src/decide/explain.ts";
import { listedUsers } from "../../../src/host/look/users.ts";
import { knownPath, ROOT } from "../../../src/profile/path.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { type Machine, machine } from "../config/machine.ts";

const FILE = { kind: "file", bornInside: false } as const;

interface Followed {
  readonly ask: (at: Machine) => DeniableQuestion;
  /** What the config says under `sandbox:` and `shell:`, and what it says when the remedy was followed. */
  readonly before: string;
  readonly remedy: RegExp;
  readonly after: string;
}

const at =
  (ask: "read" | "write", path: string) =>
  (m: Machine): DeniableQuestion => ({ ask, path: knownPath(join(m.home, path)), facts: FILE });

const paths = (docs: string): string =>
  `sandbox: { runtimes: [], paths: { docs: { root: ~/docs, ${docs} } } }`;
const alone = (more: string): string =>
  `sandbox: { runtimes: [], paths: { ws: { root: ., mode: rw } }${more} }`;

const FOLLOWED: Readonly<Record<string, Followed>> = {
  "a folder that may only be read": {
    ask: at("write", "docs/a"),
    before: paths("mode: ro"),
    remedy: /^give the folder `mode: rw` under `sandbox.paths`/,
    after: paths("mode: rw"),
  },
  "a folder that is not listed": {
    ask: at("read", "docs/a"),
    before: alone(""),
    remedy: /^list the folder under `sandbox.paths`/,
    after: paths("mode: ro"),
  },
  "an ending that is not listed": {
    ask: at("read", "docs/a.txt"),
    before: paths("mode: ro, suffixes: [.md]"),
    remedy: /^list the file's ending in `suffixes` of its folder under `sandbox.paths`/,
    after: paths("mode: ro, suffixes: [.md, .txt]"),
  },
  "a host that is not listed": {
    ask: () => ({ ask: "connect", target: { host: "a.test", address: SOME_PUBLIC, port: 443 } }),
    before: alone(""),
    remedy: /^list the host under `shell.network`/,
    after: `${alone("")}\nshell: { network: { hosts: ["a.test:443"] } }`,
  },
  "a group of devices": {
    ask: () => ({ ask: "devices", group: "kvm" }),
    before: alone(""),
    remedy: /^list `kvm` under `sandbox.devices`/,
    after: alone(", devices: [kvm]"),
  },
  "a group of system calls": {
    ask: () => ({ ask: "syscalls", group: "debug" }),
    before: alone(""),
    remedy: /^list `debug` under `sandbox.syscalls`/,
    after: alone(", syscalls: [debug]"),
  },
};

/** What is denied under a config, after a yes. */
function denied(m: Machine, config: string, ask: Followed["ask"]) {
  m.write({ "home/ann/project/cofferdam.yaml": `version: 1\n${config.replaceAll("~", m.home)}\n` });
  const { policy } = createDraft({ host: m.host, config: m.at("home/ann/project/cofferdam.yaml") });
  const { settings, ceiling, needs } = policy;
  return denialFor(layersOf(settings, ceiling, needs.withApproval), ask(m), "certain", settings.whyNoRoot);
}

describe("a remedy, where it is followed", () => {
  test.each(Object.entries(FOLLOWED))("lets pass what it was told for: %s", (_claim, one) => {
    const m = machine({ "home/ann/docs/a": "a", "home/ann/docs/a.txt": "a", "home/ann/project/a": "a" });
    expect(denied(m, one.before, one.ask)?.remedy).toMatch(one.remedy);
    expect(denied(m, one.after, one.ask)).toBeNull();
  });

  test("of a folder that no config can list is that, not a line that the config would be refused for", () => {
    const m = machine({ "home/ann/docs/a": "a", "home/ann/project/a": "a" });
    const why = (path: string, ask: "read" | "write" = "write") =>
      denied(m, alone(""), () => ({ ask, path: knownPath(path), facts: FILE }))?.remedy.replace(
        / use a file in .*/,
        "",
      );
    // A hidden path may be a folder.
    expect(why(join(m.home, "note"), "read")).toBe(
      `list it under \`sandbox.paths\` in the config, if it is a folder; put a file into a listed folder: the folder \`${m.home}\` is a home folder, which no config can list`,
    );
    expect(why(m.home, "read")).toBe(
      `no config can make it readable: the folder \`${m.home}\` is a home folder;`,
    );
    expect(why(join(m.home, "note"))).toMatch(/^no config can make it writable: .* is a home folder;$/);
    expect(why("/etc/hosts")).toBe("no config can make it writable: the folder `/etc` is a system folder;");
    expect(why("/usr/lib/a")).toBe(
      "no config can make it writable: the folder `/usr/lib` is in the system folder /usr;",
    );
    expect(why("/etc/hosts", "read")).toMatch(/^list the folder/);
    expect(why(join(m.home, "docs/a"))).toMatch(/^give the folder/);
    // The remedy for a file in another user's home is that for any folder: it tells a model nothing of this machine's users.
    const home = listedUsers().find((user) => user.home !== ROOT)?.home;
    for (const folder of [home ?? expect.unreachable(), "/no-such-home"])
      expect(why(join(folder, "a"), "read")).toBe(
        "list the folder under `sandbox.paths` in the config, if intended",
      );
  });

  const found = (m: Machine, config: string): readonly string[] => {
    m.write({ "home/ann/project/cofferdam.yaml": `version: 1\n${config.replaceAll("~", m.home)}\n` });
    const file = m.at("home/ann/project/cofferdam.yaml");
    return findings(loadConfig(m.host, { config: file, profiles: [] })).flatMap(({ message, hint }) =>
      message.startsWith("the root") ? [hint] : [],
    );
  };

  test("says of a root that shipped protections keep that nothing gives it", () => {
    const m = machine({ "home/ann/.gnupg/a": "a", "home/ann/keys/a": "a" });
    const keys = (root: string): string =>
      `sandbox: { runtimes: [], paths: { keys: { root: ${root}, mode: rw } } }`;
    expect(found(m, keys(`${m.home}/.gnupg`))).toEqual([
      "name another folder: no config or operator profile can allow this one",
    ]);
    expect(found(m, keys(`${m.home}/keys`))).toEqual([]);
  });

  test("of a root that an operator lets be read names the mode that holds, or the profile", () => {
    const profile = "profile: own\nmasks:\n  - { pattern: '**/docs', at_most: read }\n";
    const m = machine({ "home/ann/docs/a": "a", "home/ann/.config/cofferdam/profiles.d/own.yaml": profile });
    expect(found(m, paths("mode: rw"))).toEqual([
      "write `mode: ro` for it, or name another folder, or change the profile `own`",
    ]);
    expect(found(m, paths("mode: ro"))).toEqual([]);
    m.write({ "home/ann/.config/cofferdam/profiles.d/own.yaml": "profile: own\n" });
    expect(found(m, paths("mode: rw"))).toEqual([]);
  });
});
