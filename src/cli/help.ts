/** Every command, with the sentence that the overview says of it. */
export const COMMANDS = {
  init: "write a commented starter config for this folder",
  trust: "show what a config grants, and remember it",
  run: "run one command behind the gate and inside the walls",
  call: "call one tool once, through the gate",
  approvals: "list, show and answer what waits, whichever process asked it",
  grants: "list what sessions were granted, and take it back",
  quarantine: "list what was taken away after calls, give it back or remove it",
  resume: "run what was approved meanwhile",
  serve: "open the channels: the inbox, the stream of events, the chat",
  mcp: "serve an MCP client the tools, or run an MCP server inside walls",
  tools: "list the tools, and what would be asked",
  check: "check the config and every profile without running anything",
  explain: "say why something may be read, written, removed or reached, or not",
  profile: "show, compare and list profiles",
  doctor: "say what this machine can enforce, and how to mend the rest",
  selftest: "try attacks on the walls of this machine, each beside a twin",
  journal: "show what was run and decided, and whether the record was changed",
  schema: "print the JSON Schema of a file that you write",
} as const;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** True for a name that there is a command for. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** The text of `cofferdam --help`. */
export function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, does]) => `  ${name.padEnd(11)}${does}`);
  return `cofferdam: tools of agents, behind a gate and inside walls

usage: cofferdam COMMAND [OPTION…]

${commands.join("\n")}

  --help     this text; after a command, the text of that command
  --version  the version

Begin here:
  cofferdam init && cofferdam trust && cofferdam run -- ls`;
}

/** The text of one command's `--help`. */
export function helpFor(name: CommandName): string {
  const { usage, says, options, takes, example } = TEXTS[name];
  const all = [...options, ...takes.map((one) => SHARED[one]), HELP];
  const width = Math.max(...all.map(([option]) => option.length));
  const lines = all.map(([option, does]) => `  ${option.padEnd(width)}  ${does}`);
  return `usage: cofferdam ${usage}\n\n${says}\n\n${lines.join("\n")}\n\nExample:\n  ${example}`;
}

type Line = readonly [option: string, does: string];

/** Options that several commands take, and mean the same by. */
const SHARED = {
  config: ["--config FILE", "use this config, instead of the nearest trusted one"],
  profile: ["--profile P", "tighten by a shipped profile or a profile file; may be repeated"],
  json: ["--json", "the result as JSON"],
} as const satisfies Readonly<Record<string, Line>>;
const HELP: Line = ["--help", "this text"];

interface Text {
  readonly usage: string;
  readonly says: string;
  readonly options: readonly Line[];
  readonly takes: readonly (keyof typeof SHARED)[];
  readonly example: string;
}

