/** Remedies that a test of their own room follows: in its situation, and in the same once it was done. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "test/unit/session/options.test.ts": [
    "a list of tools from `defineTool`; make one of another library's tool: `defineTool({ name, risk, input: SCHEMA, run: ({ input }) => CALL })`",
  ],
  "test/unit/call/remedies.test.ts": [
    "list the folder under `sandbox.paths` in the config, if intended",
    "list the folder under `sandbox.paths` in the config, if intended",
    "list the host under `shell.network` in the config, if intended",
    "list the host under `shell.network` in the config, if intended",
    "list `{}` under `sandbox.{}` in the config, if intended",
    "write `mode: ro` for it, or name another folder{}",
    "name another folder{}",
    ", or change the profile {}",
  ],
  "test/kernel/cli-approvals.slow.test.ts": [
    "run `cofferdam approvals approve {}`, then `cofferdam resume {}`",
    "{}; or add `--suspend`: the request is kept, and `cofferdam resume` runs the call later",
  ],
  "test/unit/call/ports.test.ts": [
    "write `shell: { ports: [{}] }` in the config",
    "run `cofferdam explain port {}` to find the profile, and list the port under its `ports`",
  ],
  "test/unit/call/egress-denials.test.ts": [
    "also list this address under `shell.network` in the config, if intended",
    "add `private` after the host under `shell.network` in the config, or also list this address there, if intended",
    "this machine's {} is not used: write `proxy: environment` beside `hosts` under `shell.network` in the config, or check the spelling of the host",
    "a proxy is configured: {}",
    "check the spelling of the host, and whether this machine can resolve it",
  ],
  "test/kernel/denials-git.slow.test.ts": [
    "git's index contains the change: outside the sandbox, review it with `{}`, then apply it with `{}`{}",
    ", which also makes them executable",
    "git stopped and left a part of its changes in the working tree: outside the sandbox, stash them with `{}`, {}then {}; they stay in `git stash list`",
    "git's index does not contain it: if it was to be removed and you do not need it, finish outside the sandbox with `{}`",
    "outside the sandbox, stash these files with `{}`, then run {}",
    "{} outside the sandbox",
    "finish it outside the sandbox, if intended: `{}`",
    "keep it if the worktree is in use: its folder may not be visible here; `git worktree prune` outside the sandbox removes unused ones",
  ],
  "test/kernel/git-carried.slow.test.ts": [
    "install git-lfs in a folder of the sandbox's PATH, such as /usr/bin, and run `git lfs install` yourself; until then run this command outside",
    "run this command outside, or set the filter in the repository's own configuration, with a program of the sandbox",
    "list {} in `sandbox.env.pass` and {} under `sandbox.paths` with `{}`, or sign outside; see docs/how-to/git.md",
    "the GnuPG folder that it names",
    "the folder of the agent's socket that it names",
  ],
  "test/kernel/egress-calls.slow.test.ts": [
    "make the program use the HTTP proxy that `HTTPS_PROXY` and `ALL_PROXY` name in the sandbox; see docs/how-to/allow-a-host.md",
    "remove it from `never`, if intended",
    "raise `connections`, `transfer` or `connection_time` under `sandbox.limits`, or the lower limit of a profile",
    "use the URL of `HTTP_PROXY` as it is in the sandbox",
    "send the name of the host in the TLS hello",
    "send a host and a port",
  ],
  "test/kernel/amend.test.ts": [
    "list the host under `shell.network` in the config, or have a person approve it",
    "approve or reject it; list other hosts in the config",
  ],
  "test/kernel/no-room.slow.test.ts": [
    "free space on the file system of {}",
    "free space there, or set XDG_STATE_HOME to a folder on another disk",
  ],
  "test/kernel/certificates.slow.test.ts": [
    "list {} in `sandbox.env.pass`{}",
    "; the file that {} names is not in the sandbox: copy it to a folder under `sandbox.paths`, and name that copy",
  ],
  "test/unit/session/simulated.test.ts": ["run `cofferdam explain read {}` to see why"],
  "test/kernel/limits.test.ts": ["pass the data in a file or by standard input"],
  "test/kernel/deep.test.ts": ["remove the deep folders, or move them out of the roots"],
  "test/kernel/pipes.test.ts": ["install dash, busybox, or bash 5.1 or newer as {}"],
  "test/kernel/later-calls.slow.test.ts": [
    "start the call in {}, or {}",
    "list it as a separate root under `sandbox.paths`",
    "one of these folders",
  ],
  "test/kernel/program-tools.slow.test.ts": [
    "set `cwd` in the tool's `needs`{}",
    " to a folder in one of {}",
  ],
  "test/kernel/denials.slow.test.ts": [
    "add it to the tool's `needs`: the config grants it",
    "run `cofferdam explain {} {}` to see why: only the program's output names it",
  ],
  "test/kernel/search-bound.slow.test.ts": ["remove {}, which contains most of them ({} entries), "],
  "test/unit/backend/search-bound.test.ts": ["raise `sandbox.search.{}`", "check why {} does not answer"],
  "test/unit/network/shared-proxy.test.ts": [
    "end programs that listen on many ports",
    "let this user listen on 127.0.0.1",
    "{}, or set `shell.network: false`",
  ],
  "test/unit/config/mask-links.test.ts": ["write the path without the symlink: {}"],
  "test/unit/host/runtimes-roots.test.ts": [
    "if tools may read that, write {} instead of python; otherwise {}",
    "{ name: python, read: [{}] }",
    "leave the environment (`deactivate`)",
  ],
  "test/unit/http/pipelined.test.ts": ["read an answer before the next request"],
  "test/kernel/ai-sdk.slow.test.ts": [
    "answer each call of the turn first; `answered(messages)` adds the answers from other channels",
  ],
  "test/kernel/ai-sdk-names.slow.test.ts": [
    "repeat the call with another id",
    "repeat the call, so that a person is asked",
  ],
  "test/kernel/ai-sdk-sandbox.slow.test.ts": [
    "delete it with a command",
    "set them in the config with `sandbox.env.set`, or pass them with `sandbox.env.pass`",
    'write it with a command that reads it: `spawn({ command: "tee FILE", stdin: true })`',
  ],
  "test/kernel/langchain-tools.slow.test.ts": [
    "give `createAgent` a `checkpointer`, and a `thread_id` to its calls",
    'create the agent without `version`: "v2" runs each call separately',
  ],
  "test/kernel/openai-agents-always.slow.test.ts": ["approve it without `alwaysApprove`"],
  "test/kernel/mcp-wrap.slow.test.ts": ["write the server's program and its arguments after `--`"],
  "test/kernel/unstartable.test.ts": [
    "add `{ name: {}, read: [{}] }` under `sandbox.runtimes`, if it contains no secrets",
    "check that this user may execute it and the program in its first line, and that their file systems are not mounted with `noexec`",
  ],
  "test/kernel/granted-devices.test.ts": [
    "mount it outside and list its folder under `sandbox.paths`; an AppImage runs without a mount if `APPIMAGE_EXTRACT_AND_RUN=1` is set under `sandbox.env.set`",
    "outside the sandbox, add the user to the group of {} (`stat -c %G {}`), and log in again",
  ],
  "test/kernel/mcp-server.test.ts": [
    "use a client with elicitation, or open a channel under `approval.channels`",
  ],
  "test/kernel/files-workers.slow.test.ts": ["request less at once"],
  "test/unit/mcp/wrap-calls.test.ts": ["request the list of tools again (`tools/list`), then call the tool"],
  "test/unit/mcp/wrap-asks.test.ts": [
    "change `sampling` or `elicitation` of this server in the config",
    "use a client that declares `elicitation`, or open a channel under `approval.channels`",
  ],
  "test/unit/store/postgres-lost.test.ts": ["check that the server runs, and read its log"],
};

/** Remedies that say that nothing of the config or of a profile lifts it, that it is done outside, or that it is to be reported. */
export const FINAL: readonly string[] = [
  "only the owner of the profile {} can allow it; do it without",
  "no config or operator profile can allow it: do it yourself outside the sandbox, or copy a file without secrets into a listed folder",
  "move it yourself outside the sandbox, if intended",
  "remove or move it yourself outside the sandbox, if intended",
  "only the author of the operator profile can allow it",
  "please report this, with the lines below",
  "see the output of the server process",
  "make another call",
  "name another folder: no config or operator profile can allow this one",
  "run `cofferdam doctor`, and report this: cofferdam wrote the rules",
  "use Linux or macOS on x86-64 or arm64",
  "use Linux with bubblewrap",
  "change it yourself outside the sandbox, if intended",
  "reject the request, and edit them in the quarantine: `cofferdam quarantine show`",
  "make the schema independent of the time and of chance",
];

/** Texts that stand in a remedy that is followed, or describe one. */
export const PARTS: readonly string[] = [
  "What would help, and whether repeating the call does",
  "Make the same call again after the answer.",
  "an operators' folder",
  "every profile that has `env`",
];
