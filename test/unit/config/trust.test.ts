import { hash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { widerLines } from "../../../src/cli/offer-text.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { listTrust, rememberTrust, revokeTrust, trustFile } from "../../../src/config/trust.ts";
import { writeTrust } from "../../../src/config/trust-file.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { type Machine, machine, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const OWN = "home/ann/project/profiles/own.yaml";
const BASE = "home/ann/project/profiles/base.yaml";

const WITH_PROFILE = `version: 1
sandbox:
  runtimes: []
  os_profile: [profiles/own.yaml]
  paths:
    notes: { root: ./deep/notes, mode: rw }
`;

function project(): Machine {
  return machine({
    [CONFIG]: WITH_PROFILE,
    [OWN]: "profile: own\nextends: [base.yaml, no-network]\nenv: [LANG]\n",
    [BASE]: "profile: base\nlimits: { wall: 1m }\n",
    "home/ann/project/deep/notes/a": "",
  });
}

function trusted(): Machine {
  const m = project();
  rememberTrust(m.host, trustFile(m.host));
  return m;
}

/** The file that remembers a config. */
function memoryOf(m: Machine, path: string = m.at(CONFIG)): string {
  return `${m.host.stateFolder}/trust/${hash("sha256", path)}.json`;
}

const refused = (m: Machine) => refusalOf(() => loadConfig(m.host), m.folder);

describe("config.trust: a config that lies there grants nothing before the user trusts it", () => {
  test("never trusted: refused, with what to do, and nothing is written", () => {
    const m = project();
    const before = m.inventory();
    expect(listTrust(m.host)).toEqual({ configs: [], problem: null });
    expect(refused(m)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yaml:1:1",
        "code": "CONFIG_UNTRUSTED",
        "exit": 65,
        "hint": "run \`cofferdam trust\` to review it, or use another config with \`--config\`",
        "message": "\`~/home/ann/project/cofferdam.yaml\` is not trusted yet",
      }
    `);
    expect(m.inventory()).toEqual(before);
  });

  test("a malformed one is not even parsed before it is trusted", () => {
    const m = machine({ [CONFIG]: "version: [\n" });
    expect(refused(m).code).toBe("CONFIG_UNTRUSTED");
    const offered = refusalOf(() => trustFile(m.host), m.folder);
    expect(offered).toMatchObject({ exit: 65, code: "CONFIG_INVALID", at: `~/${CONFIG}:2:1` });
  });

  test("an offer says what it would grant and remembers nothing", () => {
    const m = project();
    const before = m.inventory();
    const offer = trustFile(m.host);
    expect(offer).toMatchObject({
      path: m.at(CONFIG),
      before: { trusted: false, reason: "never" },
      wider: [],
      changed: [],
    });
    expect(offer.loaded.config.roots.map((root) => root.name)).toEqual(["notes"]);
    expect(offer.loaded.ceiling.layers.map((layer) => layer.name)).toEqual([
      "protected",
      "own",
      "base",
      "no-network",
    ]);
    expect(Object.keys(offer.entry.files).toSorted()).toEqual([
      "profiles/base.yaml",
      "profiles/own.yaml",
      "shipped no-network",
    ]);
    expect(m.inventory()).toEqual(before);
  });

  test("trusted: it applies from the folder and from below it, and says so", () => {
    const m = trusted();
    const loaded = loadConfig(m.host, { cwd: m.at("home/ann/project/deep/notes") });
    expect(loaded.config.origin).toEqual({ kind: "trusted", file: m.at(CONFIG) });
    expect(loaded.notes).toEqual([
      `config: ${m.at(CONFIG)} (trusted); profiles: protected, ./profiles/own.yaml, ./profiles/base.yaml, no-network`,
    ]);
    expect(listTrust(m.host).configs).toMatchObject([{ path: m.at(CONFIG), check: { trusted: true } }]);
  });

  test("the memory is the user's alone", () => {
    const m = trusted();
    expect(statSync(m.host.stateFolder).mode & 0o777).toBe(0o700);
    expect(statSync(`${m.host.stateFolder}/trust`).mode & 0o777).toBe(0o700);
    expect(statSync(memoryOf(m)).mode & 0o777).toBe(0o600);
  });
});

describe("config.trust: a trusted config that changed is not trusted", () => {
  const changes: readonly (readonly [claim: string, change: (m: Machine) => void, reason: string])[] = [
    [
      "itself, by a comment",
      (m) => m.write({ [CONFIG]: `${WITH_PROFILE}# hello\n` }),
      "changed: cofferdam.yaml",
    ],
    [
      "a profile that it names",
      (m) => m.write({ [OWN]: "profile: own\nextends: [base.yaml, no-network]\n" }),
      "changed: profiles/own.yaml",
    ],
    [
      "a profile that this one extends",
      (m) => m.write({ [BASE]: "profile: base\n" }),
      "changed: profiles/base.yaml",
    ],
    [
      "a profile that became a link to another",
      (m) => {
        renameSync(m.at(BASE), m.at("home/ann/project/moved.yaml"));
        symlinkSync("../moved.yaml", m.at(BASE));
      },
      "changed: moved.yaml",
    ],
    [
      "where a root leads",
      (m) => {
        mkdirSync(m.at("home/ann/secret/notes"), { recursive: true });
        rmSync(m.at("home/ann/project/deep"), { recursive: true });
        symlinkSync("../secret", m.at("home/ann/project/deep"));
      },
      "changed: where root notes leads",
    ],
  ];

  test("where a root leads: an offer and the list say so, and it can be trusted again", () => {
    const m = trusted();
    mkdirSync(m.at("home/ann/secret/notes"), { recursive: true });
    renameSync(m.at("home/ann/project/deep"), m.at("home/ann/project/real"));
    symlinkSync("../secret", m.at("home/ann/project/deep"));
    const reason = "changed: where root notes leads";
    expect(listTrust(m.host).configs).toMatchObject([{ check: { trusted: false, reason } }]);
    const offer = trustFile(m.host);
    expect(offer.before).toEqual({ trusted: false, reason });
    expect(offer.wider.map(({ when, comparison }) => [when, comparison.kind])).toEqual([
      ["unasked", "exceeds"],
      ["onYes", "exceeds"],
    ]);
    rememberTrust(m.host, offer);
    expect(loadConfig(m.host).config.roots).toMatchObject([{ path: m.at("home/ann/secret/notes") }]);
    expect(trustFile(m.host).before).toEqual({ trusted: true });
    expect(listTrust(m.host).configs).toMatchObject([{ check: { trusted: true } }]);
  });

  test("where a folder of a runtime leads, likewise", () => {
    const m = machine({ "srv/one/bin/a": "", "srv/two/bin/a": "" });
    symlinkSync("one", m.at("srv/tool"));
    m.write({
      [CONFIG]: `version: 1\nsandbox:\n  runtimes: [{ name: tool, read: [${m.at("srv/tool")}] }]\n`,
    });
    rememberTrust(m.host, trustFile(m.host));
    expect(listTrust(m.host).configs).toMatchObject([{ check: { trusted: true } }]);
    rmSync(m.at("srv/tool"));
    symlinkSync("two", m.at("srv/tool"));
    const check = { trusted: false, reason: "changed: where runtime tool leads" };
    expect(refused(m).message).toContain(check.reason);
    expect(listTrust(m.host).configs).toMatchObject([{ check }]);
    expect(trustFile(m.host).before).toEqual(check);
    rememberTrust(m.host, trustFile(m.host));
    expect(loadConfig(m.host).config.runtimes).toMatchObject([{ read: [m.at("srv/two")] }]);
  });

  test.each(changes)("%s", (_claim, change, reason) => {
    const m = trusted();
    expect(loadConfig(m.host).config.roots).toHaveLength(1);
    change(m);
    expect(refused(m)).toMatchObject({
      exit: 65,
      code: "CONFIG_UNTRUSTED",
      message: `\`~/${CONFIG}\` changed after it was trusted (${reason})`,
      hint: "run `cofferdam trust` to review it, or use another config with `--config`",
      at: `~/${CONFIG}:1:1`,
    });
    rememberTrust(m.host, trustFile(m.host));
    expect(loadConfig(m.host).config.roots).toHaveLength(1);
  });

  test("a changed profile is refused before it is parsed", () => {
    const m = trusted();
    m.write({ [OWN]: "profile: [\n" });
    expect(refused(m).code).toBe("CONFIG_UNTRUSTED");
  });

  test("in another folder, or of another owner", () => {
    const m = trusted();
    renameSync(m.project, m.at("home/ann/elsewhere"));
    expect(
      refusalOf(() => loadConfig(m.host, { cwd: m.at("home/ann/elsewhere") }), m.folder).message,
    ).toContain("is not trusted yet");
    const other = trusted();
    const file = memoryOf(other);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/"uid":\d+/, '"uid":54321'));
    expect(refused(other).message).toContain("changed: its owner");
    writeFileSync(file, text);
    expect(loadConfig(other.host).config.origin.kind).toBe("trusted");
  });

  test("an offer for a changed one tells what got wider first, and which settings changed", () => {
    const m = trusted();
    m.write({
      [CONFIG]: `${WITH_PROFILE.replace("mode: rw", "mode: rw, write_approval: false")}shell: { rules: [{ pattern: ls, approval: false }] }\n`,
      [OWN]: "profile: own\nextends: [base.yaml, no-network]\nenv: [LANG, TERM]\n",
    });
    const { before, wider, changed } = trustFile(m.host);
    expect(before).toEqual({ trusted: false, reason: "changed: cofferdam.yaml" });
    expect(wider.map(({ when, comparison }) => [when, comparison.kind])).toEqual([
      ["unasked", "exceeds"],
      ["onYes", "exceeds"],
    ]);
    expect(changed).toEqual(["shell.rules"]);
    m.write({
      [CONFIG]: WITH_PROFILE.replace("mode: rw", "mode: ro"),
      [OWN]: "profile: own\nextends: [base.yaml, no-network]\nenv: [LANG]\n",
    });
    expect(trustFile(m.host)).toMatchObject({ wider: [], changed: [] });
  });

  test("rules that vanished stand first, then rules that are new, and a rule that another covers is no change", () => {
    const strict = `version: 1
shell:
  default: { approval: beyond }
  rules: [{ pattern: rm, allowed: false }, { pattern: git push }, { pattern: npm publish }, { pattern: curl, allowed: false }]
approval:
  rules: [{ pattern: write_file, action: deny }, { pattern: edit_file, args: { path: "notes:*" }, action: ask }]
  agents: { ci: { rules: [{ pattern: shell, action: deny }] } }
`;
    const loose = `version: 1
shell:
  default: { approval: beyond }
  rules: [{ pattern: npm }, { pattern: curl }, { pattern: make, approval: false }]
`;
    const m = machine({ [CONFIG]: strict });
    rememberTrust(m.host, trustFile(m.host));
    expect(trustFile(m.host).rules).toEqual({ looser: [], stricter: [] });
    m.write({ [CONFIG]: loose });
    const offer = trustFile(m.host);
    expect(widerLines(offer)).toEqual([
      "it changed: cofferdam.yaml",
      "no longer denied: `rm`",
      "no longer asks: `git push`",
      "asks now, was denied: `curl`",
      "no longer denied: the tool `write_file`",
      'no longer asks: the tool `edit_file` with `{"path":"notes:*"}`',
      "no longer denied: the tool `shell`, for the agent `ci`",
      "a rule allows now: `make`",
      "asks now: `npm`",
      "changed: shell.rules",
      "changed: approval",
    ]);
    rememberTrust(m.host, offer);
    m.write({ [CONFIG]: strict });
    expect(trustFile(m.host).rules).toEqual({
      looser: ["no longer asks: `npm`"],
      stricter: [
        "denied now: `rm`",
        "asks now: `git push`",
        "denied now: `curl`",
        "denied now: the tool `write_file`",
        'asks now: the tool `edit_file` with `{"path":"notes:*"}`',
        "denied now: the tool `shell`, for the agent `ci`",
        "no rule allows any more: `make`",
      ],
    });
  });
});

