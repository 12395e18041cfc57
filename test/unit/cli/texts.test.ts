import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/backend/plan.ts";
import { PLAIN as NO_INK } from "../../../src/channel/ink.ts";
import { journalLines } from "../../../src/cli/journal-text.ts";
import { exitOf, outcomeJson, reportMade, reportOutcome } from "../../../src/cli/outcome-text.ts";
import { optionsOf } from "../../../src/cli/plan-text.ts";
import { NO_ORIGINS, profileLines } from "../../../src/cli/profile-text.ts";
import { KeptOutput } from "../../../src/cli/tool-output.ts";
import { printWider } from "../../../src/cli/witness-text.ts";
import type { ProgramOutcome } from "../../../src/decide/outcome.ts";
import type { Receipt } from "../../../src/decide/receipt.ts";
import { Event } from "../../../src/event/event.ts";
import { REPORTED } from "../../../src/host/launch/appeared.ts";
import { compare } from "../../../src/profile/compare.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../../src/profile/pattern.ts";
import { CLOSED, normalProfile, OPEN } from "../../../src/profile/profile.ts";
import { requestWith } from "../../support/approval/request.ts";
import { screen } from "./screen.ts";

const path = absolutePath;

test("a profile is a table of what may be touched", () => {
  const profile = normalProfile({
    files: [
      { path: path("/p"), access: "write", suffixes: "any" },
      { path: path("/p/notes"), access: "read", suffixes: [".md", ".txt"] },
      { path: path("/usr"), access: "read", suffixes: "any" },
    ],
    masks: [
      { pattern: literalPattern(path("/p/.env")), atMost: "none", ignoreCase: false },
      { pattern: literalPattern(path("/home/ann/.ssh")), atMost: "none", ignoreCase: false },
      ...parsePatterns("**/.git/{hooks,config}", {}).map(
        (pattern) => ({ pattern, atMost: "read", ignoreCase: true }) as const,
      ),
    ],
    env: ["LC_*", "LANG"],
    macos: ["tls", "python"],
    limits: { wallMs: 120_000, memoryBytes: 2 * 1024 ** 3, processes: 64, strict: true },
  });
  const origins = {
    ...NO_ORIGINS,
    mask: ({ ignoreCase }: { readonly ignoreCase: boolean }) => (ignoreCase ? "protected.yaml:9:5" : ""),
  };
  expect(`\n${profileLines(profile, origins, NO_INK).join("\n")}\n`).toMatchInlineSnapshot(`
    "
    files     write      /p
              read       /p/notes (only .md .txt)
              read       /usr
    masks     hidden     /p/.env
              read only  /**/.git/config and 1 more  protected.yaml:9:5
    network   none
    sockets   none
    env       LANG LC_*
    terminal  none
    syscalls  the usual
    macos     python tls
    limits    wall 2m, memory 2GiB, processes 64, strict
    "
  `);
});

test("the top of all profiles is told in words", () => {
  expect(`\n${profileLines(OPEN, NO_ORIGINS, NO_INK).join("\n")}\n`).toMatchInlineSnapshot(`
    "
    files     write  /
    masks     none
    network   the machine's own
    sockets   any
    env       any
    terminal  its own
    syscalls  abi32 debug
    devices   any
    macos     any
    ports     any
    limits    none
    "
  `);
});

test("the launcher's options are read back from the bytes that it is given, modifiers before what they modify", () => {
  const words = [
    "--unshare-user",
    "--setenv",
    "A",
    "--bind / /",
    "--size",
    "4096",
    "--perms",
    "1777",
    "--tmpfs",
    "/tmp",
    "--ro-bind",
    "/a b",
    "/a b",
    "--remount-ro",
    "/",
  ];
  const bytes = new TextEncoder().encode(words.map((word) => `${word}\0`).join(""));
  const plan: Pick<Plan, "argv" | "inputs"> = {
    argv: ["--args", "3", "--", "/bin/sh"],
    inputs: [
      { fd: 5, bytes: Uint8Array.of(1, 0) },
      { fd: 3, bytes },
    ],
  };
  expect(optionsOf(plan)).toEqual([
    ["--unshare-user"],
    ["--setenv", "A", "--bind / /"],
    ["--size", "4096", "--perms", "1777", "--tmpfs", "/tmp"],
    ["--ro-bind", "/a b", "/a b"],
    ["--remount-ro", "/"],
  ]);
});

