import type { Project } from "./project.ts";

/** The text of a starter config: everything in it is said once, in a comment, and nothing is granted that is not written. */
export function starterConfig(project: Project, profiles: readonly string[] = []): string {
  const { schema, runtimes, missing, commands, isGit } = project;
  return `# yaml-language-server: $schema=${schema}
#
# What tools may do here. Nothing of this file applies before \`cofferdam trust\`, and no change of it either.
#   cofferdam check                    looks for mistakes
#   cofferdam explain write FILE       says what may be done, and why
#   cofferdam run --dry-run -- CMD     shows what would be run

version: 1

sandbox:
  # The folders that tools may use: \`rw\` can be changed, \`ro\` only read, everything else is not there. With
  # \`write_approval: true\` a person is asked before anything in it changes. What git, editors and package managers run
  # later by themselves stays read-only whatever is written here.
  paths:
    workspace: { root: ., mode: rw, write_approval: false }

  # What programs need to start; \`system\` is the shell and its tools. There are node, python, rust, go, java, haskell
  # and git; other tools are listed with the folders that they need: { name: tool, read: [/opt/tool] }.
  runtimes: [${["system", ...runtimes].join(", ")}]
${missing.map((name) => `  # ${name} is used here and was not found on this machine, or not where it can be granted.\n`).join("")}
  # Operator profiles on top; they can only take away. Shipped are ci, no-network, read-only and strict.
  ${profiles.length === 0 ? "# os_profile: [strict]" : `os_profile: ${JSON.stringify(profiles)}`}

  # What one command may use up; memory is that of all its processes together where a cgroup can be made for it.
  limits: { processes: 4096 }   # also: wall: 10m, memory: 4GiB, output: 4MiB

  # Environment variables that are passed on, by name.
  env: { pass: [LANG, LC_*, TERM, TZ] }

  # Devices that programs may open: gpu, kvm, fuse, serial.
  # devices: [gpu]

shell:
  # false is none but the command's own loopback. Hosts by name: { hosts: ["registry.example.org:443"], ask: unlisted },
  # where a person is asked about others; true is every public host, \`host\` the machine's own network. Beside \`hosts\`,
  # \`proxy: environment\` goes by the proxy that HTTPS_PROXY names.
  network: false

  # Ports of this machine's loopback by which a server in a command is reached: cofferdam run --port 5173 -- npm run dev
  # ports: [5173]

  # The first rule whose words begin the command decides; what no rule covers is asked. \`approval: false\` asks nobody,
  # \`allowed: false\` refuses.
  rules:
${[...commands.map((words) => rule(words, "approval: false")), ...(isGit ? [rule("git push", 'description: "Publish commits"')] : []), rule("sudo", "allowed: false")].join("\n")}

# Who is asked: \`interactive\` a person, \`strict\` nobody (no), \`approve_all\` nobody (yes).
approval: { mode: interactive }
`;
}

function rule(words: string, says: string): string {
  return `    - { pattern: ${JSON.stringify(words)}, ${says} }`;
}