describe("where the state folder can't be made", () => {
  const withoutState = (): Machine => {
    const m = project();
    mkdirSync(m.at("home/ann/.local"));
    writeFileSync(m.at("home/ann/.local/state"), "");
    return m;
  };
  const hint = expect.stringContaining("set XDG_STATE_HOME to a folder that you own");

  test("trusting, and loading what nobody could trust, give the same hint", () => {
    const m = withoutState();
    expect(refusalOf(() => rememberTrust(m.host, trustFile(m.host)), m.folder)).toMatchObject({ hint });
    expect(refused(m)).toMatchObject({ code: "CONFIG_UNTRUSTED", hint });
  });

  test("the hint helps", () => {
    const m = withoutState();
    const host = { ...m.host, stateFolder: absolutePath(`${m.folder}/state/cofferdam`) };
    rememberTrust(host, trustFile(host));
    expect(loadConfig(host).config.origin.kind).toBe("trusted");
  });
});

describe("the memory of trust", () => {
  test("lists what is trusted and whether it still is, and forgets", () => {
    const m = trusted();
    expect(listTrust(m.host)).toMatchObject({
      configs: [{ path: m.at(CONFIG), check: { trusted: true } }],
      problem: null,
    });
    m.write({ [BASE]: "profile: base\n" });
    expect(listTrust(m.host).configs).toMatchObject([
      { check: { trusted: false, reason: "changed: profiles/base.yaml" } },
    ]);
    expect(revokeTrust(m.host, "cofferdam.yaml")).toBe(true);
    expect(revokeTrust(m.host, "cofferdam.yaml")).toBe(false);
    expect(listTrust(m.host).configs).toEqual([]);
    expect(trustFile(m.host).before).toEqual({ trusted: false, reason: "never" });
  });

  test("a config that is gone can still be forgotten", () => {
    const m = trusted();
    rmSync(m.at(CONFIG));
    expect(listTrust(m.host).configs).toMatchObject([
      { check: { trusted: false, reason: "changed: cofferdam.yaml" } },
    ]);
    expect(revokeTrust(m.host, m.at(CONFIG))).toBe(true);
  });

  test.each([
    ["no JSON", "{"],
    ["another version", '{ "version": 3 }'],
    ["an unknown key", null],
  ])("broken by %s trusts nothing and says so", (_claim, text) => {
    const m = trusted();
    const whole = readFileSync(memoryOf(m), "utf8");
    writeFileSync(memoryOf(m), text ?? whole.replace("{", '{"all":true,'));
    expect(listTrust(m.host)).toMatchObject({ configs: [], problem: { code: "CONFIG_INVALID" } });
    expect(refused(m).code).toBe("CONFIG_UNTRUSTED");
    expect(refused(m).message).toContain("is damaged; its config is not trusted");
    expect(refused(m).hint).toContain("then run `cofferdam trust`");
    expect(refusalOf(() => rememberTrust(m.host, trustFile(m.host))).code).toBe("CONFIG_INVALID");
    expect(revokeTrust(m.host, m.at(CONFIG))).toBe(true);
    rememberTrust(m.host, trustFile(m.host));
    expect(loadConfig(m.host).config.origin.kind).toBe("trusted");
  });

  test("of one config says nothing about another, also under its name", () => {
    const m = trusted();
    const other = m.at("home/ann/other/cofferdam.yaml");
    m.write({ "home/ann/other/cofferdam.yaml": "version: 1\nsandbox: { runtimes: [] }\n" });
    const whole = readFileSync(memoryOf(m), "utf8");
    writeFileSync(memoryOf(m, other), whole, { mode: 0o600 });
    expect(refusalOf(() => loadConfig(m.host, { cwd: m.at("home/ann/other") })).code).toBe(
      "CONFIG_UNTRUSTED",
    );
    expect(loadConfig(m.host).config.origin.kind).toBe("trusted");
    expect(listTrust(m.host)).toMatchObject({
      configs: [{ path: m.at(CONFIG) }],
      problem: { code: "CONFIG_INVALID" },
    });
    rmSync(memoryOf(m, other));
    rememberTrust(m.host, trustFile(m.host, other));
    expect(listTrust(m.host)).toMatchObject({
      configs: [{ path: other }, { path: m.at(CONFIG) }],
      problem: null,
    });
  });

  test("holds a thousand configs", () => {
    const m = trusted();
    const { entry } = trustFile(m.host);
    for (let count = 0; count < 1000; count += 1)
      writeTrust(m.host, { ...entry, path: `/srv/${count}/cofferdam.yaml` });
    expect(loadConfig(m.host).config.origin.kind).toBe("trusted");
    expect(listTrust(m.host).configs).toHaveLength(1001);
  });

  test("refuses what it could not read again, and keeps what it has", () => {
    const m = trusted();
    const masks = (count: number): string =>
      Array.from({ length: count }, (_, at) => `  - { pattern: "**/masked-${at}", at_most: none }\n`).join(
        "",
      );
    const big = m.at("home/ann/big/cofferdam.yaml");
    m.write({
      "home/ann/big/cofferdam.yaml": WITH_PROFILE.replace("profiles/own", "./many"),
      "home/ann/big/many.yaml": `profile: many\nmasks:\n${masks(12_000)}`,
      "home/ann/big/deep/notes/a": "",
    });
    expect(refusalOf(() => rememberTrust(m.host, trustFile(m.host, big)), m.folder)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        /^the permissions of `~\/home\/ann\/big\/cofferdam.yaml` take \d+ bytes to store, but the maximum is 1048576$/,
      ),
    });
    expect(loadConfig(m.host).config.origin.kind).toBe("trusted");
    m.write({ "home/ann/big/many.yaml": `profile: many\nmasks:\n${masks(1000)}` });
    rememberTrust(m.host, trustFile(m.host, big));
    expect(listTrust(m.host)).toMatchObject({
      configs: [{ path: big }, { path: m.at(CONFIG) }],
      problem: null,
    });
  });

  test("that others could have written trusts nothing and says so", () => {
    const m = trusted();
    chmodSync(memoryOf(m), 0o660);
    expect(refused(m)).toMatchObject({
      code: "CONFIG_UNTRUSTED",
      hint: `run chmod go-rwx ${memoryOf(m).replace(m.folder, "~")}`,
    });
    chmodSync(memoryOf(m), 0o600);
    expect(loadConfig(m.host).config.origin.kind).toBe("trusted");
    chmodSync(m.host.stateFolder, 0o755);
    expect(refused(m).code).toBe("CONFIG_UNTRUSTED");
    const host = { ...m.host, user: { ...m.host.user, uid: m.host.user.uid + 1 } };
    chmodSync(m.host.stateFolder, 0o700);
    expect(listTrust(host).configs).toEqual([]);
  });

  test("a file that is never found by itself cannot be trusted", () => {
    const m = machine({ "home/ann/project/other.yaml": "version: 1\n" });
    expect(refusalOf(() => trustFile(m.host, "other.yaml"), m.folder)).toMatchObject({
      exit: 65,
      hint: "use it with `--config`, or name it `cofferdam.yaml`",
    });
    expect(refusalOf(() => trustFile(m.host), m.folder).message).toBe(
      "no `cofferdam.yaml` in this folder or above",
    );
  });
});
