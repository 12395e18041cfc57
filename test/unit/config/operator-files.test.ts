import { chmodSync, chownSync, lchownSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { explain, type Layer } from "../../../src/profile/explain.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { type Machine, machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const MACHINE = "etc/profiles.d";
const USER = "home/ann/.config/cofferdam/profiles.d";

function load(m: Machine, profiles: readonly string[] = [], host: Host = m.host) {
  return loadConfig(host, { config: m.at(CONFIG), profiles });
}

/** A machine with a plain config and one operator profile. */
function withProfile(text: string, files: Readonly<Record<string, string>> = {}): Machine {
  return machine({ [CONFIG]: PLAIN, [`${MACHINE}/10-site.yaml`]: text, ...files });
}

function refused(m: Machine, profiles: readonly string[] = []) {
  return refusalOf(() => load(m, profiles), m.folder);
}

/** Gives the file to somebody else: by chown for root, else by asking as somebody else. */
function givenAway(m: Machine, path: string): Host {
  if (process.getuid?.() !== 0) return { ...m.host, user: { ...m.host.user, uid: m.host.user.uid + 1 } };
  lchownSync(path, 12_345, 12_345);
  return m.host;
}

describe("the ceiling is the meet of every operator profile", () => {
  test("the protections, the machine's, the user's, the config's and the caller's, each with its place", () => {
    const m = machine({
      [CONFIG]: `${PLAIN}  os_profile: [ops/own.yaml, no-network]\n`,
      "home/ann/project/ops/own.yaml": "profile: own\nenv: [LANG, CI]\n",
      [`${MACHINE}/20-b.yaml`]: "profile: b\nenv: [LANG, LC_*, CI]\n",
      [`${MACHINE}/10-a.yaml`]: "profile: a\nlimits: { wall: 1m }\n",
      [`${USER}/mine.yaml`]: "profile: mine\nterminal: false\nsyscalls: [abi32]\nmacos: [tls, java]\n",
    });
    const { ceiling, files, notes } = load(m, ["read-only"]);
    expect(ceiling.layers.map((layer) => layer.name)).toEqual([
      "protected",
      "a",
      "b",
      "mine",
      "own",
      "no-network",
      "read-only",
    ]);
    expect(ceiling.profile).toMatchObject({
      env: ["CI", "LANG"],
      terminal: false,
      syscalls: ["abi32"],
      macos: ["java"],
      network: "none",
      sockets: [],
      limits: { wallMs: 60_000 },
    });
    const places = ["syscalls", "macos"].map((section) => ceiling.layers[3]?.sources.get(section)?.line);
    expect(places).toEqual([3, 4]);
    expect(accessTo(ceiling.profile, absolutePath(`${m.project}/a`))).toBe("read");
    expect(accessTo(ceiling.profile, absolutePath(`${m.home}/a`))).toBe("none");
    expect(files).toEqual(
      expect.arrayContaining([
        m.at(CONFIG),
        m.at(`${MACHINE}/20-b.yaml`),
        m.at("home/ann/project/ops/own.yaml"),
      ]),
    );
    expect(notes[0]).toBe(
      `config: ${m.at(CONFIG)} (named by --config); profiles: protected, ${m.at(`${MACHINE}/10-a.yaml`)}, ${m.at(`${MACHINE}/20-b.yaml`)}, ${m.at(`${USER}/mine.yaml`)}, ./ops/own.yaml, no-network, read-only`,
    );
  });

  test("is told by what nobody chooses for himself: the path of a file, the name of what is shipped", () => {
    const m = machine({
      [CONFIG]: `${PLAIN}  os_profile: [prof/strict.yaml, prof/two.yaml, ./strict, "a, strict.yaml", strict]\n`,
      "home/ann/project/prof/strict.yaml": "profile: strict\n",
      "home/ann/project/prof/two.yaml": "profile: strict\n",
      "home/ann/project/strict": "profile: strict\n",
      "home/ann/project/a, strict.yaml": "profile: strict\n",
    });
    const { ceiling, notes } = load(m);
    const labels = [
      "protected",
      "./prof/strict.yaml",
      "./prof/two.yaml",
      "./strict",
      "'./a, strict.yaml'",
      "strict",
    ];
    expect(ceiling.labels).toEqual(labels);
    expect(notes[0]).toContain(`; profiles: ${labels.join(", ")}`);
  });

  test("a folder that is not there says nothing", () => {
    const m = machine({ [CONFIG]: PLAIN });
    expect(load(m).ceiling.layers.map((layer) => layer.name)).toEqual(["protected"]);
  });

  test("what a file extends counts as well, once, and tells its own place", () => {
    const m = machine({
      [CONFIG]: PLAIN,
      "etc/base/wide.yaml":
        "profile: wide\nextends: [no-network]\nmasks: [{ pattern: /srv/secret, at_most: none }]\n",
    });
    const base = m.at("etc/base/wide.yaml");
    m.write({ [`${MACHINE}/site.yaml`]: `profile: site\nextends: [${base}, no-network, ${base}]\n` });
    const { ceiling } = load(m);
    expect(ceiling.layers.map((layer) => layer.name)).toEqual(["protected", "site", "wide", "no-network"]);
    const facts = { kind: "file", bornInside: false } as const;
    const { decidedBy } = explain(layersOf(ceiling.layers), {
      ask: "read",
      path: absolutePath("/srv/secret/a"),
      facts,
    });
    expect(decidedBy).toMatchObject({
      layer: "wide",
      allowed: false,
      at: { file: base, line: 3, column: 9 },
    });
  });

  test("approval and run_as meet too", () => {
    const m = machine({
      [CONFIG]: PLAIN,
      [`${MACHINE}/a.yaml`]:
        'profile: a\nrun_as: not-root\napproval: { modes: [interactive, strict], rules: [{ pattern: "drop_*", action: deny }] }\n',
      [`${USER}/b.yaml`]:
        "profile: b\napproval: { modes: [strict, approve_all], session_grants: false, rules: [{ shell: git push, action: ask }] }\n",
    });
    expect(load(m).ceiling).toMatchObject({
      runAs: "not-root",
      approval: {
        modes: ["strict"],
        sessionGrants: false,
        rules: [
          { pattern: "drop_*", action: "deny" },
          { shell: "git push", action: "ask" },
        ],
      },
    });
  });

  test("every clause knows where it stands; of two entries for one path the lesser is named", () => {
    const m = withProfile(
      [
        "profile: site",
        "files:",
        '  - { path: "${workspace}", access: read }',
        '  - { path: "${workspace}", access: write }',
        "masks:",
        '  - { pattern: "**/.env", at_most: none }',
        "network: none",
        "sockets: []",
        "env: [LANG]",
        "",
      ].join("\n"),
    );
    const layer = load(m).ceiling.layers.find((one) => one.name === "site");
    const places = [...(layer?.sources ?? [])].map(([key, { line, column }]) => [
      key.replace(m.folder, "~"),
      `${line}:${column}`,
    ]);
    expect(Object.fromEntries(places)).toEqual({
      files: "2:1",
      network: "7:1",
      sockets: "8:1",
      env: "9:1",
      "file ~/home/ann/project": "3:5",
      "mask /**/.env": "6:5",
    });
  });
});

function layersOf(layers: readonly Layer[]): readonly [Layer, ...Layer[]] {
  const [first, ...rest] = layers;
  if (first === undefined) throw new Error("a ceiling has a layer");
  return [first, ...rest];
}

describe("config.strict: a profile that is malformed or unsafe keeps everything from starting", () => {
  /** A profile, what is said of it and where; the twin that loads. */
  const texts: readonly (readonly [claim: string, text: string, at: string, told: string, twin: string])[] = [
    [
      "an unknown key",
      "profile: p\nmask: []\n",
      "2:1",
      "unknown key `mask` in the file",
      "profile: p\nmasks: []\n",
    ],
    [
      "`..` in a path",
      'profile: p\nfiles: [{ path: "${workspace}/../x", access: read }]\n',
      "2:17",
      "the path `~/home/ann/project/../x` contains `..`",
      'profile: p\nfiles: [{ path: "${workspace}/x", access: read }]\n',
    ],
    [
      "a relative path",
      "profile: p\nfiles: [{ path: notes, access: read }]\n",
      "2:17",
      "the path `notes` is not absolute",
      "profile: p\nfiles: [{ path: /notes, access: read }]\n",
    ],
    [
      "`..` in a pattern",
      "profile: p\nmasks: [{ pattern: a/../b, at_most: none }]\n",
      "2:20",
      "the pattern `a/../b` has `.` or `..` as a name",
      "profile: p\nmasks: [{ pattern: a/b, at_most: none }]\n",
    ],
    [
      "a NUL",
      'profile: p\nsockets: ["/run/a\\0"]\n',
      "2:11",
      "the path `/run/a\\u{0}` contains a control character or is not UTF-8",
      'profile: p\nsockets: ["/run/a"]\n',
    ],
    [
      "an unknown variable",
      'profile: p\nfiles: [{ path: "${workspce}/x", access: read }]\n',
      "2:17",
      "`${workspce}/x` names the unknown variable `workspce`",
      'profile: p\nfiles: [{ path: "${workspace}/x", access: read }]\n',
    ],
    [
      "an unknown variable in a mask",
      'profile: p\nmasks: [{ pattern: "${hom}/x", at_most: none }]\n',
      "2:20",
      "`${hom}/x` names the unknown variable `hom`",
      'profile: p\nmasks: [{ pattern: "${home}/x", at_most: none }]\n',
    ],
    [
      "an unknown variable in an example",
      'profile: p\nexpect: [{ deny: read, path: "${hom}/x" }]\n',
      "2:10",
      "`${hom}/x` names the unknown variable `hom`",
      'profile: p\nexpect: [{ allow: read, path: "${home}/x" }]\n',
    ],
    [
      "a host that is none",
      "profile: p\nnetwork: { hosts: [a.example, '*.'] }\n",
      "2:31",
      "the host rule `*.` is neither a host name nor an address",
      "profile: p\nnetwork: { hosts: [a.example, '*.b.example'] }\n",
    ],
    [
      "a wrong `never`",
      "profile: p\nnetwork: { never: ['a b'] }\n",
      "2:20",
      "the host rule `a b` is not `name[:port] [private | at address]`",
      "profile: p\nnetwork: { never: [a.b] }\n",
    ],
    [
      "an example that fails",
      'profile: p\nmasks: [{ pattern: "**/.env", at_most: read }]\nexpect:\n  - { deny: write, path: /w/.env }\n  - { deny: read, path: /w/.env }\n',
      "5:5",
      "an example fails: expected: it denies read `/w/.env`; actual: it allows it, because the mask `/**/.env` allows at most read",
      'profile: p\nmasks: [{ pattern: "**/.env", at_most: none }]\nexpect:\n  - { deny: read, path: /w/.env }\n',
    ],
    [
      "an unknown shipped profile",
      "profile: p\nextends: [strct]\n",
      "2:11",
      "no shipped profile is named `strct`",
      "profile: p\nextends: [strict]\n",
    ],
    [
      "a missing file",
      "profile: p\nextends: [./more.yaml]\n",
      "2:11",
      "`~/etc/profiles.d/more.yaml` does not exist",
      "profile: p\nextends: []\n",
    ],
    [
      "`..` on the way to a file",
      "profile: p\nextends: [../more.yaml]\n",
      "2:11",
      "the path `~/etc/profiles.d/../more.yaml` contains `..`",
      "profile: p\nextends: []\n",
    ],
    [
      "a file that extends itself",
      "profile: p\nextends: [10-site.yaml]\n",
      "2:11",
      "`10-site.yaml` extends itself",
      "profile: p\nextends: []\n",
    ],
  ];

  test.each(texts)("%s", (_claim, text, at, told, twin) => {
    const m = withProfile(text);
    const before = m.inventory();
    const refusal = refused(m);
    expect({ exit: refusal.exit, at: refusal.at, message: refusal.message }).toEqual({
      exit: 65,
      at: `~/etc/profiles.d/10-site.yaml:${at}`,
      message: told,
    });
    expect(refusal.hint).toMatch(/./);
    expect(m.inventory()).toEqual(before);
    m.write({ [`${MACHINE}/10-site.yaml`]: twin });
    expect(load(m).ceiling.layers.map((layer) => layer.name)).toContain("p");
  });

  test("files that extend each other are told by name", () => {
    const m = machine({
      [CONFIG]: `${PLAIN}  os_profile: [ops/a.yaml]\n`,
      "home/ann/project/ops/a.yaml": "profile: a\nextends: [b.yaml]\n",
      "home/ann/project/ops/b.yaml": "profile: b\nextends: [c.yaml]\n",
      "home/ann/project/ops/c.yaml": "profile: c\nextends: [a.yaml]\n",
    });
    expect(refused(m)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/ops/c.yaml:2:11",
        "code": "PROFILE_INVALID",
        "exit": 65,
        "hint": "remove one of the names from \`extends\`",
        "message": "\`a.yaml\` extends itself through \`b.yaml\`, \`c.yaml\`",
      }
    `);
  });

  test("thirty files that each extend the next one twice load at once", () => {
    const m = machine({ [CONFIG]: `${PLAIN}  os_profile: [ops/p0.yaml]\n` });
    for (let index = 0; index < 30; index += 1) {
      const next = index === 29 ? "" : `extends: [p${index + 1}.yaml, ./p${index + 1}.yaml]\n`;
      m.write({ [`home/ann/project/ops/p${index}.yaml`]: `profile: p${index}\n${next}` });
    }
    expect(load(m).ceiling.layers).toHaveLength(31);
  });

  test("an example speaks of the file with what it extends, not of the whole ceiling", () => {
    const m = machine({
      [CONFIG]: PLAIN,
      [`${MACHINE}/a.yaml`]:
        "profile: a\nextends: [no-network]\nexpect: [{ deny: connect, host: example.com }]\n",
      [`${MACHINE}/b.yaml`]:
        "profile: b\nexpect: [{ allow: connect, host: example.com, address: 93.184.215.14 }]\nnetwork: open\n",
    });
    expect(load(m).ceiling.profile.network).toBe("none");
    m.write({
      [`${MACHINE}/a.yaml`]:
        "profile: a\nextends: [no-network]\nexpect: [{ allow: connect, host: example.com }]\n",
    });
    expect(refused(m)).toMatchInlineSnapshot(`
      {
        "at": "~/etc/profiles.d/a.yaml:3:10",
        "code": "PROFILE_INVALID",
        "exit": 65,
        "hint": "change the section that decides it, or the example",
        "message": "an example fails: expected: it allows connect \`example.com:443\`; actual: it denies it, because the network is off",
      }
    `);
  });

  test("an example with a variable must hold for each of its values", () => {
    const m = machine({
      [CONFIG]:
        "version: 1\nsandbox:\n  runtimes: [{ name: one, read: [/usr/bin] }, { name: two, read: [/usr/lib] }]\n",
      [`${MACHINE}/a.yaml`]:
        'profile: a\nmasks: [{ pattern: /usr/lib, at_most: none }]\nexpect: [{ allow: read, path: "${runtime}/x" }]\n',
    });
    expect(refused(m).message).toBe(
      "an example fails: expected: it allows read `/usr/lib/x`; actual: it denies it, because the mask `/usr/lib` allows nothing",
    );
    m.write({
      [`${MACHINE}/a.yaml`]:
        'profile: a\nmasks: [{ pattern: /usr/libexec, at_most: none }]\nexpect: [{ allow: read, path: "${runtime}/x" }]\n',
    });
    expect(load(m).ceiling.layers).toHaveLength(2);
  });

  test.each(["site.yaml.bak", "site.yml", "README", "old.yaml~"])(
    "%s in an operators' folder is refused, not passed over",
    (name) => {
      const m = machine({ [CONFIG]: PLAIN, [`${MACHINE}/${name}`]: "profile: p\nfiles: []\n" });
      expect(refused(m)).toEqual({
        exit: 65,
        code: "PROFILE_INVALID",
        message: `\`${name}\` among the operator profiles does not end in \`.yaml\``,
        hint: "rename it to end in `.yaml`, or move it out of the folder",
        at: `~/etc/profiles.d/${name}:1:1`,
      });
      renameSync(m.at(`${MACHINE}/${name}`), m.at(`${MACHINE}/site.yaml`));
      expect(load(m).ceiling.layers.map((layer) => layer.name)).toEqual(["protected", "p"]);
    },
  );

  test("a folder that leads nowhere, and one that is a file", () => {
    const m = machine({ [CONFIG]: PLAIN });
    mkdirSync(m.at("etc"));
    symlinkSync("nowhere", m.machineProfiles);
    expect(refused(m)).toMatchObject({
      exit: 65,
      code: "PROFILE_INVALID",
      message: "the operators' folder `~/etc/profiles.d` is reached by a dangling symlink",
    });
    const other = machine({ [CONFIG]: PLAIN, [MACHINE]: "" });
    expect(refused(other)).toMatchObject({
      code: "PROFILE_INVALID",
      message: "the operators' folder `~/etc/profiles.d` leads through a file that is not a folder",
    });
  });
});

