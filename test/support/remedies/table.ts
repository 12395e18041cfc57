/** Remedies that a test of their own room follows: in its situation, and in the same once it was done. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "test/unit/supervisor/remedies.test.ts": [
    "list the folder under `sandbox.paths` in the config, if it is meant",
    "list the host under `shell.network` in the config, if it is meant",
    "list `{}` under `sandbox.{}` in the config, if it is meant",
    "say `mode: ro` for it, or name another folder{}",
    "name another folder{}",
    ", or change the profile {}",
  ],
  "test/unit/supervisor/ports.test.ts": [
    "write `shell: { ports: [{}] }` in the config, or do without",
    "`cofferdam explain port {}` names the profile: list the port under its `ports`, or do without",
  ],
  "test/unit/supervisor/egress-denials.test.ts": [
    "list this very address as well under `shell.network` in the config, if it is meant",
    "write `private` behind the host, or list this very address as well, under `shell.network` in the config, if it is meant",
    "this machine has {} set, and it is not used: write `proxy: environment` beside `hosts` under `shell.network` in the config, or check how the host's name is spelt",
    "a proxy is configured: {}",
    "check how the host's name is spelt, and whether this machine can look it up",
  ],
  "test/kernel/denials-git.slow.test.ts": [
    "git's index holds what it wanted there: outside of the sandbox, look with `{}`, then finish with `{}`{}",
    ", which also makes programs of them",
    "git stopped and left a part of its changes in the working tree: outside of the sandbox, put them aside with `{}`, {}then {}; what you put aside stays in `git stash list`",
    "git's index does not have it: if it was to be removed, and you need nothing of it, finish outside of the sandbox with `{}`",
    "outside of the sandbox, put what stands there aside with `{}`, then run {}",
    "{} outside of the sandbox",
    "if it is meant, finish it outside of the sandbox: `{}`",
    "leave it where the worktree is in use: its folder may not be visible here; `git worktree prune`, outside of the sandbox, removes what is left of others",
  ],
  "test/kernel/git-carried.slow.test.ts": [
    "install git-lfs where the sandbox finds programs, such as /usr/bin, and run `git lfs install` yourself; until then run this command outside",
    "run this command outside, or set the filter in the repository's own configuration, with a program that is inside",
    "pass {} in `sandbox.env.pass` and list {} under `sandbox.paths` with `{}`, or sign outside; see docs/git.md",
    "the folder of GnuPG that it names",
    "the folder of the agent's socket that it names",
  ],
  "test/kernel/egress-calls.slow.test.ts": [
    "have the program use the HTTP proxy that `HTTPS_PROXY` and `ALL_PROXY` name inside",
    "take it out of `never`, if it is meant",
    "raise `connections`, `transfer` or `connection_time` under `sandbox.limits`, or the profile's that is lower",
    "use the URL of `HTTP_PROXY`, as it is inside",
    "connect to the host that is meant",
    "name a host and a port",
  ],
  "test/kernel/amend.test.ts": [
    "list the host under `shell.network` in the config, or have somebody say yes",
    "say yes or no; other hosts are listed in the config",
  ],
  "test/kernel/no-room.slow.test.ts": [
    "make room on the file system of {}",
    "make room there, or set XDG_STATE_HOME to a folder on another disk",
  ],
  "test/kernel/certificates.slow.test.ts": [
    "pass {} in `sandbox.env.pass`{}",
    "; what {} names is not in the sandbox: copy it to a folder that `sandbox.paths` lists, and name that",
  ],
  "test/unit/supervisor/stated.test.ts": ["run `cofferdam explain read {}`: it names what hides it"],
  "test/kernel/limits.test.ts": ["hand the data in by a file or by standard input"],
  "test/kernel/deep.test.ts": ["remove what lies that deep, or move it out of the roots"],
  "test/kernel/pipes.test.ts": ["let `sh` be dash, busybox, or bash 5.1 or newer"],
  "test/kernel/later-calls.slow.test.ts": [
    "start the call in {}, or {}",
    "list it as a root of its own under `sandbox.paths`",
    "one of these folders",
  ],
  "test/kernel/program-tools.slow.test.ts": [
    "say in the tool's `needs` as `cwd` where it starts{}",
    ": in one of {}",
  ],
  "test/kernel/denials.slow.test.ts": ["say in the tool's `needs` that it needs this: the config grants it"],
  "test/kernel/search-bound.slow.test.ts": ["remove {}, which holds most of that ({} of what was seen), "],
  "test/unit/backend/search-bound.test.ts": ["raise `sandbox.search.{}`", "see why {} does not answer"],
  "test/unit/network/shared-proxy.test.ts": [
    "end what listens on so many ports, or use `network: false`",
    "{}, or use `network: false`",
  ],
  "test/unit/config/mask-links.test.ts": ["write the pattern that is meant: {}"],
  "test/unit/host/runtimes-roots.test.ts": [
    "if tools may read that, write {} in the place of python; else {}",
    "{ name: python, read: [{}] }",
    "leave the environment (`deactivate`)",
  ],
  "test/unit/approval/pending-requests.test.ts": ["wait for answers, or ask for something smaller"],
  "test/unit/http/pipelined.test.ts": ["read an answer before the next request"],
  "test/kernel/ai-sdk.slow.test.ts": [
    "go on when each call of the turn has its answer in the last message; `answered(messages)` brings those from elsewhere",
  ],
  "test/kernel/ai-sdk-names.slow.test.ts": [
    "make it again under an id of its own",
    "make it again, so that somebody is asked",
  ],
  "test/kernel/ai-sdk-sandbox.slow.test.ts": [
    "delete it by a command",
    "set them in the config: `sandbox.env.set`, or let them in: `sandbox.env.pass`",
    'write it by a command that reads it: `spawn({ command: "tee FILE", stdin: true })`',
  ],
  "test/kernel/langchain-tools.slow.test.ts": [
    "give `createAgent` a `checkpointer`, and a `thread_id` to its calls",
    'leave `version` out where the agent is made: "v2" runs each call by itself',
  ],
  "test/kernel/openai-agents-always.slow.test.ts": ["approve it without `alwaysApprove`"],
  "test/kernel/mcp-wrap.slow.test.ts": ["write the server's program and its words behind `--`"],
  "test/kernel/unstartable.test.ts": [
    "add `{ name: {}, read: [{}] }` under `sandbox.runtimes`, if no secret lies there",
    "check that this user may execute it and the program that its first line names, and that their file systems are not mounted with `noexec`",
  ],
  "test/kernel/granted-devices.test.ts": [
    "add the user to the group of {} outside (`stat -c %G {}`), and log in again",
    "mount it outside and list its folder under `sandbox.paths`; an AppImage runs without a mount when `APPIMAGE_EXTRACT_AND_RUN=1` is set under `sandbox.env.set`",
  ],
  "test/kernel/mcp-server.test.ts": [
    "use a client with elicitation, or open a channel under `approval.channels`",
  ],
  "test/kernel/files-workers.slow.test.ts": ["ask for less at once"],
  "test/unit/mcp/wrap-calls.test.ts": ["list the tools and call it again"],
  "test/unit/mcp/wrap-asks.test.ts": [
    "it depends on what the config says of this server's `sampling` and `elicitation`",
    "use a client that declares `elicitation`, or open a channel under `approval.channels`",
  ],
  "test/unit/store/postgres-lost.test.ts": ["see whether the server runs, and what it says in its log"],
};

/** Remedies that say that nothing of the config or of a profile lifts it, that it is done outside, or that it is to be reported. */
export const FINAL: readonly string[] = [
  "name another folder: nothing in a config or an operator's profile gives this one to tools",
  "only whoever keeps the profile {} can allow it; do it without",
  "move it yourself, outside of the sandbox, if it is meant",
  "if it was to be removed or moved, do that yourself, outside of the sandbox",
  "only whoever wrote the operator's profile can allow it",
  "please report it, with the lines below",
  "look at what its process says",
  "run `cofferdam doctor`, and report this: the text is made by cofferdam",
  "ask for something else",
  "use Linux or macOS on x86-64 or arm64",
  "use Linux with bubblewrap",
  "change it yourself, outside of the sandbox, if it is meant",
  "say no, and edit it where it lies: `cofferdam quarantine show`",
  "its schema must not depend on the time or on chance",
];

/** Texts that stand in a remedy that is followed, or describe one. */
export const PARTS: readonly string[] = [
  ". What to do: {}",
  "What would have to be changed",
  "an operators' folder",
  "every profile that has one",
];
