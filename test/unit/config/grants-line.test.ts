import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { machine, PLAIN } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

test.each<[claim: string, text: string, told: string]>([
  ["nothing but the defaults", "", "network none; commands ask"],
  [
    "a terminal",
    "shell: { terminal: true }\n",
    "network none; a terminal of its own for each command; commands ask",
  ],
  [
    "rules that run commands without asking",
    "shell: { rules: [{ pattern: git log, approval: false }, { pattern: rm, allowed: false }] }\n",
    "network none; commands ask unless a rule says otherwise; without asking: git log",
  ],
  [
    "a mode that answers for a person, and a rule that allows every tool",
    'approval: { mode: approve_all, rules: [{ pattern: "*", action: allow }] }\n',
    "network none; commands ask; without asking, whatever is said of commands: tools *; EVERY QUESTION IS ANSWERED WITH YES, unless an operator demands a person",
  ],
  [
    "rules that allow tools, with their arguments and agents, and those of an agent",
    `approval:
  rules: [{ pattern: write, args: { path: /tmp/* }, agents: [ci], action: allow }, { pattern: get, action: ask }]
  agents: { deploy: { rules: [{ pattern: deploy_*, action: allow }, { pattern: put, action: allow }] }, dev: {} }
`,
    'network none; commands ask; without asking, whatever is said of commands: tools write with {"path":"/tmp/*"} by ["ci"]; agent deploy without asking, whatever is said of commands: tools deploy_*, put',
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
  [
    "strict mode",
    "approval: { mode: strict }\n",
    "network none; commands ask; every question is answered with no",
  ],
  [
    "less than the whole sandbox, and variables that are set",
    "  require_os_sandbox: false\n  env: { set: { PATH: /w/bin, CI: '1' } }\n",
    "network none; commands ask; sets PATH, CI; NOT ALL OF THE SANDBOX REQUIRED: tools run also where a part of the walls is missing",
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