describe("config.strict: a profile that others can write keeps everything from starting", () => {
  const profile = "profile: p\n";

  test("a group-writable file", () => {
    const m = withProfile(profile);
    expect(load(m).ceiling.layers).toHaveLength(2);
    chmodSync(m.at(`${MACHINE}/10-site.yaml`), 0o664);
    expect({
      ...refused(m),
      message: refused(m).message.replace(/group \d+/, "group N"),
    }).toMatchInlineSnapshot(`
      {
        "at": "~/etc/profiles.d/10-site.yaml:1:1",
        "code": "PROFILE_INVALID",
        "exit": 65,
        "hint": "run chmod go-w ~/etc/profiles.d/10-site.yaml",
        "message": "the file \`~/etc/profiles.d/10-site.yaml\` can be written by group N",
      }
    `);
  });

  test("a file that everybody can write", () => {
    const m = withProfile(profile);
    chmodSync(m.at(`${MACHINE}/10-site.yaml`), 0o646);
    expect(refused(m)).toMatchObject({
      exit: 65,
      message: "the file `~/etc/profiles.d/10-site.yaml` can be written by every user",
    });
  });

  test.each([MACHINE, "etc"])("a group-writable folder above it: %s", (folder) => {
    const m = withProfile(profile);
    chmodSync(m.at(folder), 0o775);
    expect(refused(m)).toMatchObject({
      exit: 65,
      code: "PROFILE_INVALID",
      hint: `run chmod go-w ~/${folder}`,
    });
    chmodSync(m.at(folder), 0o755);
    expect(load(m).ceiling.layers).toHaveLength(2);
  });

  test("an empty folder that others can write, from which a file may be gone", () => {
    const m = machine({ [CONFIG]: PLAIN });
    mkdirSync(m.machineProfiles, { recursive: true });
    chmodSync(m.machineProfiles, 0o777);
    expect(refused(m)).toMatchObject({ exit: 65, code: "PROFILE_INVALID" });
    chmodSync(m.machineProfiles, 0o755);
    expect(load(m).ceiling.layers).toHaveLength(1);
  });

  test("a file of somebody else", () => {
    const m = withProfile(profile);
    const host = givenAway(m, m.at(`${MACHINE}/10-site.yaml`));
    const foreign = refusalOf(() => load(m, [], host), m.folder);
    expect(foreign.exit).toBe(65);
    expect(foreign.message).toContain("belongs to user");
    if (process.getuid?.() === 0) chownSync(m.at(`${MACHINE}/10-site.yaml`), 0, 0);
    expect(load(m).ceiling.layers).toHaveLength(2);
  });

  test("a symlink is followed, and what it leads through is looked at as well", () => {
    const m = machine({ [CONFIG]: PLAIN, "loose/p.yaml": profile });
    mkdirSync(m.machineProfiles, { recursive: true });
    symlinkSync("../../loose/p.yaml", m.at(`${MACHINE}/p.yaml`));
    expect(load(m).files).toContain(m.at("loose/p.yaml"));
    chmodSync(m.at("loose"), 0o777);
    expect(refused(m)).toMatchObject({
      exit: 65,
      message: "the folder `~/loose` can be written by every user",
      at: "~/etc/profiles.d/p.yaml:1:1",
    });
  });

  test("a folder, a pipe's place or a huge file instead of a profile", () => {
    const m = machine({ [CONFIG]: PLAIN });
    mkdirSync(m.at(`${MACHINE}/p.yaml`), { recursive: true });
    expect(refused(m)).toMatchObject({
      code: "PROFILE_INVALID",
      message: "`~/etc/profiles.d/p.yaml` is not a regular file",
    });
    const other = withProfile(`profile: p # ${"x".repeat(1024 * 1024)}\n`);
    expect(refused(other).message).toMatch(/ has \d+ bytes$/);
  });
});

