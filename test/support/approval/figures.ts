import { join } from "node:path";
import { execa } from "execa";
import { ApprovalSection, NO_OPERATOR } from "../../../src/policy/approval-section.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { invocationOf } from "../../../src/policy/tool-rule.ts";
import { judge, type Verdict } from "../../../src/policy/verdict.ts";
import type { Crowd } from "./crowd.ts";

/** So many questions at once in a process of their own, where the heap is theirs alone. */
export async function crowdOfQuestions(of: "gate" | "tools" = "gate", count = 10_000): Promise<Crowd> {
  const script = join(import.meta.dirname, "crowd.ts");
  const { stdout } = await execa(process.execPath, [script, of, String(count)]);
  return JSON.parse(stdout);
}

const AGENTS = ["builder", "review-*"];
const OPERATOR_RULES = 200;
const PROJECT_RULES = 700;
const AGENT_RULES = 100;

/** How long one verdict takes with 1,000 rules on arguments, agents and globs, an operator's among them. Milliseconds. */
export function verdictTimes(warmUp: number, runs: number): readonly number[] {
  const times: number[] = [];
  for (let run = -warmUp; run < runs; run += 1) {
    const began = performance.now();
    verdictOfManyRules(run);
    if (run >= 0) times.push(performance.now() - began);
  }
  return times;
}

const APPROVAL = ApprovalSection.parse({
  order: "strictest",
  rules: Array.from({ length: PROJECT_RULES }, (_, index) => ({
    pattern: index % 3 === 0 ? "*" : "*dep*oy*",
    args: index % 2 === 0 ? { env: `*${index}*`, text: `*word ${index} *end*` } : `*"n${index}":*`,
    agents: AGENTS,
    action: "ask",
  })),
  agents: {
    builder: {
      order: "last-match",
      rules: Array.from({ length: AGENT_RULES }, (_, index) => ({
        pattern: `deploy_${index}*`,
        action: "deny",
      })),
    },
  },
});
const OPERATOR = {
  ...NO_OPERATOR,
  rules: Array.from({ length: OPERATOR_RULES }, (_, index) => ({
    pattern: "dep*oy",
    args: `*"text":"*secret ${index}*`,
    action: "deny" as const,
  })),
};

/** The verdict on a call with an input of 2 KiB that is new each time, held against 1,000 rules. */
export function verdictOfManyRules(run: number): Verdict {
  const text = `run ${run} `.padEnd(2_000, "word after word ");
  const input: Json = { env: "staging", text, list: [1, 2, { deep: true }] };
  const subject = {
    ...invocationOf("deploy", input, "builder"),
    risk: "write" as const,
    said: null,
    line: null,
    needsMore: null,
  };
  return judge(subject, { operator: OPERATOR, approval: APPROVAL });
}
