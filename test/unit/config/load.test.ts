import { chmodSync, lchownSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadConfig, loadForAnswers } from "../../../src/config/load.ts";
import { rememberTrust, revokeTrust, trustFile } from "../../../src/config/trust.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { type Machine, machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

describe("without a config", () => {
  test("the cwd is the one root, written without asking, under the protections", () => {
    const m = machine({ "home/ann/project/src/a.c": "" });
    const { config, ceiling, files, notes } = loadConfig(m.host);
    expect(config).toMatchObject({
      origin: { kind: "default" },
      workspace: m.project,
      roots: [
        {
          name: "workspace",
          path: m.project,
          mode: "rw",
          writeApproval: false,
          readApproval: false,
          suffixes: "any",
          at: null,
        },
      ],
      shell: { network: false, default: { allowed: true, approval: true }, rules: [] },
      approval: { mode: "interactive" },
    });
    expect(config.runtimes.map((runtime) => runtime.name)).toContain("system");
    expect(config.sandbox.limits).toEqual({ processes: 4096 });
    expect(ceiling.layers.map((layer) => layer.name)).toEqual(["protected"]);
    expect(accessTo(ceiling.profile, m.at("home/ann/.ssh/id_ed25519"))).toBe("none");
    expect(files).toContain(m.at(CONFIG));
    expect(notes).toEqual(["config: built in (no cofferdam.yaml found); profiles: protected"]);
  });

  test("an environment in the folder that leads elsewhere is passed over, and a note says so", () => {
    const m = machine({
      "home/ann/other/lib/python3.12/os.py": "",
      "home/ann/other/bin/python3": "",
      "home/ann/project/.venv/pyvenv.cfg": "",
      "home/ann/project/.venv/bin/x": "",
    });
    chmodSync(m.at("home/ann/other/bin/python3"), 0o755);
    symlinkSync(m.at("home/ann/other/bin/python3"), m.at("home/ann/project/.venv/bin/python3"));
    const host = { ...m.host, env: { PATH: `${m.project}/.venv/bin` } };
    const { config, notes } = loadConfig(host, {});
    expect(config.runtimes.map((runtime) => runtime.name)).not.toContain("python");
    expect(notes.slice(1).map((note) => note.replaceAll(m.folder, "~"))).toMatchInlineSnapshot(`
      [
        "skipped: the runtime \`python\` was found at \`~/home/ann/project/.venv/bin/python3\`, a virtual environment in a root or behind one that leads to \`~/home/ann/other\`",
      ]
    `);
  });

  test("--profile cuts it down, and `${workspace}` is the cwd", () => {
    const m = machine();
    const { ceiling } = loadConfig(m.host, { profiles: ["strict"] });
    expect(accessTo(ceiling.profile, m.at("home/ann/project/a"))).toBe("write");
    expect(accessTo(ceiling.profile, m.at("home/ann/project/.env"))).toBe("none");
    expect(accessTo(ceiling.profile, m.at("home/ann/other"))).toBe("none");
  });

  test("a home folder, `/` and a view are no place to start in", () => {
    const m = machine();
    expect(refusalOf(() => loadConfig(m.host, { cwd: m.home }), m.folder)).toMatchInlineSnapshot(`
      {
        "at": undefined,
        "code": "ROOT_REFUSED",
        "exit": 65,
        "hint": "start in a project's folder, or write a \`cofferdam.yaml\` that lists smaller folders",
        "message": "the folder \`~/home/ann\` is a home folder",
      }
    `);
    for (const cwd of ["/", "/tmp", "/var"]) {
      const refusal = refusalOf(() => loadConfig(m.host, { cwd: m.at(`../../../../../..${cwd}`) }), m.folder);
      expect(refusal).toMatchObject({ exit: 65, code: "ROOT_REFUSED" });
    }
    expect(refusalOf(() => loadConfig(m.host, { cwd: m.at("missing") }), m.folder)).toMatchObject({
      exit: 65,
      message: "the folder `~/missing` does not exist",
    });
  });
});