describe("an operator's path that goes through a symlink", () => {
  test("is refused where another than root placed the link, and the real path is told", () => {
    const m = withProfile('profile: p\nfiles: [{ path: "${workspace}/link/x", access: write }]\n', {
      "home/ann/data/x/a": "",
    });
    symlinkSync(m.at("home/ann/data"), m.at("home/ann/project/link"));
    if (process.getuid?.() === 0) lchownSync(m.at("home/ann/project/link"), 12_345, 12_345);
    expect(refused(m)).toMatchObject({
      exit: 65,
      code: "PROFILE_INVALID",
      message:
        "`~/home/ann/project/link/x` leads through the symlink `~/home/ann/project/link`, which users other than root can replace",
      hint: "write the path without the symlink: ~/home/ann/data/x",
      at: "~/etc/profiles.d/10-site.yaml:2:17",
    });
  });

  test("is followed where root alone placed it", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can place root's link");
    const m = machine({ [CONFIG]: PLAIN, "site/a": "", "data/x/a": "" });
    symlinkSync("../data", m.at("site/link"));
    const path = m.at("site/link/x/new");
    m.write({
      [`${MACHINE}/p.yaml`]: `profile: p\nfiles: [{ path: ${path}, access: read }]\nexpect: [{ allow: read, path: ${path} }]\n`,
    });
    expect(load(m).ceiling.profile.files).toEqual([
      { path: m.at("data/x/new"), access: "read", suffixes: "any" },
    ]);
    chmodSync(m.at("site"), 0o777);
    expect(refused(m)).toMatchObject({ exit: 65, hint: "write the path without the symlink: ~/data/x/new" });
  });

  test("in a mask holds for the link and for where it leads", () => {
    const m = withProfile(
      'profile: p\nmasks: [{ pattern: "${workspace}/secret", at_most: none }]\nexpect: [{ deny: read, path: "${workspace}/secret/a" }]\n',
      { "home/ann/data/a": "" },
    );
    symlinkSync("../data", m.at("home/ann/project/secret"));
    const { profile } = load(m).ceiling;
    expect(accessTo(profile, m.at("home/ann/data/a"))).toBe("none");
    expect(accessTo(profile, m.at("home/ann/project/secret"))).toBe("none");
    expect(accessTo(profile, m.at("home/ann/project/other"))).toBe("write");
  });

  test("keeps its mask in an example, and is held to what its real path is allowed", () => {
    const m = withProfile(
      'profile: p\nmasks: [{ pattern: "**/.hooks", at_most: read }]\nexpect: [{ deny: write, path: "${workspace}/.hooks/a" }]\n',
      {
        "home/ann/data/a": "",
        "home/ann/dots/bashrc": "",
        "home/ann/hooks/a": "",
        "home/ann/project/.git/x": "",
      },
    );
    symlinkSync("../data", m.at("home/ann/project/.hooks"));
    symlinkSync("../../hooks", m.at("home/ann/project/.git/hooks"));
    symlinkSync("dots/bashrc", m.at("home/ann/.bashrc"));
    expect(load(m).ceiling.layers).toHaveLength(2);
    const text = 'profile: p\nmasks: [{ pattern: "**/.hooks", at_most: read }]\n';
    m.write({
      [`${MACHINE}/10-site.yaml`]: `${text}expect: [{ allow: write, path: "\${workspace}/.hooks/a" }]\n`,
    });
    expect(refused(m).message).toContain("the mask `/**/.hooks` allows at most read");
    m.write({
      [`${MACHINE}/10-site.yaml`]: `${text}expect: [{ deny: read, path: "\${workspace}/.hooks/a" }]\n`,
    });
    expect(refused(m).message).toContain("expected: it denies read `~/home/ann/data/a`");
  });

  test("that leads nowhere yet keeps what is written", () => {
    const m = withProfile('profile: p\nfiles: [{ path: "${workspace}/new/x", access: write }]\n');
    expect(load(m).ceiling.profile.files).toEqual([
      { path: m.at("home/ann/project/new/x"), access: "write", suffixes: "any" },
    ]);
  });
});

