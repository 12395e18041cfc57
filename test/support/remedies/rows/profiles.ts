import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { config, operator, PROFILE } from "../config.ts";
import { quoted, type Row, type Situation } from "../row.ts";

const mask = (pattern: string): Situation =>
  operator(`masks: [{ pattern: ${JSON.stringify(pattern)}, at_most: read }]`);
const one = "sandbox: { runtimes: [], paths: { ws: { root: ., mode: rw } } }";
const hosts = (more: string): string => `shell: { network: { hosts: ["a.test:443"], ${more} } }`;
const beside = (text: string, files: Readonly<Record<string, string>>): Situation => config(text, { files });
const FOLDER = "home/ann/.config/cofferdam";

/** A link in the machine's folder, made once. */
const linked =
  (from: string, to: string, then: Situation): Situation =>
  (at, told) => {
    at.write({ [`${to}/a`]: "" });
    mkdirSync(dirname(at.at(from)), { recursive: true });
    symlinkSync(at.at(to), at.at(from));
    return then(at, told);
  };

/** The operator's own profile lets be read what lies there. */
const reading =
  (path: string): Situation =>
  (at, told) =>
    operator(`files: [{ path: "${at.at(path)}", access: read }, { path: "\${runtime}", access: read }]`)(
      at,
      told,
    );

const entry = (path: string): Situation => operator(`files: [{ path: "${path}", access: read }]`);

/** Others than root may write there. */
const openTo =
  (folder: string, then: Situation): Situation =>
  (at, told) => {
    chmodSync(at.at(folder), 0o777);
    return then(at, told);
  };

/** A chain of profiles, each of which extends the next; the config names the first one. */
const chain = (count: number): Situation =>
  beside(
    "sandbox: { runtimes: [], os_profile: [./p0.yaml] }",
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `home/ann/project/p${at}.yaml`,
        `profile: p${at}\nextends: [${at + 1 === count ? "" : `./p${at + 1}.yaml`}]\n`,
      ]),
    ),
  );

const modes = (a: string, b: string): Readonly<Record<string, string>> => ({
  [PROFILE]: `profile: own\napproval: { modes: ${a} }\n`,
  [`${FOLDER}/profiles.d/two.yaml`]: `profile: two\napproval: { modes: ${b} }\n`,
});

const moved =
  (from: string, to: string): Situation =>
  (at, told) => {
    renameSync(at.at(from), at.at(to));
    return config("")(at, told);
  };

const without =
  (path: string, then: Situation): Situation =>
  (at, told) => {
    rmSync(at.at(path), { recursive: true });
    return then(at, told);
  };