describe("which config is found", () => {
  const found = (files: Readonly<Record<string, string>>, cwd: string) => {
    const m = machine(files);
    mkdirSync(m.at(cwd), { recursive: true });
    return { m, load: () => loadConfig(m.host, { cwd: m.at(cwd) }) };
  };

  test("the nearest one upward", () => {
    const { m, load } = found(
      { [CONFIG]: PLAIN, "home/ann/project/sub/cofferdam.yaml": PLAIN },
      "home/ann/project/sub/deep",
    );
    expect(refusalOf(load, m.folder).at).toBe("~/home/ann/project/sub/cofferdam.yaml:1:1");
  });

  test("the way up ends below the home folder, in which one is found from nowhere else", () => {
    const files = { "home/ann/cofferdam.yaml": PLAIN, "cofferdam.yaml": PLAIN };
    expect(found(files, "home/ann/project").load().config.origin).toEqual({ kind: "default" });
    const at = found(files, "home/ann");
    expect(refusalOf(at.load, at.m.folder)).toMatchObject({
      code: "CONFIG_UNTRUSTED",
      at: "~/home/ann/cofferdam.yaml:1:1",
    });
    const beside = found(files, "srv/project");
    expect(refusalOf(beside.load, beside.m.folder)).toMatchObject({
      code: "CONFIG_UNTRUSTED",
      at: "~/cofferdam.yaml:1:1",
    });
  });

  test("the way up ends where the owner changes", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give folders away");
    const { m, load } = found({ "srv/cofferdam.yaml": PLAIN }, "srv/project/sub");
    expect(refusalOf(load, m.folder).code).toBe("CONFIG_UNTRUSTED");
    lchownSync(m.at("srv/project"), 12_345, 12_345);
    lchownSync(m.at("srv/project/sub"), 12_345, 12_345);
    expect(load().config.origin).toEqual({ kind: "default" });
  });

  test("a misspelt or unreadable one is refused, not passed over", () => {
    const misspelt = found({ "home/ann/project/cofferdam.yml": PLAIN }, "home/ann/project/sub");
    expect(refusalOf(misspelt.load, misspelt.m.folder)).toMatchInlineSnapshot(`
      {
        "at": "~/home/ann/project/cofferdam.yml:1:1",
        "code": "CONFIG_INVALID",
        "exit": 65,
        "hint": "rename it to \`cofferdam.yaml\`",
        "message": "\`~/home/ann/project/cofferdam.yml\` is not the name of a config",
      }
    `);
    const linked = found({ "home/ann/other/cofferdam.yaml": PLAIN }, "home/ann/project");
    symlinkSync("../other/cofferdam.yaml", linked.m.at(CONFIG));
    expect(refusalOf(linked.load, linked.m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      message: "`~/home/ann/project/cofferdam.yaml` is a symlink",
    });
    const folder = found({}, `${CONFIG}/sub`);
    expect(refusalOf(() => loadConfig(folder.m.host), folder.m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      message: "`~/home/ann/project/cofferdam.yaml` is not a regular file",
    });
  });
});

