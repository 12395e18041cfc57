import { CONFIG_OPTIONS, type CommandHelp, JSON_OPTION } from "./command-help.ts";

/** Commands that show and answer approval requests. */
export const APPROVAL_COMMANDS = {
  approvals: {
    group: "Approve",
    purpose: "list, show and answer approval requests",
    usage: "approvals [ACTION] [OPTIONS]",
    notes: [
      "Shows the requests in the store of the config, from all processes and projects. Requests of the current project come first. ID is the id of a request, or its beginning. The first answer counts; a late answer exits with 77.",
    ],
    actions: [
      ["list", "list the unanswered requests (the default)"],
      ["show ID", "show one request in full"],
      ["approve ID...", "approve requests"],
      ["reject ID...", "reject requests"],
      ["watch", "print requests and answers as they arrive"],
    ],
    options: {
      Answer: [
        ["--note TEXT", "add a note to the answer; the model reads it"],
        ["--session", "approve for the whole session, as far as `show` says"],
      ],
      Select: [
        ["--all", "answer every unanswered request of this project"],
        ["--all-projects", "answer every unanswered request"],
        ["--group ID", "answer the unanswered requests of one group: the calls of one turn"],
        ["--older-than AGE", "of those, only requests of at least this age: `30m`, `7d`"],
        ["--yes", "do not ask to confirm; without it the requests are shown first"],
      ],
      Config: CONFIG_OPTIONS,
      Output: [JSON_OPTION],
    },
    examples: [
      "cofferdam approvals list",
      "cofferdam approvals approve 1a2b3c4d",
      'cofferdam approvals reject 1a2b3c4d --note "use the staging server"',
      "cofferdam approvals reject --all --older-than 7d",
    ],
  },
  grants: {
    group: "Approve",
    purpose: "list and revoke approvals that are remembered for a session",
    usage: "grants [ACTION] [OPTIONS]",
    notes: [
      "Covers the sessions of all running processes. ID is the id of a grant, or its beginning. Revoking a grant does not stop calls that are already running. The next call asks again.",
    ],
    actions: [
      ["list", "list the grants (the default)"],
      ["revoke ID", "revoke one grant"],
    ],
    options: { Config: CONFIG_OPTIONS, Output: [JSON_OPTION] },
    examples: ["cofferdam grants list", "cofferdam grants revoke 1a2b3c4d"],
  },
  serve: {
    group: "Approve",
    purpose: "serve the approval inbox over HTTP, and the Telegram chat",
    usage: "serve [OPTIONS]",
    notes: [
      "Opens the channels under `approval.channels`, for the requests of all processes, until you press Ctrl-C. It runs no tools unless you add --mcp. Keep the printed address secret: it contains a token, and anyone who has it can answer requests.",
    ],
    options: {
      Network: [
        ["--listen ADDRESS", "listen on this `host:port` or unix socket path", "file"],
        ["--allow-remote", "allow an address that other machines can reach"],
      ],
      Tools: [["--mcp", "also serve the tools to MCP clients at /mcp, with another token"]],
      Config: CONFIG_OPTIONS,
      Output: [JSON_OPTION],
    },
    examples: ["cofferdam serve", "cofferdam serve --listen 127.0.0.1:7070"],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;
