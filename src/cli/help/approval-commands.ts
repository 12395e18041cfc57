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
        ["--session", "approve or reject for the whole session, as far as `show` says"],
        [
          "--scope SCOPE",
          "approve more than this call; `show` lists the calls that each scope covers",
          ["once", "session", "similar", "project"],
        ],
        ["--minutes N", "end an approval of more than this call after N minutes"],
        ["--times N", "let it answer N further calls at most"],
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
    purpose: "list and revoke answers that are remembered",
    usage: "grants [ACTION] [OPTIONS]",
    notes: [
      "Covers the sessions of all running processes, and the rules kept for this project. ID is the id of a grant, or its beginning. Revoking a grant does not stop calls that are already running. The next call asks again.",
    ],
    actions: [
      ["list", "list the grants (the default)"],
      ["revoke ID", "revoke one grant"],
    ],
    options: { Config: CONFIG_OPTIONS, Output: [JSON_OPTION] },
    examples: ["cofferdam grants list", "cofferdam grants revoke 1a2b3c4d"],
  },
  rules: {
    group: "Approve",
    purpose: "suggest, keep and drop rules for this project",
    usage: "rules [ACTION] [OPTIONS]",
    notes: [
      "A kept rule is an approval of this project from now on. It lies in your state folder, not in the project. It answers only calls that a default asks about, and gives no more access than they have anyway. ID is the id of a rule, or its beginning; for `keep`, one that `suggest` prints.",
    ],
    actions: [
      ["list", "list the kept rules (the default)"],
      ["show ID", "show one rule, its origin and its examples"],
      ["suggest", "suggest rules from the calls that people approved"],
      ["keep ID", "keep a suggested rule, or wake one that sleeps"],
      ["drop ID", "drop one rule"],
    ],
    options: {
      Rules: [
        ["--since DAYS", "use only the calls of the last days, for example `7d` (default: `30d`)"],
        ["--for AGENT", "keep the rule for this agent only"],
        ["--until DATE", "end the rule on this date, for example `2030-12-31`"],
      ],
      Config: CONFIG_OPTIONS,
      Output: [JSON_OPTION],
    },
    examples: ["cofferdam rules suggest", "cofferdam rules keep 5e6f7a8b", "cofferdam rules drop 1a2b3c4d"],
  },
  serve: {
    group: "Approve",
    purpose: "serve the approval inbox over HTTP, a Telegram chat and a webhook",
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
