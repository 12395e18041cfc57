import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grantedRows, widerLines } from "../../../src/cli/offer-text.ts";
import { lookAtProject, type Project } from "../../../src/cli/project.ts";
import { starterConfig } from "../../../src/cli/starter-config.ts";
import { findings } from "../../../src/config/check.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { shippedFolder } from "../../../src/config/shipped.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { machine } from "../config/machine.ts";

const PROJECT: Project = {
  runtimes: ["git", "node"],
  missing: ["rust"],
  publishes: ["npm publish", "pnpm publish"],
  schema: "node_modules/cofferdam/profiles/config.schema.json",
};

test("the starter config says what each part is there for", () => {
  expect(starterConfig(PROJECT)).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=node_modules/cofferdam/profiles/config.schema.json
    #
    # What tools may do in this project. Run \`cofferdam trust\` to apply this file, and again after each change.
    #   cofferdam check                    finds mistakes
    #   cofferdam explain write FILE       explains why an access is allowed or denied
    #   cofferdam run --dry-run -- CMD     shows what a command gets, without running it

    version: 1

    sandbox:
      # The folders that tools can use: \`rw\` can be changed, \`ro\` only read. All other folders are hidden. With
      # \`write_approval: true\`, a person is asked before a file changes. Files that git, editors and package managers run
      # automatically always stay read-only.
      paths:
        workspace: { root: ., mode: rw, write_approval: false }

      # The programs that commands can run; \`system\` is the shell and its tools. Other names: node, python, rust, go, java,
      # haskell and git. List any other tool with its folders: { name: tool, read: [/opt/tool] }.
      runtimes: [system, git, node]
      # rust is used here, but was not found on this machine, or lies in a folder that cannot be granted.

      # Operator profiles can only restrict this file. Shipped profiles: ci, no-network, read-only and strict.
      # os_profile: [strict]

      # Limits of one command. Memory counts all its processes together, if a cgroup can be created.
      limits: { processes: 4096 }   # also: wall: 10m, memory: 4GiB, output: 4MiB

      # Environment variables that commands get.
      env: { pass: [LANG, LC_*, TERM, TZ] }

      # Devices that programs can open: gpu, kvm, fuse, serial.
      # devices: [gpu]

    shell:
      # false: no network. { hosts: ["registry.example.org:443"], ask: unlisted }: these hosts, and a person is asked about
      # others. true: every public host. \`host\`: the machine's own network. \`proxy: environment\`, beside \`hosts\`, uses the
      # proxy that HTTPS_PROXY names.
      network: false

      # Ports of localhost at which a server in the sandbox can be reached: cofferdam run --port 5173 -- npm run dev
      # ports: [5173]

      # Commands that no rule below names. \`approval: beyond\` asks only if approval would give a command access that it
      # lacks and may use. \`true\` always asks, \`false\` never; \`allowed: false\` denies.
      default: { approval: beyond }

      # The first rule that matches the first words of a command decides: it asks, \`approval: false\` runs the command
      # without asking, \`allowed: false\` denies it. A program can do the same by other means: the sandbox decides what it
      # can reach.
      rules:
        - { pattern: "git push", description: "Publish commits" }
        - { pattern: "npm publish", description: "Publish a package" }
        - { pattern: "rm -rf", description: "Remove folders" }
        - { pattern: "curl | *sh", description: "Run a download" }
        - { pattern: "wget | *sh", description: "Run a download" }
        - { pattern: "pnpm publish", description: "Publish a package" }

    # \`interactive\`: a person answers. \`strict\`: each request is rejected. \`approve_all\`: each request is approved,
    # unless a rule demands a person.
    approval:
      mode: interactive
      # Requests are answered at the terminal, in the form of an MCP host, or in any terminal with \`cofferdam approvals\`.
      # \`http: {}\` adds an inbox in the browser: run \`cofferdam serve\`.
      # channels: { http: {} }
      # A person is asked to let the session continue after so many calls or minutes without a question.
      # budget: { calls: 200, minutes: 60 }
    "
  `);
});

test("it begins with the line that editors read", () => {
  const [first] = starterConfig(PROJECT).split("\n");
  expect(first).toBe("# yaml-language-server: $schema=node_modules/cofferdam/profiles/config.schema.json");
});

describe("whatever a folder holds, its starter config loads and no problems found", () => {
  const files: readonly (readonly [string, Record<string, string>])[] = [
    ["nothing", {}],
    ["Node", { "package.json": '{"scripts":{"test":"x","build":"y","deploy":"z"}}', "pnpm-lock.yaml": "" }],
    ["a broken package.json", { "package.json": "{" }],
    ["Python, Rust and Go", { "pyproject.toml": "", "Cargo.toml": "", "go.mod": "" }],
    ["a Python environment that leads nowhere", { ".venv/pyvenv.cfg": "home = /nowhere/bin\n" }],
    ["Maven and Gradle", { "pom.xml": "", "build.gradle.kts": "" }],
    ["Maven and Gradle by their wrappers", { mvnw: "", gradlew: "" }],
    ["a pnpm workspace", { "pnpm-workspace.yaml": "", "a/package.json": "{}" }],
    ["Deno, Bun, Ruby and PHP", { "deno.json": "", "bun.lock": "", Gemfile: "", "composer.json": "" }],
    ["files that git stores elsewhere", { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" }],
  ];
  test.each(files)("%s", (_name, held) => {
    const { host, project, write, at } = machine(
      Object.fromEntries(Object.entries(held).map(([name, text]) => [`home/ann/project/${name}`, text])),
    );
    mkdirSync(at("home/ann/project/.git"));
    write({ "home/ann/project/cofferdam.yaml": starterConfig(lookAtProject(host, project)) });
    const { loaded } = trustFile(host);
    expect(findings(loaded)).toEqual([]);
    expect(loaded.config.roots.map((root) => [root.path, root.mode])).toEqual([[project, "rw"]]);
    expect(loaded.config.shell.network).toBe(false);
  });

  test("and with profiles named", () => {
    const { host, project, write } = machine();
    write({ "home/ann/project/cofferdam.yaml": starterConfig(lookAtProject(host, project), ["strict"]) });
    expect(trustFile(host).loaded.ceiling.layers.map((layer) => layer.name)).toContain("strict");
  });
});

describe("a tool that is no runtime by name is listed with the folders that it needs", () => {
  const looked = (files: Readonly<Record<string, string>>, path: readonly string[]) => {
    const { host, at, project, folder } = machine(files);
    for (const name of Object.keys(files)) if (/\/bin\//.test(name)) chmodSync(at(name), 0o755);
    const env = { PATH: path.map(at).join(":") };
    const { runtimes, missing } = lookAtProject({ ...host, env }, project);
    return { runtimes: runtimes.map((one) => one.replaceAll(folder, "~")), missing };
  };
  const project = "home/ann/project";

  test("that of its program; twin: one that is nowhere on PATH is told to be missing", () => {
    const files = { [`${project}/deno.json`]: "{}", "opt/deno/bin/deno": "" };
    const listed = { runtimes: ["{ name: deno, read: [~/opt/deno] }"], missing: [] };
    expect(looked(files, ["opt/deno/bin"])).toEqual(listed);
    expect(looked(files, [])).toEqual({ runtimes: [], missing: ["deno"] });
  });

  test("alone, where it lies among others: not the home folder, nor what holds every tool of a person", () => {
    const files = { [`${project}/deno.json`]: "{}", "home/ann/.local/bin/deno": "", "home/ann/bin/deno": "" };
    for (const folder of ["home/ann/.local/bin", "home/ann/bin"])
      expect(looked(files, [folder]).runtimes).toEqual([`{ name: deno, read: [~/${folder}] }`]);
  });

  test("never by what lies in the root, nor by a shim, which runs what a file there says", () => {
    const files = { [`${project}/deno.json`]: "{}", [`${project}/bin/deno`]: "", "opt/shims/bin/deno": "" };
    expect(looked(files, [`${project}/bin`, "opt/shims/bin"])).toEqual({ runtimes: [], missing: ["deno"] });
  });

  test("also what a Python environment was made with; an environment that leads to no Python program is told", () => {
    const venv = `${project}/.venv`;
    const files = {
      [`${venv}/pyvenv.cfg`]: "",
      "opt/python/bin/python3": "",
      "opt/python/lib/python3.11/os.py": "",
    };
    const { host, at, project: folder, folder: top } = machine(files);
    chmodSync(at("opt/python/bin/python3"), 0o755);
    mkdirSync(at(`${venv}/bin`));
    symlinkSync(at("opt/python/bin/python3"), at(`${venv}/bin/python3`));
    writeFileSync(at(`${venv}/pyvenv.cfg`), `home = ${at("opt/python/bin")}\n`);
    const read = (): readonly string[] =>
      lookAtProject({ ...host, env: {} }, folder).runtimes.map((one) => one.replaceAll(top, "~"));
    expect(read()).toEqual(["{ name: python, read: [~/opt/python] }"]);
    // What is no Python is not granted, whatever the environment says.
    rmSync(at("opt/python/lib"), { recursive: true });
    mkdirSync(at("home/ann/.ssh"));
    writeFileSync(at(`${venv}/pyvenv.cfg`), `home = ${at("home/ann/.ssh")}\n`);
    expect(read().join()).not.toContain(".ssh");
  });
});

test("a person is asked about the commands by which projects of its kinds publish", () => {
  const { host, project } = machine({
    "home/ann/project/package.json": "{}",
    "home/ann/project/Cargo.toml": "",
  });
  const { publishes, schema } = lookAtProject(host, project);
  expect(publishes).toEqual([
    "npm publish",
    "pnpm publish",
    "yarn publish",
    "yarn npm publish",
    "cargo publish",
  ]);
  expect(schema).toBe(`${shippedFolder()}/config.schema.json`);
});

describe("a folder that is no repository itself", () => {
  const looked = (files: readonly string[]) => {
    const { host, project, at } = machine(
      Object.fromEntries(files.map((name) => [`home/ann/project/${name}`, ""])),
    );
    symlinkSync(at("home/ann"), at("home/ann/project/link"));
    const { runtimes, missing } = lookAtProject(host, project);
    return [...runtimes, ...missing].includes("git");
  };
  const [withGit, without] = [true, false];

  test("gets `git` where repositories lie in its folders; twin: in plain folders it gets none", () => {
    expect(looked(["app/.git/HEAD", "notes.txt"])).toEqual(withGit);
    expect(looked(["work/app/.git/HEAD"])).toEqual(withGit);
    // A linked worktree or a submodule has a file of that name.
    expect(looked(["work/app/.git"])).toEqual(withGit);
    expect(looked(["app/HEAD", "notes.txt"])).toEqual(without);
  });

  test("gets none for what lies deeper, hidden, in packages or behind a link, nor behind hundreds of names", () => {
    expect(looked(["a/b/c/.git/HEAD"])).toEqual(without);
    expect(looked([".cache/tool/.git/HEAD", "node_modules/a/.git/HEAD"])).toEqual(without);
    const many = Array.from({ length: 600 }, (_, index) => `f${index}`);
    expect(looked([...many, "a/b/.git/HEAD"])).toEqual(without);
    expect(looked([...many.slice(0, 100), "a/b/.git/HEAD"])).toEqual(withGit);
  });
});

test("a runtime is told with the folders that it shows, where they really are", () => {
  const { host, write, at, folder } = machine({ "opt/tools-2/bin/x": "" });
  symlinkSync("tools-2", at("opt/tools"));
  const tools = `{ name: tools, read: [${at("opt/tools")}] }`;
  write({ "home/ann/project/cofferdam.yaml": `version: 1\nsandbox:\n  runtimes: [system, ${tools}]\n` });
  const rows = grantedRows(host, trustFile(host).loaded).map((row) => row.join("  ").replace(folder, "~"));
  expect(rows.filter((row) => /^(programs|read too|\s)/.test(row))).toEqual([
    "programs  tools, system",
    "read too  ~/opt/tools-2, as a part of tools",
  ]);
});

test("what a config would grant is told before it is trusted, and what got wider first", () => {
  const config = (mode: string, extra = ""): string =>
    `version: 1\nsandbox:\n  paths: { notes: { root: ./notes, mode: ${mode}, write_approval: false } }\n  runtimes: []\n  env: { set: { CI: "1" } }\nshell:\n  rules: [{ pattern: "ls", approval: false }${extra}]\n`;
  const { host, write, at, folder } = machine();
  mkdirSync(at("home/ann/project/notes"));
  write({ "home/ann/project/cofferdam.yaml": config("ro") });
  const first = trustFile(host);
  expect(widerLines(first)).toEqual([]);
  expect(grantedRows(host, first.loaded).map((row) => row.join("  ").replace(folder, "~"))).toEqual([
    "roots  notes ro ~/home/ann/project/notes",
    "cofferdam  installed outside the writable roots",
    "programs  none",
    "network  none",
    "variables  LANG LC_* TERM TZ CI=1",
    "commands  1 rule; other commands need approval",
    "unasked  ls",
    "approval  interactive",
    "ceiling  protected",
  ]);
  rememberTrust(host, first);
  write({ "home/ann/project/cofferdam.yaml": config("rw", ', { pattern: "rm", approval: false }') });
  expect(widerLines(trustFile(host)).map((line) => line.replaceAll(folder, "~"))).toEqual([
    "it changed: cofferdam.yaml",
    "allows more without approval and with approval: it may write `~/home/ann/project/notes` (only read in the config trusted before)",
    "a rule allows now: `rm`",
    "changed: shell.rules",
  ]);
});

describe("a host that got reachable is told by its name and port", () => {
  /** The lines of `trust` about a wider `shell.network` after a change from `before` to `after`. */
  const wider = (before: string, after: string): readonly string[] => {
    const { host, write } = machine();
    const say = (network: string): void =>
      write({
        "home/ann/project/cofferdam.yaml": `version: 1\nsandbox: { runtimes: [] }\nshell: { network: ${network} }\n`,
      });
    say(before);
    rememberTrust(host, trustFile(host));
    say(after);
    return widerLines(trustFile(host)).filter((line) => line.startsWith("allows more"));
  };
  const line = (words: string): string =>
    `allows more without approval and with approval: it may connect ${words}`;
  const hosts = (...rules: readonly string[]): string => `{ hosts: ${JSON.stringify(rules)} }`;

  test("and by no address that nobody wrote; a host that was listed before is not told", () => {
    const added = hosts("a.test:443", "registry.npmjs.org:443");
    expect(wider(hosts("a.test:443"), added)).toEqual([line("`registry.npmjs.org:443`")]);
    expect(wider("false", hosts("a.test"))).toEqual([line("`a.test:443`")]);
    expect(wider(added, hosts("a.test:443"))).toEqual([]);
  });

  test("with what is new where only its addresses are: private ones, or the one that is written", () => {
    expect(wider(hosts("a.test:443"), hosts("a.test:443 private"))).toEqual([
      line("`a.test:443` at a private address"),
    ]);
    expect(wider(hosts("a.test:443"), hosts("a.test:443", "b.test:443 at 192.168.7.7"))).toEqual([
      line("`b.test:443` at 192.168.7.7"),
    ]);
    // An address that was barred before was written then.
    const barred = `{ hosts: ["a.test:443"], never: ["8.8.8.8"] }`;
    expect(wider(barred, hosts("a.test:443"))).toEqual([line("`a.test:443` at 8.8.8.8")]);
  });
});

test("whatever lets tools run unasked is told before a config is trusted, and any change of it after", () => {
  const { host, write } = machine();
  const config = (approval: string): void =>
    write({
      "home/ann/project/cofferdam.yaml": `version: 1\nsandbox: { runtimes: [] }\napproval: ${approval}\n`,
    });
  const rows = (): readonly string[] => {
    const told = grantedRows(host, trustFile(host).loaded).map((row) => row.join("  "));
    return told.slice(
      told.findIndex((row) => row.startsWith("commands")) + 1,
      told.findIndex((row) => row.startsWith("approval")),
    );
  };
  const variants: readonly (readonly [approval: string, rows: readonly string[]])[] = [
    [
      "{ rules: [{ pattern: write, args: { path: /tmp/* }, agents: [ci], action: allow }] }",
      ['tools  write with {"path":"/tmp/*"} by ["ci"] RUNS WITHOUT APPROVAL'],
    ],
    [
      "{ rules: [{ pattern: write, args: { path: /tmp/* }, action: allow }] }",
      ['tools  write with {"path":"/tmp/*"} RUNS WITHOUT APPROVAL'],
    ],
    [
      "{ rules: [{ pattern: drop, action: deny }], agents: { deploy: { rules: [{ pattern: put, action: allow }] } } }",
      ["tools  drop is denied", "  agent deploy: put RUNS WITHOUT APPROVAL"],
    ],
    [
      "{ risk_defaults: { write: allow, destructive: ask } }",
      [
        "by risk  write tools without a rule: RUNS WITHOUT APPROVAL",
        "  destructive tools without a rule: needs approval",
      ],
    ],
    ["{ risk_defaults: { read_only: ask } }", []],
    ["{ agents: { deploy: { order: strictest } } }", []],
    ["{ timeout: 1m, on_timeout: deny }", []],
  ];
  for (const [approval, expected] of variants) {
    config(approval);
    expect(rows()).toEqual(expected);
    const offer = trustFile(host);
    const ofRules = /^(a rule allows now|no rule allows any more|no longer \w+|\w+ now): /;
    expect(widerLines(offer).filter((line) => !ofRules.test(line))).toEqual(
      offer.before.trusted || offer.before.reason === "never"
        ? []
        : ["it changed: cofferdam.yaml", "changed: approval"],
    );
    expect(() => loadConfig(host)).toThrow(/is not trusted yet|changed after it was trusted/);
    rememberTrust(host, offer);
    expect(loadConfig(host).config.origin.kind).toBe("trusted");
  }
});

test("what got wider is told before the rules that changed with it", () => {
  const { host, write, at } = machine();
  mkdirSync(at("home/ann/project/notes"));
  const config = (mode: string, action: string): void =>
    write({
      "home/ann/project/cofferdam.yaml": `version: 1\nsandbox: { runtimes: [], paths: { notes: { root: ./notes, mode: ${mode}, write_approval: false } } }\napproval: { agents: { ci: { rules: [{ pattern: put, action: ${action} }] } } }\n`,
    });
  config("ro", "ask");
  rememberTrust(host, trustFile(host));
  config("rw", "allow");
  expect(widerLines(trustFile(host)).map((line) => line.split(" ", 2).join(" "))).toEqual([
    "it changed:",
    "allows more",
    "no longer",
    "a rule",
    "changed: approval",
  ]);
});