describe("profiles that a config or the caller names", () => {
  test("one that is not there has the place where it is named", () => {
    const m = machine({ [CONFIG]: `${PLAIN}  os_profile:\n    - ops/own.yaml\n` });
    expect(refused(m)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yaml:5:7",
        "code": "CONFIG_INVALID",
        "exit": 65,
        "hint": "name an existing file that you can read",
        "message": "\`~/home/ann/project/ops/own.yaml\` does not exist",
      }
    `);
    m.write({ "home/ann/project/ops/own.yaml": "profile: own\n" });
    expect(load(m).ceiling.layers.map((layer) => layer.name)).toEqual(["protected", "own"]);
  });

  test("an unknown shipped name is told with the one that was meant", () => {
    const m = machine({ [CONFIG]: `${PLAIN}  os_profile: [read_only]\n` });
    expect(refused(m)).toEqual({
      exit: 65,
      code: "CONFIG_INVALID",
      message: "no shipped profile is named `read_only`",
      hint: "write `read-only`; name a file by a path with `/`, or with its ending `.yaml`",
      at: "~/home/ann/project/cofferdam.yaml:4:16",
    });
    expect(refused(machine({ [CONFIG]: PLAIN }), ["nope"])).toMatchObject({
      exit: 65,
      code: "PROFILE_INVALID",
      hint: "shipped: ci, no-network, protected, read-only, strict; name a file by a path with `/`, or with its ending `.yaml`",
    });
  });

  test("--profile may go up from the cwd", () => {
    const m = machine({ [CONFIG]: PLAIN, "home/ann/p.yaml": "profile: p\n" });
    expect(load(m, ["../p.yaml"]).files).toContain(m.at("home/ann/p.yaml"));
    expect(refused(m, ["../q.yaml"])).toMatchObject({
      exit: 65,
      code: "PROFILE_INVALID",
      message: "`~/home/ann/project/../q.yaml` does not exist",
    });
  });
});
