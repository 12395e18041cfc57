import { CONFIG_ONLY, CONFIG_OPTIONS, type CommandHelp, JSON_OPTION } from "./command-help.ts";
import { TOOLS_COMMAND } from "./run-commands.ts";

/** Commands that show how things are and change no config. */
export const INSPECT_COMMANDS = {
  explain: {
    group: "Inspect",
    purpose: "explain why an access is allowed or denied",
    usage: "explain ACCESS TARGET [OPTIONS]",
    notes: [
      "Shows the answer without and with approval, the line of the file that decides, and the sandbox option that enforces it.",
      "The answer is that for commands; file tools have rows of their own where theirs differs.",
    ],
    actions: [
      ["read PATH", "read a file or folder", "file"],
      ["write PATH", "write a file or folder", "file"],
      ["remove PATH", "delete a file or folder", "file"],
      ["rename PATH", "rename or move a file or folder", "file"],
      ["connect TARGET", "connect to `host:port`, `./socket` or `@abstract-socket`", "file"],
      ["env NAME", "see an environment variable"],
      ["syscalls GROUP", "use a group of system calls", ["abi32", "debug"]],
      ["devices GROUP", "use a group of devices", ["fuse", "gpu", "kvm", "serial"]],
      [
        "macos GROUP",
        "use a group of macOS services",
        ["java", "listen", "openmp", "prefs", "processes", "pty", "python", "tls", "watch"],
      ],
      ["port N", "reach a server in the sandbox at this port"],
    ],
    options: { Config: CONFIG_OPTIONS, Output: [JSON_OPTION] },
    examples: [
      "cofferdam explain write .git/config",
      "cofferdam explain connect registry.npmjs.org:443",
      "cofferdam explain env SSH_AUTH_SOCK",
    ],
  },
  ...TOOLS_COMMAND,
  profile: {
    group: "Inspect",
    purpose: "show, compare and list profiles",
    usage: "profile ACTION [OPTIONS]",
    actions: [
      ["show [NAME]", "show the profile that calls get, or one operator profile", "profile"],
      ["diff [A B]", "compare two profiles; by default the config and the result", "profile"],
      ["list", "list shipped and operator profiles, and which apply here"],
    ],
    options: {
      Comparison: [["--fail-if-wider", "diff: exit with 1 if B may allow more than A"]],
      Config: CONFIG_OPTIONS,
      Output: [
        ["--format FORMAT", "the format of `show`", ["text", "json", "bwrap", "seatbelt"]],
        JSON_OPTION,
      ],
    },
    notes: ["On other systems than macOS, the format seatbelt shows the rules for an assumed standard Mac."],
    examples: [
      "cofferdam profile show",
      "cofferdam profile show strict",
      "cofferdam profile diff strict read-only --fail-if-wider",
    ],
  },
  journal: {
    group: "Inspect",
    purpose: "show recorded runs, and check their records for changes",
    usage: "journal ACTION [RUN] [OPTIONS]",
    notes: [
      "Each line of a record contains a hash of itself and of all lines before it. Edited, removed, moved or added lines are therefore found. A shortened or completely rewritten record is found only with a head that you kept elsewhere.",
      "`verify` and `head` exit with 65 if a record is broken or has no hashes. A truncated last line (after a crash) is reported but is not an error.",
    ],
    actions: [
      ["show [RUN]", "show the events of a run; by default the latest"],
      ["verify [RUN]", "check the record of a run for changes"],
      ["head [RUN]", "print the line count and last hash, to keep elsewhere"],
    ],
    options: {
      Runs: [
        ["--list", "list the recorded runs; needs no ACTION"],
        ["--all", "verify, head: every run"],
      ],
      Verification: [
        ["--head HASH", "verify: check that the record contains the line with this hash"],
        ["--heads FILE", "verify: check all heads in a file that `head` printed", "file"],
      ],
      Config: CONFIG_ONLY,
      Output: [["--json", "print JSON; events and heads one per line"]],
    },
    examples: [
      "cofferdam journal show",
      "cofferdam journal head --all >>heads.txt",
      "cofferdam journal verify --heads heads.txt",
    ],
  },
  quarantine: {
    group: "Inspect",
    purpose: "list, restore or delete files that were removed after a call",
    usage: "quarantine [ACTION] [OPTIONS]",
    notes: [
      "A call may create files that programs outside the sandbox run automatically, such as git hooks. cofferdam moves such files to the quarantine. ID is the id of an entry, or its beginning. PATH is one of its files, or the end of its path.",
    ],
    actions: [
      ["list", "list the quarantined files of all projects (the default)"],
      ["show ID", "show the files of one entry and their content"],
      ["restore ID [PATH...]", "put files back; existing files are not replaced"],
      ["drop ID [PATH...]", "delete files permanently"],
    ],
    options: { Output: [JSON_OPTION] },
    examples: ["cofferdam quarantine list", "cofferdam quarantine show 1a2b3c4d"],
  },
  schema: {
    group: "Inspect",
    purpose: "print the JSON Schema of a config or profile, for editors",
    usage: "schema config|profile",
    actions: [
      ["config", "the schema of `cofferdam.yaml`"],
      ["profile", "the schema of an operator profile"],
    ],
    options: { Options: [] },
    examples: ["cofferdam schema config >config.schema.json"],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;