describe("a config that is named", () => {
  test("needs no trust, wins over one that lies here, and its grants are told", () => {
    const m = machine({
      [CONFIG]: "version: 1\n",
      "home/ann/configs/work.yaml": `version: 1
sandbox:
  runtimes: []
  paths:
    notes: { root: ./notes, mode: rw }
    docs: { root: ./docs, mode: ro }
    cache: { root: ./cache, mode: rw, write_approval: false }
shell: { network: host, default: { approval: false } }
`,
    });
    for (const name of ["notes", "docs", "cache"]) mkdirSync(m.at(`home/ann/configs/${name}`));
    const { config, files, notes } = loadConfig(m.host, { config: "../configs/work.yaml" });
    expect(config).toMatchObject({
      origin: { kind: "named", file: m.at("home/ann/configs/work.yaml") },
      workspace: m.at("home/ann/configs"),
    });
    expect(config.positions.get("sandbox.paths.docs")).toEqual({
      file: m.at("home/ann/configs/work.yaml"),
      line: 6,
      column: 5,
    });
    expect(files[0]).toBe(m.at("home/ann/configs/work.yaml"));
    expect(notes.map((line) => line.replaceAll(m.folder, "~"))).toEqual([
      "config: ~/home/ann/configs/work.yaml (named by --config); profiles: protected",
      "grants: notes rw ~/home/ann/configs/notes, asks to write; docs ro ~/home/ann/configs/docs; cache rw ~/home/ann/configs/cache; network the machine's own; commands run without asking",
    ]);
  });

  test("must be one that nobody else could have written", () => {
    const m = machine({ [CONFIG]: PLAIN });
    const load = () => loadConfig(m.host, { config: "cofferdam.yaml" });
    expect(load().config.origin.kind).toBe("named");
    chmodSync(m.at(CONFIG), 0o666);
    expect(refusalOf(load, m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      message: "the file `~/home/ann/project/cofferdam.yaml` can be written by every user",
      hint: "run chmod go-w ~/home/ann/project/cofferdam.yaml",
    });
    chmodSync(m.at(CONFIG), 0o644);
    chmodSync(m.project, 0o775);
    expect(refusalOf(load, m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      hint: "run chmod go-w ~/home/ann/project",
    });
    chmodSync(m.project, 0o755);
    if (process.getuid?.() === 0) lchownSync(m.at(CONFIG), 12_345, 12_345);
    const host =
      process.getuid?.() === 0 ? m.host : { ...m.host, user: { ...m.host.user, uid: m.host.user.uid + 1 } };
    const foreign = refusalOf(() => loadConfig(host, { config: m.at(CONFIG) }), m.folder);
    expect(foreign).toMatchObject({ exit: 65, code: "CONFIG_INVALID" });
    expect(foreign.message).toContain("belongs to user");
  });

  test("must be there, and a file", () => {
    const m = machine();
    expect(refusalOf(() => loadConfig(m.host, { config: "nope.yaml" }), m.folder)).toMatchObject({
      exit: 65,
      code: "CONFIG_INVALID",
      message: "`~/home/ann/project/nope.yaml` does not exist",
    });
    expect(refusalOf(() => loadConfig(m.host, { config: "." }), m.folder)).toMatchObject({
      exit: 65,
      message: "`~/home/ann/project` is not a regular file",
    });
    expect(refusalOf(() => loadConfig(m.host, { config: "a\0b" }), m.folder)).toMatchObject({
      exit: 65,
      message: "`~/home/ann/project/a\\u{0}b` contains a NUL character",
    });
  });

  /** The rest of a config, where it is refused and what is said; the twin that loads. */
  const texts: readonly (readonly [
    claim: string,
    text: string,
    at: string,
    message: string,
    hint: string,
    twin: string,
  ])[] = [
    [
      "a root of a rule that there is not",
      "shell: { rules: [{ pattern: ls, sandbox_paths: [note] }] }\n",
      "4:49",
      "there is no root `note`",
      "add it under `sandbox.paths`",
      "shell: { rules: [{ pattern: ls }] }\n",
    ],
    [
      "a question about hosts that there is not",
      "shell: { network: { hosts: [a.example], ask: sometimes } }\n",
      "4:46",
      "invalid `shell.network.ask`: `sometimes`",
      "write `unlisted` or `never`",
      "shell: { network: { hosts: [a.example], ask: unlisted } }\n",
    ],
    [
      "a question about hosts of the machine's own network",
      "shell: { network: { host: true, ask: unlisted } }\n",
      "4:21",
      "unknown key `host` in `shell.network`",
      "did you mean `hosts`?",
      "shell: { network: true }\n",
    ],
    [
      "a host that is none",
      "shell: { network: { hosts: ['a b'] } }\n",
      "4:29",
      "the host rule `a b` is not `name[:port] [private | at address]`",
      "write `name`, `name:443`, `*.name` or an address",
      "shell: { network: false }\n",
    ],
    [
      "a variable that loaders obey",
      '  env: { set: { LD_PRELOAD: "./x.so" } }\n',
      "4:17",
      "a config may not set `LD_PRELOAD`: programs load or run what it names",
      "remove it, or list `LD_PRELOAD` under `env` of an operator profile",
      '  env: { set: { LD: "./x.so" } }\n',
    ],
    [
      "a variable of the gate's own",
      "  env: { set: { cofferdam_words: '3' } }\n",
      "4:17",
      "no program gets `cofferdam_words`: names that begin with `cofferdam_` are reserved",
      "give it another name",
      "  env: { set: { cofferdam: '3' } }\n",
    ],
  ];

  test.each(texts)("%s is refused", (_claim, text, at, message, hint, twin) => {
    const m = machine({ [CONFIG]: `${PLAIN}${text}` });
    const load = () => loadConfig(m.host, { config: m.at(CONFIG) });
    const before = m.inventory();
    expect(refusalOf(load, m.folder)).toMatchObject({
      exit: 65,
      at: `~/home/ann/project/cofferdam.yaml:${at}`,
      message,
      hint,
    });
    expect(m.inventory()).toEqual(before);
    m.write({ [CONFIG]: `${PLAIN}${twin}` });
    expect(load().config.origin.kind).toBe("named");
  });

  test.each([
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "BASH_ENV",
    "POSIXLY_CORRECT",
    "ENV",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_FUNC_x",
    "JAVA_TOOL_OPTIONS",
  ])("%s may be set only where an operator lists it", (name) => {
    const m = machine({ [CONFIG]: `${PLAIN}  env: { set: { ${name}: x } }\n` });
    const load = () => loadConfig(m.host, { config: m.at(CONFIG) });
    for (const env of ["[LANG]", '["*"]', "[X*]"]) {
      m.write({ "etc/profiles.d/p.yaml": `profile: p\nenv: ${env}\n` });
      expect(refusalOf(load, m.folder)).toMatchObject({
        exit: 65,
        code: "CONFIG_INVALID",
        at: "~/home/ann/project/cofferdam.yaml:4:17",
      });
    }
    for (const env of [`[${name}]`, `[${name.slice(0, 2)}*]`]) {
      m.write({ "etc/profiles.d/p.yaml": `profile: p\nenv: ${env}\n` });
      expect(load().config.sandbox.env.set).toEqual({ [name]: "x" });
    }
  });

  test.each(["CI", "NODE_PATH", "PYTHONPATH", "GITHUB_TOKEN", "LDFLAGS"])("%s may be set freely", (name) => {
    const m = machine({ [CONFIG]: `${PLAIN}  env: { set: { ${name}: x } }\n` });
    expect(loadConfig(m.host, { config: m.at(CONFIG) }).config.sandbox.env.set).toEqual({ [name]: "x" });
  });
});