describe("what one profile allows beyond another is said in words", () => {
  test.each<[Parameters<typeof normalProfile>[0], string]>([
    [
      { files: [{ path: path("/p"), access: "write", suffixes: "any" }] },
      "write `/p` (nothing there in the other)",
    ],
    [{ network: "host" }, "use the machine's own network"],
    [{ sockets: "any" }, "connect to any unix socket"],
    [{ env: ["HOME"] }, "see the variable `HOME`"],
    [{ terminal: true }, "have a terminal of its own"],
    [{ syscalls: ["debug"] }, "trace and change its other processes"],
    [{ syscalls: ["abi32"] }, "run 32-bit programs"],
    [{ macos: ["watch"] }, "on macOS get notified by the system about changed files anywhere"],
    [{ limits: { ...CLOSED.limits, wallMs: 5 } }, "use more: wallMs"],
  ])("%j", (parts, words) => {
    const comparison = compare(normalProfile({ limits: CLOSED.limits, ...parts }), CLOSED);
    expect(comparison.kind === "within" ? null : printWider(comparison, [])).toBe(words);
  });
});

describe("an outcome", () => {
  const enforced = { kind: "enforced" } as const;
  const receipt: Receipt = {
    backend: "bubblewrap",
    version: "0.11.0",
    granted: "d",
    argsHash: "h",
    runAs: 1000,
    enforcement: {
      files: enforced,
      network: enforced,
      sockets: enforced,
      processes: enforced,
      capabilities: enforced,
      syscalls: enforced,
      terminal: enforced,
      environment: enforced,
      descriptors: enforced,
      limits: enforced,
    },
    approximations: [],
    uncovered: [],
    unprotected: [],
    mountChanges: [],
    appeared: { found: [], unknown: null },
    ports: [],
    egress: null,
    limitsReached: [],
  };
  const nothing = { bytes: Buffer.alloc(0), takenBytes: 0, droppedBytes: 0, tail: Buffer.alloc(0) };
  const ran = { code: 7, stdout: nothing, stderr: nothing, receipt, durationMs: 5 };
  const cases: readonly (readonly [ProgramOutcome, number, string])[] = [
    [{ ...ran, kind: "done", code: 0 }, 0, ""],
    [{ ...ran, kind: "failed" }, 7, ""],
    [
      {
        ...ran,
        kind: "failed",
        code: 159,
        denials: [
          { operation: "run", target: "a 32-bit program", certainty: "likely", because: "b", remedy: "r" },
        ],
      },
      159,
      "cofferdam: the sandbox may have prevented running a 32-bit program: b\n  do: r\n",
    ],
    [
      {
        ...ran,
        kind: "failed",
        denials: [
          { operation: "use", target: "pseudo-terminals", certainty: "certain", because: "b", remedy: "r" },
        ],
      },
      7,
      "cofferdam: the sandbox prevented using pseudo-terminals: b\n  do: r\n",
    ],
    [
      { ...ran, kind: "failed", code: 143, stdout: { ...nothing, takenBytes: 0, droppedBytes: 9 } },
      143,
      "cofferdam: 9 bytes of output were dropped\n  do: raise `sandbox.limits.output`\n",
    ],
    [
      {
        ...ran,
        kind: "failed",
        receipt: { ...receipt, limitsReached: ["memoryBytes", "processes", "cpuSeconds"] },
      },
      7,
      [
        "cofferdam: memory limit exceeded: the kernel ended processes of the command",
        "  do: raise `sandbox.limits.memory`, or the lower limit of a profile",
        "cofferdam: process limit reached: the command could not start more processes",
        "  do: raise `sandbox.limits.processes`, or the lower limit of a profile",
        "cofferdam: CPU time limit exceeded: the kernel ended a process of the command",
        "  do: raise `sandbox.limits.cpu`, or the lower limit of a profile",
        "",
      ].join("\n"),
    ],
    [
      { ...ran, kind: "timed-out", code: 137 },
      124,
      "cofferdam: time limit exceeded: the command was stopped\n  do: raise `sandbox.limits.wall`, or the lower limit of a profile\n",
    ],
    [
      { kind: "not-found", code: 127, reason: "command not found in the sandbox: `x`", hint: "h" },
      127,
      "cofferdam: command not found in the sandbox: `x`\n  do: h\n",
    ],
    [
      { kind: "denied", code: "DENIED", reason: "ann said no", hint: "h" },
      77,
      "cofferdam: denied: ann said no\n  do: h\n",
    ],
    [
      { kind: "denied", code: "CEILING_CUTS_RUNTIME", reason: "r", hint: "h" },
      77,
      "cofferdam: denied: r\n  do: h\n",
    ],
    [
      { kind: "denied", code: "SANDBOX_UNAVAILABLE", reason: "r", hint: "h" },
      69,
      "cofferdam: denied: r\n  do: h\n",
    ],
  ];

  test.each(cases)("%j", (outcome, exit, talk) => {
    const { print, stdout, stderr } = screen();
    reportOutcome(outcome, print);
    expect([exitOf(outcome), stdout(), stderr()]).toEqual([exit, "", talk]);
  });

  const plain = { obeyedBy: null, fate: REPORTED } as const;
  const config = path("/w/.git/config");
  const lost: ProgramOutcome = {
    ...ran,
    kind: "done",
    code: 0,
    receipt: {
      ...receipt,
      mountChanges: [
        "the mount at /w/.envrc is missing",
        `the mount at ${config} is missing`,
        "another change",
      ],
      unprotected: [
        { path: config, runs: ["core.editor"] },
        { path: path("/w/.envrc"), runs: [] },
      ],
      appeared: {
        found: [
          {
            path: path("/w/n/.git"),
            kind: "repository",
            ...plain,
            runs: ["anything (config holds a NUL)", "core.worktree"],
          },
          { path: path("/w/m/.git"), kind: "repository", ...plain, runs: ["core.worktree"] },
          {
            path: path("/w/o/.git"),
            kind: "repository",
            ...plain,
            runs: ["hooks/pre-push", "core.fsmonitor"],
          },
          {
            path: path("/w/p/.git"),
            kind: "repository",
            ...plain,
            runs: [..."abcdefghijkl", "core.worktree", "349900 more settings"],
          },
          { path: path("/w/q/.git"), kind: "repository", ...plain, runs: [..."abcdefghij"] },
        ],
        unknown: null,
      },
    },
  };
  const LOST = [
    "cofferdam: while the command ran, `/w/.git/config` was replaced on the host and lost its protection: the command could write it afterwards; git may run `core.editor` there",
    "  do: review it before you or any program uses it",
    "cofferdam: while the command ran, `/w/.envrc` was replaced on the host and lost its protection: the command could write it afterwards",
    "  do: review it before you or any program uses it",
  ];
  const MADE = [
    "cofferdam: a new repository, `/w/n/.git`, in which git may run anything (config holds a NUL) and write files in another folder (`core.worktree`)",
    "  do: review it before you use git in that folder",
    "cofferdam: a new repository, `/w/m/.git`, in which git may write files in another folder (`core.worktree`)",
    "  do: review it before you use git in that folder",
    "cofferdam: a new repository, `/w/o/.git`, in which git may run `hooks/pre-push`, `core.fsmonitor`",
    "  do: review it before you use git in that folder",
    "cofferdam: a new repository, `/w/p/.git`, in which git may run `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h`, `i`, `j` and 349902 more and write files in another folder (`core.worktree`)",
    "  do: review it before you use git in that folder",
    "cofferdam: a new repository, `/w/q/.git`, in which git may run `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h`, `i`, `j`",
    "  do: review it before you use git in that folder",
  ];

  test("what lost its protection is told by that, not by its mount, and what git may do where it was made", () => {
    const { print, stderr } = screen();
    reportOutcome(lost, print);
    const other = [
      "cofferdam: while the command ran, another change",
      "  do: run it again when nothing else changes these files",
    ];
    expect(stderr().trimEnd().split("\n")).toEqual([...LOST, ...other, ...MADE]);
  });

  test("who ended it is told the same of what is left", () => {
    const { print, stderr } = screen();
    reportMade(lost, print);
    expect(stderr().trimEnd().split("\n")).toEqual([...LOST, ...MADE]);
  });

  test("as JSON it holds text where the output is UTF-8, else base64, and counts what was dropped", () => {
    const output = new KeptOutput();
    output.sinks.stdout(Buffer.from("grün"));
    output.sinks.stderr(Buffer.from([0xff, 0]));
    const outcome: ProgramOutcome = {
      ...ran,
      kind: "failed",
      stderr: { ...nothing, takenBytes: 0, droppedBytes: 3, tail: Buffer.from("end") },
    };
    expect(outcomeJson(outcome, output)).toEqual({
      outcome: { kind: "failed", code: 7, durationMs: 5 },
      exit: 7,
      stdout: { encoding: "utf8", data: "grün", droppedBytes: 0, tail: "" },
      stderr: { encoding: "base64", data: "/wA=", droppedBytes: 3, tail: "end" },
      receipt,
    });
  });
});

