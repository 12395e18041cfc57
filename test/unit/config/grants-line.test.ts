import { expect, test } from "vitest";
import { grantedRows, widerLines } from "../../../src/cli/offer-text.ts";
import { printGrants } from "../../../src/config/grants-line.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { machine, PLAIN } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

test.each<[claim: string, text: string, told: string]>([
  ["nothing but the defaults", "", "network none; commands ask"],
  [
    "a terminal",
    "shell: { terminal: true }\n",
    "network none; a new terminal for each command; commands ask",
  ],
  [
    "groups of system calls, and of what macOS gives",
    "  syscalls: [debug]\n  macos: [tls, pty]\n",
    "network none; a call may trace and change its other processes; on macOS a call may open pseudo-terminals; on macOS a call may let the system check certificates, which may fetch URLs that they name; commands ask",
  ],
  [
    "devices, with what each gives away",
    "  devices: [serial, kvm]\n",
    "network none; a call may read from and write to devices at serial ports; a call may run virtual machines with /dev/kvm; commands ask",
  ],
  [
    "rules that run commands without asking",
    "shell: { rules: [{ pattern: git log, approval: false }, { pattern: rm, allowed: false }] }\n",
    "network none; commands ask unless a rule says otherwise; without asking: git log",
  ],
  [
    "a mode that answers for a person, and a rule that allows every tool",
    'approval: { mode: approve_all, rules: [{ pattern: "*", action: allow }] }\n',
    "network none; commands run without asking; without asking: tools *; EVERY REQUEST IS APPROVED, unless an operator demands a person",
  ],
  [
    "rules that allow tools, with their arguments and agents, and those of an agent",
    `approval:
  rules: [{ pattern: write, args: { path: /tmp/* }, agents: [ci], action: allow }, { pattern: get, action: ask }]
  agents: { deploy: { rules: [{ pattern: deploy_*, action: allow }, { pattern: put, action: allow }] }, dev: {} }
`,
    'network none; commands ask; without asking: tools write with {"path":"/tmp/*"} by ["ci"]; agent deploy without asking: tools deploy_*, put',
  ],
  [
    "risk defaults that are looser than the built-in ones",
    "approval: { risk_defaults: { read_only: ask, write: allow, destructive: ask } }\n",
    "network none; commands ask; tools that no rule covers: write run without asking, destructive are asked about",
  ],
  [
    "nothing of risk defaults that are as strict",
    "approval: { risk_defaults: { read_only: deny, write: deny } }\n",
    "network none; commands ask",
  ],
  ["strict mode", "approval: { mode: strict }\n", "network none; commands ask; every request is rejected"],
  [
    "less than the whole sandbox, and variables that are set",
    "  require_os_sandbox: false\n  env: { set: { PATH: /w/bin, CI: '1' } }\n",
    "network none; commands ask; sets PATH, CI; SANDBOX NOT REQUIRED: tools run even if parts of the sandbox are missing",
  ],
  [
    "more rules than a line takes",
    `shell: { rules: [${Array.from({ length: 10 }, (_, at) => `{ pattern: c${at}, approval: false }`).join(", ")}] }\n`,
    "network none; commands ask unless a rule says otherwise; without asking: c0, c1, c2, c3, c4, c5, c6, c7 and 2 more",
  ],
])("what a named config grants is told as it holds: %s", (_claim, text, told) => {
  const m = machine({ [CONFIG]: `${PLAIN}${text}` });
  expect(loadConfig(m.host, { config: m.at(CONFIG) }).notes[1]).toBe(`grants: ${told}`);
});

test("what a config grants of macOS is told where it is offered, and as wider where it is new", () => {
  const m = machine({ [CONFIG]: PLAIN });
  rememberTrust(m.host, trustFile(m.host));
  m.write({ [CONFIG]: `${PLAIN}  syscalls: [abi32]\n  macos: [watch, pty]\n` });
  const told = grantedRows(m.host, trustFile(m.host).loaded).map((row) => row.join("  "));
  const from = told.findIndex((row) => row.startsWith("calls may"));
  expect(told.slice(from, from + 3)).toEqual([
    "calls may  run 32-bit programs",
    "  on macOS open pseudo-terminals",
    "  on macOS get notified by the system about changed files anywhere",
  ]);
  m.write({ [CONFIG]: `${PLAIN}  macos: [pty]\n` });
  expect(widerLines(trustFile(m.host))).toEqual([
    "it changed: cofferdam.yaml",
    "allows more without approval and with approval: it may on macOS open pseudo-terminals",
  ]);
});

test("what a runtime brings along of macOS is told like what is listed", () => {
  const m = machine({ [CONFIG]: PLAIN });
  const { config } = loadConfig(m.host, { config: m.at(CONFIG) });
  const python = { name: "python", read: [], links: [], path: [], env: {}, macos: ["python"] } as const;
  expect(printGrants({ ...config, runtimes: [python] })).toBe(
    "programs of python; network none; on macOS a call may make POSIX semaphores; commands ask",
  );
});

test.each<[claim: string, approval: string, told: readonly string[]]>([
  ["no rule on tools", "{}", ["commands  3 rules; other commands need approval", "unasked  ls"]],
  [
    "an allow of every command: those run unasked that no shell rule asks about or denies",
    "{ rules: [{ pattern: shell, action: ask }, { pattern: sh*, action: allow }] }",
    [
      "commands  3 rules; other commands run without approval",
      "unasked  ls",
      "tools  shell needs approval",
      "  sh* RUNS WITHOUT APPROVAL",
    ],
  ],
  [
    "a question about every command: none runs unasked",
    "{ order: strictest, rules: [{ pattern: shell, action: allow }, { pattern: '*', action: ask }] }",
    [
      "commands  3 rules; other commands need approval",
      "tools  shell RUNS WITHOUT APPROVAL",
      "  * needs approval",
    ],
  ],
  [
    "rules for some arguments or agents: the shell rules decide the rest",
    "{ agents: { ci: { rules: [{ pattern: shell, action: allow }] } } }",
    [
      "commands  3 rules; other commands need approval, unless a tool rule decides",
      "unasked  ls",
      "tools  agent ci: shell RUNS WITHOUT APPROVAL",
    ],
  ],
  [
    "an allow of certain commands, which no shell rule that asks is heard about",
    "{ rules: [{ pattern: shell, args: { script: 'git push*' }, action: allow }] }",
    [
      "commands  3 rules; other commands need approval, unless a tool rule decides",
      "unasked  ls",
      `tools  shell with {"script":"git push*"} RUNS WITHOUT APPROVAL, even if a shell rule asks`,
    ],
  ],
])("the rows about commands and about tools agree: %s", (_claim, approval, told) => {
  const rules = "{ pattern: ls, approval: false }, { pattern: git push }, { pattern: rm, allowed: false }";
  const m = machine({ [CONFIG]: `${PLAIN}shell: { rules: [${rules}] }\napproval: ${approval}\n` });
  const rows = grantedRows(m.host, trustFile(m.host).loaded).map((row) => row.join("  "));
  const from = rows.findIndex((row) => row.startsWith("commands"));
  expect(
    rows.slice(
      from,
      rows.findIndex((row) => row.startsWith("approval")),
    ),
  ).toEqual(told);
});
