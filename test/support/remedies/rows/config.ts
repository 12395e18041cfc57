import { config, file, operator } from "../config.ts";
import { quoted, type Row } from "../row.ts";

const roots = (some: string, more = ""): string => `sandbox: { runtimes: [], paths: { ${some} } }\n${more}`;
const ws = (more = ""): string => roots("ws: { root: ., mode: rw }", more);
const shell = (rules: string, more = ""): string => `shell: { rules: [${rules}]${more} }`;
const tools = (rules: string, more = ""): string => `approval: { rules: [${rules}]${more} }`;
const server = (needs: string, mode: string, command = "x"): string =>
  `sandbox: { runtimes: [], paths: { ws: { root: ., mode: ${mode} } } }\nmcp: { servers: { s: { command: [${command}], needs: { ${needs} } } } }`;
const hosts = (more: string): string => `shell: { network: { hosts: ["a.test:443"], ${more} } }`;

/** What a config says, by the text before and after. */
export const OF_CONFIGS: readonly Row[] = [
  [
    "write `true` or `false`",
    config("sandbox: { runtimes: [], isolate_calls: 1 }"),
    config("sandbox: { runtimes: [], isolate_calls: true }"),
  ],
  ["did you mean `{}`?", config("shel: {}"), config((told) => `${quoted(told)}: {}`)],
  ["the keys here are {}", config("telemetry: {}"), config("journal: {}")],
  ["choose another name", config("__proto__: {}"), config("journal: {}")],
  ["keep one of them", config("shell: {}\nshell: {}"), config("shell: {}")],
  [
    "remove it, or write it as an escape in double quotes",
    config("journal: { folder: '/srv/a\u200bb' }"),
    config(""),
  ],
  [
    "the roots are {}",
    config(ws("shell: { rules: [{ pattern: x, sandbox_paths: [elsewhere] }] }")),
    config((told) =>
      ws(`shell: { rules: [{ pattern: x, sandbox_paths: [${told.replace("the roots are ", "")}] }] }`),
    ),
  ],
  [
    "add it under `sandbox.paths`",
    config("shell: { rules: [{ pattern: x, sandbox_paths: [ws] }] }"),
    config(ws("shell: { rules: [{ pattern: x, sandbox_paths: [ws] }] }")),
  ],
  [
    "write a path relative to the config's folder, such as `./notes`, or an absolute one",
    config(roots("n: { root: ~/notes, mode: rw }")),
    config(roots("n: { root: ./notes, mode: rw }"), { files: { "home/ann/project/notes/a": "" } }),
  ],
  [
    "write an absolute path",
    config(roots("n: { root: ../notes, mode: rw }")),
    config(roots("n: { root: HOME/notes, mode: rw }"), { files: { "home/ann/notes/a": "" } }),
  ],
  [
    "write a name, four decimal numbers, or IPv6 without a zone",
    config(hosts('proxy: "http://a..test:1"')),
    config(hosts('proxy: "http://a.test:1"')),
  ],
  [
    "write a URL such as `http://proxy.example.org:3128`",
    config(hosts("proxy: socks5://a.test:1")),
    config((told) => hosts(`proxy: "${quoted(told)}"`)),
  ],
  [
    "set it to a URL such as `http://proxy.example.org:3128`, or name the proxy under `shell.network.proxy`",
    config(hosts("proxy: environment"), { env: { HTTPS_PROXY: "socks5://a.test:1" } }),
    (at, told) => config(hosts("proxy: environment"), { env: { HTTPS_PROXY: quoted(told) } })(at, told),
  ],
  [
    "set `HTTPS_PROXY`, or write the proxy's URL",
    config(hosts("proxy: environment"), { env: {} }),
    config(hosts("proxy: environment"), { env: { HTTPS_PROXY: "http://p.test:1" } }),
  ],
  [
    "remove the address from `never`, or use no proxy",
    config(hosts('proxy: "http://p.test:1", never: ["10.0.0.1"]')),
    config(hosts('proxy: "http://p.test:1"')),
  ],
  [
    "give it another name",
    config("sandbox: { runtimes: [], env: { set: { cofferdam_x: a } } }"),
    config("sandbox: { runtimes: [], env: { set: { OWN_GATE_X: a } } }"),
  ],
  [
    "remove it, or list `{}` under `env` of an operator profile",
    config("sandbox: { runtimes: [], env: { set: { LD_PRELOAD: a } } }"),
    config("sandbox: { runtimes: [], env: { set: { LD_PRELOAD: a } } }", {
      profile: "env: [LD_PRELOAD, LANG, 'LC_*', TERM, TZ]",
    }),
  ],
  // Rules on commands
  [
    "write the words of a command, or remove it",
    operator('approval: { rules: [{ shell: " ", action: deny }] }'),
    operator("approval: { rules: [{ shell: rm, action: deny }] }"),
  ],
  [
    "write the words without quotes",
    config(shell(`{ pattern: "'git' push", allowed: false }`)),
    config(shell('{ pattern: "git push", allowed: false }')),
  ],
  [
    "write a rule with the program's name above that one",
    config(shell("{ pattern: /usr/bin/git, approval: false }, { pattern: git, allowed: false }")),
    config(
      shell("{ pattern: git, approval: false }, { pattern: git push, allowed: false }", ", order: strictest"),
    ),
  ],
  [
    "write `approval: true` for it, or move the program outside all writable roots",
    config(ws(shell("{ pattern: ./tool, approval: false }"))),
    config(ws(shell("{ pattern: ./tool }"))),
  ],
  [
    "write the whole command with `exact: true`, or write `approval: true`",
    config(shell('{ pattern: "find x -delete", approval: false }')),
    config(shell('{ pattern: "find x -delete", approval: false, exact: true }')),
  ],
  [
    "move the allowing rule {} it, or write `order: strictest`",
    config(shell('{ pattern: "git", approval: false }, { pattern: "git push", allowed: false }')),
    config(shell('{ pattern: "git push", allowed: false }, { pattern: "git", approval: false }')),
  ],
  [
    "remove it, or change the order of the two",
    config(shell("{ pattern: git, allowed: false }, { pattern: git push, approval: false }")),
    config(shell("{ pattern: git push, approval: false }, { pattern: git, allowed: false }")),
  ],
  [
    "write the words of a command",
    config(shell('{ pattern: rm, allowed: false, match: [" "] }')),
    config(shell('{ pattern: rm, allowed: false, match: ["rm x"] }')),
  ],
  [
    "write a valid line of bash",
    config(shell(`{ pattern: rm, allowed: false, match: ["rm 'x"] }`)),
    config(shell('{ pattern: rm, allowed: false, match: ["rm x"] }')),
  ],
  [
    "write a shorter one",
    config(
      shell(`{ pattern: "rm ${"x".repeat(5_000)}", allowed: false, match: ["rm ${"y".repeat(60_000)}"] }`),
    ),
    config(shell('{ pattern: rm, allowed: false, match: ["rm x"] }')),
  ],
  [
    "change the rule, or the example",
    config(shell("{ pattern: rm, allowed: false, match: [ls] }")),
    config(shell("{ pattern: rm, allowed: false, match: [rm] }")),
  ],
  // Rules on tools
  [
    "write the name of a tool, or remove it",
    config(tools('{ pattern: " ", action: deny }')),
    config(tools("{ pattern: read_file, action: deny }")),
  ],
  [
    "write a tool's name, or write a shell rule for command lines",
    config(tools('{ pattern: "git push", action: deny }')),
    config(shell('{ pattern: "git push", allowed: false }')),
  ],
  [
    "retype it: one of its letters may only look like an ASCII letter",
    config(tools('{ pattern: "re\u0430d_file", action: deny }')),
    config(tools("{ pattern: read_file, action: deny }")),
  ],
  [
    'begin and end `args` with `*`, or name an argument: `args: { name: "glob" }`',
    config(tools('{ pattern: t, action: deny, args: "x" }')),
    config(tools('{ pattern: t, action: deny, args: "*x*" }')),
  ],
  [
    "remove its `agents`, or move it to `approval.rules`",
    config("approval: { agents: { a: { rules: [{ pattern: t, action: deny, agents: [b] }] } } }"),
    config("approval: { agents: { a: { rules: [{ pattern: t, action: deny }] } } }"),
  ],
  [
    "allow tools by name, and leave the others to `risk_defaults`",
    config(tools('{ pattern: "*", action: allow }')),
    config(tools("{ pattern: read_file, action: allow }")),
  ],
  [
    "remove the tool rule, and write `approval` for each command under `shell.rules`",
    config(`${shell("{ pattern: git, approval: false }")}\n${tools("{ pattern: shell, action: ask }")}`),
    config(shell("{ pattern: git push, approval: true }, { pattern: git, approval: false }")),
  ],
  [
    "write `destructive: ask`, and allow single tools by rules",
    config("approval: { risk_defaults: { destructive: allow } }"),
    config(tools("{ pattern: delete_file, action: allow }", ", risk_defaults: { destructive: ask }")),
  ],
  [
    "remove it, or write `on_timeout: error` or `deny`",
    config("approval: { wait: suspend, timeout: 5s }"),
    config("approval: { wait: suspend, timeout: 5s, on_timeout: error }"),
  ],
  [
    "remove it, or `on_timeout`",
    config("approval: { keep: 5d, on_timeout: deny }"),
    config("approval: { keep: 5d }"),
  ],
  [
    'write the name of a tool, or `NAME {"its": "arguments"}`',
    config(tools("{ pattern: t, action: deny, match: ['{}'] }")),
    config(tools(`{ pattern: t, action: deny, match: ['t {"its": "arguments"}'] }`)),
  ],
  [
    "send JSON, each key once",
    config(tools(`{ pattern: t, action: deny, match: ['t {"a": 1, "a": 2}'] }`)),
    config(tools(`{ pattern: t, action: deny, match: ['t {"a": 1}'] }`)),
  ],
  // YAML
  ["begin with `version: 1`", file(""), file((told) => quoted(told))],
  [
    "indent with spaces",
    file("version: 1\nshell:\n\torder: strictest\n"),
    file("version: 1\nshell:\n  order: strictest\n"),
  ],
  [
    "keep one document, without other `---` or `...` lines",
    file("version: 1\n---\nversion: 1\n"),
    file("version: 1\n"),
  ],
  ["check this line and the one above it", file("version: 1\nshell: {\n"), file("version: 1\nshell: {}\n")],
  ["put the key in quotes", config("1: a"), config("journal: {}")],
  [
    "remove the `%YAML` line: files are read as YAML 1.2",
    file("%YAML 1.1\n---\nversion: 1\n"),
    file("---\nversion: 1\n"),
  ],
  ["remove the anchor", config("journal: &a {}"), config("journal: {}")],
  ["remove the tag", config("journal: !own {}"), config("journal: {}")],
  ["write the keys out", config("shell: { <<: {} }"), config("shell: {}")],
  ["write the value out", config("journal: *a"), config("journal: {}")],
  ["use fewer levels", config(`journal: ${"[".repeat(40)}${"]".repeat(40)}`), config("journal: {}")],
  ["shorten it to {} bytes", config(`#${"x".repeat(1024 * 1024)}`), config("#x")],
  ["save it as UTF-8", file("version: 1\n#", [0xff]), file("version: 1\n#")],
  // Hosts
  [
    "write `name`, `name:443`, `*.name` or an address",
    config(hosts('never: ["a.*.test"]')),
    config(hosts('never: ["*.test"]')),
  ],
  [
    "write a name before `at`",
    config(hosts('never: ["10.0.0.2 at 10.0.0.1"]')),
    config(hosts('never: ["a.test at 10.0.0.1"]')),
  ],
  [
    "write an IP address after `at`",
    config(hosts('never: ["a.test at b.test"]')),
    config(hosts('never: ["a.test at 10.0.0.1"]')),
  ],
  [
    "write it as four decimal numbers",
    config(hosts('never: ["0x7f.1"]')),
    config(hosts('never: ["127.0.0.1"]')),
  ],
  [
    "write its `xn--` form",
    config(hosts('never: ["\u00e4.test"]')),
    config(hosts('never: ["xn--4ca.test"]')),
  ],
  // MCP servers
  [
    "write `read`, or `mode: rw` for the root",
    config(server("roots: { ws: write }", "ro")),
    config(server("roots: { ws: read }", "ro")),
  ],
  [
    "remove `write_on_start`: none of its roots asks before writing",
    config(server("roots: { ws: read }, write_on_start: true", "ro")),
    config(server("roots: { ws: read }", "ro")),
  ],
  [
    "list its hosts under `shell.network`",
    config(server("network: true", "ro")),
    config(`${server("network: true", "ro")}\n${hosts("never: []")}`),
  ],
  [
    "list it: `shell: { ports: [{}] }`",
    config(server("ports: [8000]", "ro")),
    config((told) => `${server("ports: [8000]", "ro")}\n${quoted(told)}`),
  ],
  [
    "install the package outside the sandbox and start its file, or set `needs: { network: true }` and list the registry under `shell.network`",
    config(server("", "ro", "npx, a")),
    config(`${server("network: true", "ro", "npx, a")}\n${hosts("never: []")}`),
  ],
  [
    "write {} to name {}",
    config(server("cwd: d", "ro", "./a"), {
      files: { "home/ann/project/a": "", "home/ann/project/d/b": "" },
    }),
    config((told) => server("cwd: d", "ro", quoted(told))),
  ],
  // Ports
  [
    "remove `ports`, or list hosts in place of `network: host`",
    config("shell: { ports: [8000], network: host }"),
    config(hosts("never: []").replace("network", "ports: [8000], network")),
  ],
];
