import type { Project } from "./project.ts";

/** The text of a starter config. Comments explain each setting; only written settings grant access. */
export function starterConfig(project: Project, profiles: readonly string[] = []): string {
  const { schema, runtimes, missing, publishes } = project;
  return `# yaml-language-server: $schema=${schema}
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
  runtimes: [${["system", ...runtimes].join(", ")}]
${missing.map((name) => `  # ${name} is used here, but was not found on this machine, or lies in a folder that cannot be granted.\n`).join("")}
  # Operator profiles can only restrict this file. Shipped profiles: ci, no-network, read-only and strict.
  ${profiles.length === 0 ? "# os_profile: [strict]" : `os_profile: ${JSON.stringify(profiles)}`}

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
${[...ASKED, ...publishes.filter((words) => !ASKED.some(([known]) => known === words)).map((words) => [words, PUBLISH] as const)].map(rule).join("\n")}

# \`interactive\`: a person answers. \`strict\`: each request is rejected. \`approve_all\`: each request is approved,
# unless a rule demands a person.
approval:
  mode: interactive
  # Requests are answered at the terminal, in the form of an MCP host, or in any terminal with \`cofferdam approvals\`.
  # \`http: {}\` adds an inbox in the browser: run \`cofferdam serve\`.
  # channels: { http: {} }
  # A person is asked to let the session continue after so many calls or minutes without a question.
  # budget: { calls: 200, minutes: 60 }
`;
}

const PUBLISH = "Publish a package";

/** Commands that a person is asked about in every project, and why. */
const ASKED = [
  ["git push", "Publish commits"],
  ["npm publish", PUBLISH],
  ["rm -rf", "Remove folders"],
  ["curl | *sh", "Run a download"],
  ["wget | *sh", "Run a download"],
] as const;

function rule([words, description]: readonly [words: string, description: string]): string {
  return `    - { pattern: ${JSON.stringify(words)}, description: ${JSON.stringify(description)} }`;
}