test("files that decide over later calls are listed: configs, profiles, operators' folders in a root", () => {
  const m = machine({
    "home/ann/.config/cofferdam/profiles.d/mine.yaml": "profile: mine\n",
    "home/ann/.config/app/cofferdam.yaml": "",
  });
  m.write({
    "home/ann/.config/app/cofferdam.yaml": `${PLAIN}  paths: { all: { root: ${m.at("home/ann/.config")}, mode: rw } }\n`,
  });
  const host = { ...m.host, cwd: m.at("home/ann/.config/app") };
  rememberTrust(host, trustFile(host));
  const { files } = loadConfig(host);
  expect(files).toEqual(
    expect.arrayContaining([
      m.at("home/ann/.config/app/cofferdam.yaml"),
      m.at("home/ann/.config/cofferdam/profiles.d/mine.yaml"),
      m.userProfiles,
    ]),
  );
  expect(files).not.toContain(m.machineProfiles);
});

describe("a desk under a config that may not be used", () => {
  const TRUSTED = `${PLAIN}approval: { store: { postgres: "postgres://own" }, channels: { http: {} } }\n`;
  const HOSTILE = `${PLAIN}approval: { store: { postgres: "postgres://evil" }, channels: { http: {} } }\n`;
  const trustedAt = (): Machine => {
    const m = machine({ [CONFIG]: TRUSTED });
    rememberTrust(m.host, trustFile(m.host));
    return m;
  };
  const own = { postgres: "postgres://own" };
  const cases: readonly (readonly [
    claim: string,
    change: (m: Machine) => void,
    store: unknown,
    note: string,
  ])[] = [
    ["changed", (m) => m.write({ [CONFIG]: HOSTILE }), own, "the store of the config as it was trusted"],
    [
      "broken",
      (m) => m.write({ [CONFIG]: "version: [\n" }),
      own,
      "the store of the config as it was trusted",
    ],
    [
      "now a symlink",
      (m) => {
        rmSync(m.at(CONFIG));
        symlinkSync("other", m.at(CONFIG));
      },
      own,
      "the store of the config as it was trusted",
    ],
    ["revoked", (m) => void revokeTrust(m.host, m.at(CONFIG)), "sqlite", "the default store in "],
  ];
  test.each(cases)(
    "%s: it has the store that was trusted, or the default one, and says so",
    (_, change, store, note) => {
      const m = trustedAt();
      expect(loadForAnswers(m.host)).toMatchObject({
        config: { approval: { store: own, channels: { http: {} } } },
      });
      change(m);
      expect(() => loadConfig(m.host)).toThrow(CofferdamError);
      const { config, notes } = loadForAnswers(m.host);
      expect(config).toMatchObject({
        origin: { kind: "untrusted", file: m.at(CONFIG) },
        workspace: m.project,
        roots: [],
        approval: { store },
      });
      expect(config.approval.channels.http).toBeUndefined();
      expect(notes).toEqual([expect.stringContaining(note)]);
    },
  );

  test("never trusted: the default store", () => {
    const m = machine({ [CONFIG]: HOSTILE });
    expect(loadForAnswers(m.host).config.approval.store).toBe("sqlite");
    expect(() => loadForAnswers(m.host, { config: m.at("home/ann/project/missing.yaml") })).toThrow(
      "missing.yaml",
    );
  });
});