const TEXTS: Readonly<Record<CommandName, Text>> = {
  init: {
    usage: "init [OPTION…]",
    says: "Writes a commented `cofferdam.yaml` for this folder: its root, the runtimes of the project's languages, a few\nshell rules. A file that is there is never overwritten.",
    options: [["--profile P", "list this operator profile in it; may be repeated"]],
    takes: ["json"],
    example: "cofferdam init && cofferdam trust",
  },
  trust: {
    usage: "trust [OPTION…] [FILE]",
    says: "Shows what a config would grant and asks whether to remember it. Without FILE it is the nearest one. A config that\nwas found and not trusted is never used; any change of it asks again, what got wider first.",
    options: [
      ["--yes", "remember it without asking"],
      ["--list", "the configs that are remembered"],
      ["--revoke FILE", "forget one"],
    ],
    takes: ["json"],
    example: "cofferdam trust",
  },
  run: {
    usage: "run [OPTION…] -- COMMAND [ARGUMENT…]",
    says: "Runs one command inside the walls. That you typed it is your yes, unless a rule denies it or an operator demands to\nbe asked. Its exit status is the command's own; 77 is denied, 124 the wall time, 69 no sandbox.",
    options: [
      ["--ask", "having typed it is no yes: ask me, unless the config lets the command pass without asking"],
      ["--strict", "refuse whatever would have to be asked"],
      [
        "--terminal",
        "refuse to run without a terminal of its own; at a terminal it has one where that is allowed",
      ],
      ["--no-terminal", "give it none: its keyboard is empty, and its control sequences are left out"],
      [
        "--port N",
        "reach its server at this port of this machine's loopback, where the config lists it; may be repeated",
      ],
      ["--dry-run", "print what would be run, and touch nothing"],
      ["--quiet", "do not say which config is in force"],
      ["--json", "one JSON object with the outcome, instead of the output as it comes"],
    ],
    takes: ["config", "profile"],
    example: "cofferdam run -- npm test",
  },
  call: {
    usage: "call [OPTION…] TOOL JSON",
    says: "Calls one tool once, as an agent would: through the whole gate, asking at the terminal. JSON is its input, or `-` to\nread it from standard input. The result is JSON; of the shell it is what the program prints, and its status.",
    options: [
      ["--approve-all", "say yes to what would be asked, unless an operator demands a person"],
      ["--strict", "refuse whatever would have to be asked"],
      ["--suspend", "do not wait for the answer: exit with 75, and run it later with `cofferdam resume`"],
      ["--quiet", "do not say which config is in force"],
      ["--json", "one JSON object with the outcome and the receipt"],
    ],
    takes: ["config", "profile"],
    example: `cofferdam call read_file '{"path": "README.md"}'`,
  },
  approvals: {
    usage: "approvals list | show ID | approve ID | reject ID | watch",
    says: "What waits for an answer in the store that the config names, whichever process asked it, and the answers to it. Each\nrequest is told with the folder of its project; those of the project here come first. ID is the request's, or how it\nbegins. The first answer counts; one that comes too late exits with 77.",
    options: [
      ["--note TEXT", "what to say with the answer; the model reads it"],
      ["--session", "approve: for the session, as far as `show` says that it covers"],
    ],
    takes: ["config", "profile", "json"],
    example: "cofferdam approvals approve 1a2b3c4d",
  },
  grants: {
    usage: "grants list | revoke ID",
    says: "What people have granted for the length of a session, of every process that is there. ID is the grant's, or how it\nbegins. What runs already runs on; the next call is asked about again.",
    options: [],
    takes: ["config", "profile", "json"],
    example: "cofferdam grants revoke 1a2b3c4d",
  },
  quarantine: {
    usage: "quarantine list | show ID | restore ID [PATH…] | drop ID [PATH…]",
    says: "What calls made that programs outside the sandbox execute or obey by themselves, and what was taken away for that,\nof every project. ID is that of a call's files, or how it begins; PATH is one of them, or how it ends. `restore` puts\nback exactly what was taken, where nothing stands by now; `drop` removes it for good.",
    options: [],
    takes: ["json"],
    example: "cofferdam quarantine show 1a2b3c4d",
  },
  resume: {
    usage: "resume [OPTION…] ID",
    says: "Runs what was asked about under this ID and has been approved since: in the folder where it was asked, judged and\nlooked at as it stands now, at most once. What has changed since is asked about again. Exits with 75 as long as nobody\nhas answered.",
    options: [
      ["--quiet", "do not say which config is in force"],
      ["--json", "one JSON object with the outcome and the receipt"],
    ],
    takes: ["config", "profile"],
    example: "cofferdam resume 0b7e3c1e-6a0f-4d5c-9a53-2f6d4f0c8e11",
  },
  serve: {
    usage: "serve [OPTION…]",
    says: "Opens the channels of `approval.channels`, over the store that all processes share, until it is ended: over HTTP the\ninbox, a stream of events and the answers, and the chat of a Telegram bot. It runs nothing without `--mcp`. The\naddress that it prints lets whoever has it answer.",
    options: [
      ["--listen AT", "`host:port` or the path of a unix socket, instead of what the config says"],
      ["--allow-remote", "let it listen where other machines reach it"],
      ["--mcp", "also serve MCP clients the tools, at /mcp, with a token of their own"],
    ],
    takes: ["config", "profile", "json"],
    example: "cofferdam serve",
  },
  mcp: {
    usage: "mcp [OPTION…] | mcp --wrap NAME | mcp --wrap [OPTION…] -- SERVER [ARGUMENT…]",
    says: "Serves an MCP client the tools of the config over standard input and output, by the current protocol and those before\nit. With --wrap, runs an MCP server inside walls made from what the config says that it needs, and stands between it\nand the client: each call of its tools goes through the gate, as `NAME/tool`. NAME is a server under `mcp.servers`;\nwords that are no server's there run with what calls get unasked. Asked is whoever sits at the client, where it brings\nforms to them, and whom the channels of the config reach; where nobody can be asked it is denied. Exits with 1 when a\nwrapped server goes before its client, with 77 when it was not let start.",
    options: [
      ["--agent NAME", "the agent's name, as rules know it"],
      ["--wrap", "stand between a client and this server"],
      ["--name N", "what rules and people know words by that are no server's of the config"],
      ["--quiet", "do not say which config is in force"],
    ],
    takes: ["config", "profile"],
    example: "cofferdam mcp --wrap -- npx -y @modelcontextprotocol/server-everything",
  },
  tools: {
    usage: "tools [OPTION…] [TOOL]",
    says: "The tools that there are: how risky each is, and in which root it asks, asks nobody, or is denied. With TOOL also\nwhat a model is told of it, and the schema of its input.",
    options: [],
    takes: ["config", "profile", "json"],
    example: "cofferdam tools write_file",
  },
  check: {
    usage: "check [OPTION…]",
    says: "Everything about the config and every profile that can be known without running: what does not load, what never\napplies, what masks take out of the roots, how large the plan is.",
    options: [],
    takes: ["config", "profile", "json"],
    example: "cofferdam check --profile strict",
  },
  explain: {
    usage: "explain read|write|remove|rename|connect|env|syscalls|devices|macos|port TARGET",
    says: "What a call may do about a file, a host (`name:port`), a socket (`./path`, or `@name` for an abstract one), a\nvariable, a group of system calls, of devices or of what macOS gives, or a port that leads in: unasked, and after a\nyes; which line of which file decided, and the option of the sandbox that enforces it.",
    options: [],
    takes: ["config", "profile", "json"],
    example: "cofferdam explain write .git/config",
  },
  profile: {
    usage: "profile show [NAME|FILE] | diff [A B] | list",
    says: "show  the profile that calls get here, or that of one operator file\ndiff  what B allows and A does not, and the other way round; without names, what operators cut off the config\nlist  the shipped profiles and those of the operators' folders, and which are in force",
    options: [
      [
        "--format F",
        "show as text, json, bwrap, or seatbelt: the rules of a Mac, which is stated where this is none",
      ],
      ["--fail-if-wider", "diff: exit with 1 when B is wider than A, or may be"],
    ],
    takes: ["config", "profile", "json"],
    example: "cofferdam profile diff old.yaml new.yaml --fail-if-wider",
  },
  doctor: {
    usage: "doctor [OPTION…]",
    says: "What this machine can enforce: the launcher, each part of a sandbox tried by itself, and for what fails why and how\nto mend it; on macOS also what its kernel does where that is not written down, and what that means for the walls.\nExits with 69 when they cannot be had.",
    options: [
      [
        "--attest",
        "try the battery of attacks in a real sandbox; on macOS, keep what the kernel was found to do",
      ],
    ],
    takes: ["config", "profile", "json"],
    example: "cofferdam doctor --attest",
  },
  selftest: {
    usage: "selftest [OPTION…]",
    says: "Tries attacks in real calls on this machine, in folders of its own that are gone afterwards. Beside each stands a\ntwin: the same act where it is granted, or without walls. Exits with 69 when an attack is not refused.",
    options: [["--all", "list every act, not only those that were not refused"]],
    takes: ["json"],
    example: "cofferdam selftest",
  },
  journal: {
    usage: "journal show [RUN] | verify [RUN] | head [RUN] | --list",
    says: `show    what was decided and done in one run, the latest when none is named: one line each
verify  whether the record of a run is what was written: each line bears a hash over itself and all before it, so that
        one that was edited, dropped, moved, doubled or put in is found, with its place. A tail that was cut off, and
        a record that somebody wrote anew, hashes and all, show only against a head that was kept
head    the number of lines, the hash of the last one and its time, on a line to keep where nobody who may write the
        records can change it; none of a record that does not hold
Both exit with 65 when a record does not hold, or has no hashes: it is refused, as a config that is wrong is. What a
supervisor that died left of its last line is told, and is no break.`,
    options: [
      ["--list", "the runs that are recorded"],
      ["--all", "verify, head: every run"],
      ["--head HASH", "verify: say how many lines came after the one with this hash, or that there is none"],
      ["--heads FILE", "verify: the same for all lines of a file that `head` printed, and of all their runs"],
      ["--json", "the events, the results or the heads as JSON; events and heads one a line"],
    ],
    takes: ["config"],
    example:
      "cofferdam journal head --all >>/mnt/elsewhere/heads && cofferdam journal verify --heads /mnt/elsewhere/heads",
  },
  schema: {
    usage: "schema config|profile",
    says: "The JSON Schema of `cofferdam.yaml` or of an operator profile, for editors.",
    options: [],
    takes: [],
    example: "cofferdam schema config > config.schema.json",
  },
};
