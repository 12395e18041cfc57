import { errorParts, exitParts, type TopicPart } from "./error-topics.ts";
import { rowLines, wrapped } from "./wrap.ts";

interface Topic {
  readonly about: string;
  readonly parts: readonly TopicPart[];
}

/** The topics of `cofferdam help TOPIC`. */
export const TOPICS = {
  config: {
    about: "the file cofferdam.yaml: where it is found, what it contains",
    parts: [
      "cofferdam uses the nearest `cofferdam.yaml`, in the current folder or above it. `cofferdam init` writes one, and `cofferdam trust` must accept it before it is used.",
      {
        code: [
          "version: 1",
          "sandbox:",
          "  paths:",
          "    work: { root: ., mode: rw, write_approval: false }",
          "  runtimes: [system, node]",
          "  limits: { wall: 10m, memory: 4GiB }",
          "shell:",
          "  network: false",
          "  rules:",
          '    - { pattern: "npm test", approval: false }',
          '    - { pattern: "rm", allowed: false }',
          "approval: { mode: interactive }",
        ],
      },
      "Without a config, a command can write the current folder and has no network.",
      "Check a config with `cofferdam check`. Editors can use `cofferdam schema config`.",
    ],
  },
  profiles: {
    about: "operator profiles, which can only restrict a config",
    parts: [
      "A profile is a YAML file that limits every config. Profiles are intersected: an action is allowed only if the config and every profile allow it.",
      {
        rows: [
          ["/etc/cofferdam/profiles.d", "for all users of the machine"],
          ["~/.config/cofferdam/profiles.d", "for one user"],
          ["sandbox.os_profile", "listed in a config"],
          ["--profile NAME", "for one command: a shipped name, or a path with a slash"],
        ],
      },
      "Shipped profiles:",
      {
        rows: [
          ["protected", "always applies: keeps credentials and settings of other tools safe"],
          ["strict", "no network, tight limits, and a person decides"],
          ["read-only", "no file can be changed"],
          ["no-network", "no network at all"],
          ["ci", "no questions, no terminal, limits for jobs"],
        ],
      },
      "`cofferdam profile show` prints the result. `cofferdam profile diff` compares two.",
    ],
  },
  approvals: {
    about: "when a person is asked, and how to answer",
    parts: [
      "A call is denied, runs at once, or waits for an approval. Rules decide first, then the tool, then its risk. See `cofferdam help rules`.",
      {
        rows: [
          ["mode: interactive", "ask a person (the default)"],
          ["mode: strict", "reject each request"],
          ["mode: approve_all", "approve each request, unless an operator requires a person"],
        ],
      },
      "People answer at the terminal, with `cofferdam approvals`, or in their MCP client. `cofferdam serve` opens the inbox, a Telegram chat and a webhook.",
      "An approval counts once, or for the session. `cofferdam grants` lists and revokes those for a session. See also `cofferdam approvals --help`. A request without an answer is rejected after five minutes; `approval.timeout` changes that.",
      "With `cofferdam call --suspend` a call does not wait. `cofferdam resume ID` runs it after the approval.",
    ],
  },
  sandbox: {
    about: "the files, network and limits of a command",
    parts: [
      "Each command runs in a new sandbox: bubblewrap on Linux, Seatbelt on macOS. cofferdam inspects the sandbox before the command starts. If it differs from the plan, the command does not run.",
      {
        rows: [
          ["files", "only the folders in `sandbox.paths`, the runtimes, and its own temporary files"],
          ["network", "none, unless the config allows hosts"],
          ["environment", "only the variables in `sandbox.env`"],
          ["limits", "`sandbox.limits`: time, memory, processes, output and more"],
        ],
      },
      "Files that other programs run automatically are read-only, such as git hooks and shell start-up files. New files of this kind go to the quarantine, unless a person keeps them.",
      "`cofferdam run --dry-run` shows the plan. `cofferdam explain` shows why an access is denied. `cofferdam doctor` shows what this machine can enforce.",
    ],
  },
  network: {
    about: "hosts that commands can reach, and servers in the sandbox",
    parts: [
      "Without a setting, a command has only its own loopback. `shell.network` changes that:",
      {
        rows: [
          ["false", "no network (the default)"],
          ['{ hosts: ["a.org:443"] }', "these hosts, through a proxy of cofferdam"],
          ["{ ..., ask: unlisted }", "also ask a person about other hosts"],
          ["{ ..., proxy: environment }", "use the proxy that HTTPS_PROXY names"],
          ["true", "every public host"],
          ["host", "the machine's own network, without any filter"],
        ],
      },
      "Programs find the proxy through HTTP_PROXY and HTTPS_PROXY. Programs that ignore these variables have no network access. `*.example.org` matches all names below a domain.",
      "To reach a server in the sandbox, list its port under `shell.ports` and start it with `cofferdam run --port 5173 -- COMMAND`.",
      "`cofferdam explain connect example.org:443` shows whether a host can be reached.",
    ],
  },
  rules: {
    about: "shell rules and tool rules: allow, ask or deny a call",
    parts: [
      "`shell.rules` are about commands. A pattern matches the first words of a command. `*` matches any characters in a word. The first matching rule decides.",
      {
        code: [
          "shell:",
          "  rules:",
          '    - { pattern: "git push", allowed: false }',
          '    - { pattern: "git status", approval: false }',
          "  default: { allowed: true, approval: beyond }",
        ],
      },
      {
        rows: [
          ["approval: false", "run without asking"],
          ["approval: true", "ask a person"],
          ["allowed: false", "deny; nobody can approve it"],
        ],
      },
      '`approval.rules` are about tools: `{ pattern: "delete_*", action: deny }`. The last matching rule of the config decides. A deny in an operator profile wins over every rule of the config.',
      "A rule checks words, not effects: a script can do the same by other means. Rules kept from answers: `cofferdam rules --help`.",
      "`cofferdam run --dry-run -- COMMAND` shows the rules that match. `cofferdam check` lists rules that never apply.",
    ],
  },
  "exit-codes": { about: "exit statuses of cofferdam", parts: exitParts() },
  "error-codes": { about: "error codes of messages, JSON output and the API", parts: errorParts() },
  environment: {
    about: "environment variables, outside and inside the sandbox",
    parts: [
      "cofferdam reads these variables:",
      {
        rows: [
          ["XDG_STATE_HOME", "parent of the state folder; default ~/.local/state"],
          ["HOME", "the home folder, for ~/.config/cofferdam and the state folder"],
          ["PATH", "where the runtimes of a config are searched"],
          ["HTTPS_PROXY, NO_PROXY", "the proxy of `proxy: environment`"],
          ["TMPDIR", "where temporary folders are created"],
          ["NO_COLOR, FORCE_COLOR", "turn colors off or on"],
        ],
      },
      "The state folder contains trusted configs, approval requests, the quarantine, and the journal.",
      "A command in the sandbox gets only listed variables:",
      {
        code: ["sandbox:", "  env:", "    pass: [LANG, LC_*]", '    set: { CI: "1" }'],
      },
      "PATH, HOME and TMPDIR have new values there. `cofferdam explain env NAME` shows whether a variable is passed on.",
    ],
  },
  troubleshooting: {
    about: "common problems, and the command that helps",
    parts: [
      {
        rows: [
          ["a call was denied", "run `cofferdam explain write FILE`, or read, connect, env"],
          ["a command asks too often", "add a rule with `approval: false`; see `cofferdam help rules`"],
          ["command not found", "list its folder under `sandbox.runtimes`"],
          ["no network", "see `cofferdam help network`"],
          ["a host is refused", "run `cofferdam explain connect HOST:443`"],
          ["the config is ignored", "run `cofferdam trust`, then `cofferdam check`"],
          ["no sandbox (exit 69)", "run `cofferdam doctor`; it prints the fix"],
          ["a file is gone", "run `cofferdam quarantine list`"],
          ["a call waits", "run `cofferdam approvals list` in another terminal"],
          ["what happened?", "run `cofferdam journal show`"],
        ],
      },
      "`cofferdam run --dry-run -- COMMAND` shows the verdict, all matching rules and the sandbox plan, without running anything.",
      "`cofferdam selftest` tries attacks against the sandbox of this machine.",
    ],
  },
} as const satisfies Readonly<Record<string, Topic>>;

export type TopicName = keyof typeof TOPICS;

export const TOPIC_NAMES: readonly TopicName[] = Object.keys(TOPICS).filter(isTopic);

export function isTopic(name: string): name is TopicName {
  return Object.hasOwn(TOPICS, name);
}

export function topicText(name: TopicName): string {
  const { about, parts }: Topic = TOPICS[name];
  const blocks = parts.map(linesOf).map((lines) => lines.join("\n"));
  return [`${name}: ${about}`, ...blocks].join("\n\n");
}

/** The list of topics, below the overview of the commands. */
export function topicList(): string {
  const rows = TOPIC_NAMES.map((name) => [name, TOPICS[name].about] as const);
  return ["Topics, for `cofferdam help TOPIC`:", ...rowLines(rows)].join("\n");
}

function linesOf(part: TopicPart): readonly string[] {
  if (typeof part === "string") return wrapped(part);
  return "code" in part ? part.code.map((line) => `  ${line}`) : rowLines(part.rows);
}
