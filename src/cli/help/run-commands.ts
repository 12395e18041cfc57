import { CONFIG_OPTIONS, type CommandHelp, JSON_OPTION, QUIET_OPTION } from "./command-help.ts";

/** The tools that a session offers without tools of the host. */
const TOOLS = [
  ...["read_file", "list_dir", "find_files", "search_files", "write_file", "edit_file", "move_file"],
  ...["delete_file", "shell", "web_fetch", "web_fetch_add_domain"],
] as const;

/** The values of the argument TOOL. */
export const TOOL_VALUES: readonly string[] = TOOLS;

/** Commands that run a program or a tool. */
export const RUN_COMMANDS = {
  run: {
    group: "Run",
    purpose: "run one command in the sandbox",
    usage: "run [OPTIONS] -- COMMAND [ARGUMENT...]",
    notes: [
      "Typing the command approves it, unless a rule denies it or an operator requires confirmation. The exit status is that of the command. cofferdam itself exits with 77 (denied), 124 (time limit) or 69 (no sandbox).",
    ],
    options: {
      Approval: [
        ["--ask", "ask for confirmation unless the config allows the command"],
        ["--strict", "deny instead of asking, as with `approval.mode: strict`"],
      ],
      Sandbox: [
        ["--terminal", "fail if the command cannot get a terminal of its own"],
        ["--no-terminal", "run without a terminal: no keyboard input, plain output"],
        [
          "--port N",
          "reach a server in the sandbox at this port of localhost; N must be in `shell.ports`; repeatable",
        ],
        ["--dry-run", "print the verdict and the sandbox plan; run nothing"],
      ],
      Config: CONFIG_OPTIONS,
      Output: [["--json", "print one JSON object at the end, not the output as it comes"], QUIET_OPTION],
    },
    examples: [
      "cofferdam run -- npm test",
      "cofferdam run --dry-run -- make",
      "cofferdam run --port 5173 -- npm run dev",
    ],
  },
  call: {
    group: "Run",
    purpose: "call one tool, as an agent would",
    usage: "call [OPTIONS] TOOL JSON",
    notes: [
      "JSON is the tool's input; `-` reads it from standard input. Approval questions appear at the terminal. The result is printed as JSON. The shell tool prints the program's output and exits with its status.",
    ],
    words: TOOLS,
    options: {
      Approval: [
        ["--approve-all", "approve each question, unless an operator requires a person"],
        ["--strict", "deny instead of asking, as with `approval.mode: strict`"],
        ["--suspend", "exit with 75 instead of waiting; see `cofferdam resume`"],
      ],
      Config: CONFIG_OPTIONS,
      Output: [["--json", "print one JSON object with the outcome and the receipt"], QUIET_OPTION],
    },
    examples: [
      `cofferdam call read_file '{"path": "README.md"}'`,
      `cofferdam call shell '{"argv": ["ls", "-A"]}'`,
    ],
  },
  resume: {
    group: "Run",
    purpose: "run a suspended call after its approval",
    usage: "resume [OPTIONS] ID",
    notes: [
      "ID is the id of the approval request, or its beginning. The call runs once, in its original folder, and is checked again first. Changes since the request are asked about again. Exits with 75 while the request is unanswered.",
    ],
    options: {
      Config: CONFIG_OPTIONS,
      Output: [["--json", "print one JSON object with the outcome and the receipt"], QUIET_OPTION],
    },
    examples: ["cofferdam resume 0b7e3c1e"],
  },
  mcp: {
    group: "Run",
    purpose: "serve tools to an MCP client, or run an MCP server in the sandbox",
    usage: [
      "mcp [OPTIONS]",
      "mcp --wrap NAME [OPTIONS]",
      "mcp --wrap [--name N] [OPTIONS] -- SERVER [ARGUMENT...]",
    ],
    notes: [
      "Without --wrap, an MCP client gets the tools of the config over standard input and output. With --wrap, cofferdam runs an MCP server in the sandbox and checks each call of its tools, under the name `NAME/tool`.",
      "NAME is a server listed under `mcp.servers`. A SERVER command that is not listed there runs with the permissions of calls that need no approval. Approval questions go to the user of the MCP client, if the client supports elicitation, and to the channels of the config; the call also waits for `cofferdam approvals`. If nobody can answer, it is denied.",
      "Exits with 1 if the wrapped server stops before its client, and with 77 if the server may not start.",
    ],
    options: {
      Server: [
        ["--wrap", "run an MCP server in the sandbox, between it and the client"],
        ["--name N", "name a server that the config does not list; rules match this name"],
      ],
      Approval: [["--agent NAME", "without --wrap: the agent's name; rules match this name"]],
      Config: CONFIG_OPTIONS,
      Output: [QUIET_OPTION],
    },
    examples: [
      "cofferdam mcp --agent helper",
      "cofferdam mcp --wrap -- npx -y @modelcontextprotocol/server-everything",
    ],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;

/** Kept here so that the two commands offer the same names. */
export const TOOLS_COMMAND = {
  tools: {
    group: "Inspect",
    purpose: "list the tools and which calls need approval",
    usage: "tools [OPTIONS] [TOOL]",
    notes: [
      "Shows the risk of each tool, and for each root whether it asks, runs without asking, or is denied. With TOOL, also prints its description and the schema of its input.",
    ],
    words: TOOLS,
    options: { Config: CONFIG_OPTIONS, Output: [JSON_OPTION] },
    examples: ["cofferdam tools", "cofferdam tools write_file"],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;