test("what did not run is told as JSON with what was denied, or what is waited for", () => {
  const denial = {
    operation: "read",
    target: "/x",
    certainty: "certain",
    because: "no entry lists it",
    remedy: "list it",
  } as const;
  const told = { reason: "r", hint: "h" };
  const denied = { kind: "denied", code: "DENIED", ...told, denials: [denial] } as const;
  const pending = { kind: "pending", code: "APPROVAL_PENDING", ...told, approvalId: "a" } as const;
  for (const outcome of [denied, pending])
    expect(outcomeJson(outcome, new KeptOutput())).toEqual({ outcome, exit: exitOf(outcome) });
});

test("a run is told a line an event", () => {
  const hash = "0123456789abcdef".repeat(4);
  const envelope = { version: 1, runId: "run-1", sessionId: "s", at: "2030-01-02T03:04:05.678Z" };
  const answered = { approvalId: "a", tool: "deploy", argsHash: hash, by: "ann", isEdited: false };
  const bodies: readonly Record<string, unknown>[] = [
    {
      type: "session.started",
      callId: null,
      config: "/p/cofferdam.yaml",
      ceiling: ["protected", "strict", "protected"],
      mode: "interactive",
    },
    {
      type: "call.received",
      callId: "c",
      tool: "shell",
      words: ["rm", "a\u{1b}[2J b"],
      safeArgs: null,
      cwd: "sub",
      caller: "agent",
      agent: null,
    },
    {
      type: "call.prepared",
      callId: "c",
      argsHash: hash,
      unasked: hash,
      onYes: hash,
      shortfall: ["network: x is not granted"],
    },
    {
      type: "call.judged",
      callId: "c",
      action: "ask",
      reason: "rule `rm` of `shell.rules`",
      hits: [{ layer: "tool", rule: "rm", action: "ask", reason: null }],
    },
    {
      type: "call.received",
      callId: "c",
      tool: "deploy",
      words: [],
      safeArgs: { env: "staging" },
      cwd: ".",
      caller: "agent",
      agent: "ops",
    },
    {
      type: "approval.requested",
      callId: "c",
      request: requestWith({ reason: "rule `rm` of `shell.rules`" }),
    },
    { ...answered, type: "approval.resolved", callId: "c", approved: false, scope: null, note: "not today" },
    { ...answered, type: "approval.resolved", callId: "c", approved: true, scope: "session", note: null },
    { type: "approval.expired", callId: "c", approvalId: "a", tool: "deploy", argsHash: hash },
    { type: "approval.ignored", callId: "c", approvalId: "a", by: "bob", because: "duplicate" },
    { type: "approval.failed", callId: "c", approvalId: "a", reason: "there is no terminal to ask on" },
    { type: "approval.abandoned", callId: "c", approvalId: "a", tool: "deploy", argsHash: hash },
    {
      type: "grant.saved",
      callId: null,
      grantId: "g",
      tool: "deploy",
      cacheKey: hash,
      host: null,
      covers: "every use of deploy",
      by: "ann",
    },
    { type: "grant.revoked", callId: null, grantId: "g", by: "ann" },
    { type: "approval.auto", callId: "c", argsHash: hash, approved: true, by: "approve-all mode" },
    {
      type: "approval.reviewed",
      callId: "c",
      approvalId: "r",
      tool: "shell",
      argsHash: hash,
      review: {
        verdict: "deny",
        by: `reviewer:${hash}`,
        name: "check",
        because: null,
        input: hash,
        durationMs: 5,
      },
    },
    {
      type: "call.planned",
      callId: "c",
      backend: "bubblewrap",
      granted: hash,
      env: ["A"],
      placeholders: ["/p/.envrc"],
      approximations: ["why"],
    },
    {
      type: "walls.proven",
      callId: "c",
      backend: "bubblewrap",
      standings: { files: { kind: "enforced" }, sockets: { kind: "partial", reason: "r" } },
    },
    { type: "network.amended", callId: "c", host: "a.test", port: 443, by: "ann" },
    {
      type: "network.refused",
      callId: "c",
      host: "b.test",
      port: 80,
      because: "unlisted",
      reason: "`b.test` on port 80 is not among the allowed hosts",
    },
    {
      type: "network.used",
      callId: "c",
      hosts: [{ host: "a.test", port: 443, connections: 2, sentBytes: 800, receivedBytes: 4096 }],
      others: { connections: 1, sentBytes: 0, receivedBytes: 1 },
      refusals: 3,
    },
    {
      type: "config.changed",
      callId: null,
      effect: "restricted",
      config: "/p/cofferdam.yaml",
      message: "`/p/cofferdam.yaml` has changed and is not trusted",
      isWider: false,
      restart: [],
    },
    {
      type: "http.refused",
      callId: null,
      method: "POST",
      path: "/approvals/a",
      status: 401,
      why: "no token was given",
      from: "127.0.0.1",
      times: 1,
    },
    {
      type: "http.refused",
      callId: null,
      method: "GET",
      path: "/\u202e",
      status: 421,
      why: "this server has another name",
      from: null,
      times: 12,
    },
    { type: "call.appeared", callId: "c", paths: ["/p/n/.git"], runs: ["hooks/pre-commit"], unknown: null },
    {
      type: "call.quarantined",
      callId: "c",
      quarantineId: "q",
      items: [
        {
          path: "/p/.envrc",
          by: "direnv",
          when: "a shell enters",
          state: "taken",
          aside: null,
          problem: null,
        },
        { path: "/p/a", by: "x", when: "y", state: "aside", aside: "/p/a.1", problem: "EXDEV" },
        { path: "/p/b", by: "x", when: "y", state: "gone", aside: null, problem: null },
        { path: "/p/c", by: "x", when: "y", state: "live", aside: null, problem: "EBUSY" },
      ],
      more: 3,
    },
    { type: "call.restored", callId: "c", quarantineId: "q", paths: ["/p/.envrc"], more: 0, by: "ann" },
    { type: "mcp.refused", callId: null, server: "fs", what: "the tool `a`", because: "it is listed twice" },
    {
      type: "call.ended",
      callId: "c",
      outcome: "failed",
      code: 3,
      reason: null,
      durationMs: 12.6,
      stdoutBytes: 1,
      stderrBytes: 20,
    },
    { type: "journal.continued", callId: null, segment: 2, lines: 21, previous: hash, config: null },
  ];
  const events = bodies.map((body, seq) => Event.parse({ ...envelope, seq, ...body }));
  expect(new Set(events.map((event) => event.type)).size).toBe(Event.options.length);
  expect(`\n${journalLines(events, NO_INK).join("\n")}\n`).toMatchInlineSnapshot(`
    "
    run run-1, 2030-01-02 (UTC)
    03:04:05.678  session    /p/cofferdam.yaml, under protected, strict, protected, interactive
    03:04:05.678  call       rm 'a\\u{1b}[2J b', by an agent in sub
    03:04:05.678  prepared   profile 01234567 without approval, 01234567 with approval; network: x is not granted
    03:04:05.678  ask        rule \`rm\` of \`shell.rules\` (ask by rule \`rm\` of \`shell.rules\`)
    03:04:05.678  call       deploy {"env":"staging"}, by the agent ops
    03:04:05.678  asked      rule \`rm\` of \`shell.rules\`
    03:04:05.678  rejected   ann, not today
    03:04:05.678  approved   ann, for this session
    03:04:05.678  expired    no answer in time
    03:04:05.678  ignored    an answer by bob: duplicate
    03:04:05.678  not asked  there is no terminal to ask on
    03:04:05.678  abandoned  its process stopped responding
    03:04:05.678  granted    for this session, by ann: every use of deploy
    03:04:05.678  revoked    a grant of this session, by ann
    03:04:05.678  approved   approve-all mode
    03:04:05.678  reviewed   denied by the reviewer check: a person can approve it (reviewer:01234567)
    03:04:05.678  planned    bubblewrap, grants 01234567, 1 variable, 1 placeholder; why
    03:04:05.678  proven     1 of 2 enforced, sockets partial
    03:04:05.678  amended    may reach a.test:443, by ann
    03:04:05.678  refused    b.test:80: \`b.test\` on port 80 is not among the allowed hosts
    03:04:05.678  network    a.test:443 2 connections (800B sent, 4KiB received), others 1 connection (0B sent, 1B received), 3 refusals
    03:04:05.678  config     \`/p/cofferdam.yaml\` has changed and is not trusted
    03:04:05.678  refused    POST /approvals/a: 401, no token was given, from 127.0.0.1
    03:04:05.678  refused    GET /\\u{202e}: 421, this server has another name; the last of 12 within a short time
    03:04:05.678  appeared   /p/n/.git; git may run hooks/pre-commit
    03:04:05.678  taken      /p/.envrc (direnv: when a shell enters); /p/a (x: when y), renamed to /p/a.1, EXDEV; /p/b (x: when y), gone; /p/c (x: when y), still there, EBUSY; and 3 more
    03:04:05.678  restored   /p/.envrc, by ann
    03:04:05.678  refused    the tool \`a\` of the MCP server fs: it is listed twice
    03:04:05.678  failed     status 3, 13 ms, 1 byte on stdout, 20 bytes on stderr
    03:04:05.678  continued  in file 2 of the record, after 21 lines
    "
  `);
});