/** What operators' profiles say, and what a config says below them. */
export const OF_PROFILES: readonly Row[] = [
  // Patterns
  ["write a path with `*`, `?`, `[abc]`, `[!abc]`, `**` or `{a,b}`", mask("a**b"), mask("a*b")],
  ["write `**/!name` for a name that begins with `!`", mask("!name"), mask("**/!name")],
  ["write a plain `*` as `[*]`", mask("a\\*"), mask("a[*]")],
  ["write a plain brace as `[{]` or `[}]`", mask("a{b"), mask("a[{]b")],
  ["write a plain bracket as `[[]` or `[]]`", mask("a[b"), mask("a[[]b")],
  ["write `{a,b}` for alternatives", mask("+(a|b)"), mask("{a,b}")],
  ["write it from `/`, or with `${workspace}`", entry("a"), entry("${workspace}/a")],
  [
    "write several patterns",
    mask("{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}"),
    mask("{a,b,c,d}"),
  ],
  [
    "write fewer alternatives in `{a,b}`",
    operator(
      `masks:\n${Array.from({ length: 400 }, (_, at) => `  - { pattern: "x${at}/${"{a,b,c,d}".repeat(3)}", at_most: read }`).join("\n")}`,
    ),
    mask("{a,b}"),
  ],
  [
    "if you mean that one path, write `{}`",
    beside(one, {
      "home/ann/project/a/b": "",
      [PROFILE]: "profile: own\nmasks: [{ pattern: a/b, at_most: read }]\n",
    }),
    (at, told) =>
      beside(one, { [PROFILE]: `profile: own\nmasks: [{ pattern: "${quoted(told)}", at_most: read }]\n` })(
        at,
        told,
      ),
  ],
  // Paths
  [
    "the variables are {}",
    operator('files: [{ path: "${nowhere}", access: read }]'),
    operator('files: [{ path: "${workspace}", access: read }]'),
  ],
  [
    "write a shorter path",
    operator(`files: [{ path: "\${workspace}/${"x/".repeat(2_040)}", access: read }]`),
    operator('files: [{ path: "${workspace}/x", access: read }]'),
  ],
  [
    "write the path without the symlink: {}",
    linked("open/link", "srv", openTo("open", reading("open/link"))),
    (at, told) =>
      operator(
        `files: [{ path: "${told.replace("write the path without the symlink: ", "")}", access: read }]`,
      )(at, told),
  ],
  [
    "write four decimal numbers, or IPv6 without a zone",
    operator("expect: [{ allow: connect, host: a.test, address: '10.1' }]"),
    operator("expect: [{ allow: connect, host: a.test, address: '10.0.0.1' }]"),
  ],
  // Examples, and what extends what
  [
    "change the section that decides it, or the example",
    operator("masks: [{ pattern: '**/x', at_most: none }]\nexpect: [{ allow: read, path: /srv/x }]"),
    operator("masks: [{ pattern: '**/y', at_most: none }]\nexpect: [{ allow: read, path: /srv/x }]"),
  ],
  [
    "write one `name:port`",
    operator("expect: [{ allow: connect, host: '*.a.test' }]"),
    operator("expect: [{ allow: connect, host: 'b.a.test:443' }]"),
  ],
  ["remove one of the names from `extends`", operator("extends: [./own.yaml]"), operator("extends: []")],
  [
    "{}; name a file by a path with `/`, or with its ending `.yaml`",
    operator("extends: [strikt]"),
    (at, told) => operator(`extends: [${quoted(told)}]`)(at, told),
  ],
  [
    "{}; name a file by a path with `/`, or with its ending `.yaml`",
    operator("extends: [base]"),
    beside("", {
      [PROFILE]: "profile: own\nextends: [./base.yaml]\n",
      [`${FOLDER}/profiles.d/base.yaml`]: "profile: base\n",
    }),
  ],
  ["begin with `profile: NAME`", beside("", { [PROFILE]: "" }), operator("")],
  ["merge them into fewer files", chain(100), chain(3)],
  // What operators leave of a config
  [
    "the operator profiles together allow no mode: widen `approval.modes` in one of them",
    beside("", modes("[strict]", "[interactive]")),
    beside("", modes("[strict, interactive]", "[interactive]")),
  ],
  [
    "write {} under `approval`",
    operator("approval: { modes: [strict] }"),
    config((told) => `approval: { ${quoted(told)} }`),
  ],
  [
    "write `network: false`, or `network: host` in that profile",
    config("shell: { network: host }", { profile: "network: { hosts: [a.test] }" }),
    config("shell: { network: false }"),
  ],
  [
    "remove it, or list it under `network` of that profile",
    config(hosts("never: []"), { profile: "network: { hosts: [b.test] }" }),
    config(hosts("never: []"), { profile: 'network: { hosts: ["a.test:443"] }' }),
  ],
  [
    "remove it, or list it under `ports` of that profile",
    config("shell: { ports: [8000] }", { profile: "ports: []" }),
    config("shell: { ports: [8000] }", { profile: "ports: [8000]" }),
  ],
  [
    "remove it, or list `{}` under `env` of {}",
    config("sandbox: { runtimes: [], env: { pass: [OWN] } }", { profile: "env: [LANG]" }),
    config("sandbox: { runtimes: [], env: { pass: [OWN] } }", { profile: "env: [LANG, OWN]" }),
  ],
  [
    "write its URL as `proxy` under `network` of that profile, or use no proxy",
    config(hosts('proxy: "http://p.test:1"'), { profile: 'network: { hosts: ["*"] }' }),
    config(hosts('proxy: "http://p.test:1"'), {
      profile: 'network: { hosts: ["*"], proxy: "http://p.test:1" }',
    }),
  ],
  [
    "remove them from the URL, because other users can read the profile; a config may say `proxy: environment`",
    operator('network: { hosts: ["*"], proxy: "http://ann:secret@p.test:1" }'),
    operator('network: { hosts: ["*"], proxy: "http://p.test:1" }'),
  ],
  [
    'add `- { path: "${runtime}", access: read }` to its `files`',
    config("sandbox: { runtimes: [system] }", {
      profile: 'files: [{ path: "${workspace}", access: write }]',
    }),
    config("sandbox: { runtimes: [system] }", {
      profile: 'files: [{ path: "${workspace}", access: write }, { path: "${runtime}", access: read }]',
    }),
  ],
  // Where profiles lie
  [
    "rename it to end in `.yaml`, or move it out of the folder",
    beside("", { [`${FOLDER}/profiles.d/own.yml`]: "profile: own\n" }),
    moved(`${FOLDER}/profiles.d/own.yml`, PROFILE),
  ],
  [
    "rename it to `{}`",
    beside("", { [`${FOLDER}/profile.d/a`]: "" }),
    moved(`${FOLDER}/profile.d`, `${FOLDER}/other`),
  ],
  [
    "move it to {}",
    beside("", { [`${FOLDER}/own.yaml`]: "profile: own\n", [PROFILE]: "profile: one\n" }),
    moved(`${FOLDER}/own.yaml`, `${FOLDER}/profiles.d/two.yaml`),
  ],
  [
    "name a YAML file",
    beside("", {
      [PROFILE]: "profile: own\nextends: [./base.yaml]\n",
      [`${FOLDER}/profiles.d/base.yaml/a`]: "",
    }),
    without(`${FOLDER}/profiles.d/base.yaml`, operator("extends: []")),
  ],
  ["name an existing file that you can read", operator("extends: [./nowhere.yaml]"), operator("extends: []")],
  [
    "repair or remove the symlink",
    linked("etc/profiles.d", "elsewhere", without("elsewhere", config(""))),
    without("etc/profiles.d", config("")),
  ],
];
