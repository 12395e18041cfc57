import { expect, test } from "vitest";
import { inkFor, PLAIN } from "../../../src/channel/ink.ts";
import { lookAtPlan } from "../../../src/cli/plan-look.ts";
import { planLines, planSize } from "../../../src/cli/plan-text.ts";
import { macLines, ruleSize } from "../../../src/cli/rule-text.ts";
import { simulatedMac } from "../../../src/host/look/mac/simulated.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { simulatedProject } from "../../support/mac/simulated-project.ts";

const CONFIG = `version: 1
sandbox:
  paths:
    app: { root: ., mode: rw, write_approval: false }
    docs: { root: ./docs, mode: ro }
`;

const project = () =>
  simulatedProject({
    "cofferdam.yaml": CONFIG,
    ".git/config": "",
    ".git/HEAD": "",
    "docs/": "",
    "a/.envrc": "",
  });

test("a plan of rules is as large as its rules, one of mounts as its mounts", async () => {
  const plan = await project().plan();
  const { rules, bytes } = ruleSize(plan);
  const lines = plan.rules.text.split("\n");
  expect([rules, bytes]).toEqual([
    lines.filter((line) => /^\((allow|deny|if) /.test(line)).length,
    plan.rules.text.length,
  ]);
  expect(planSize(plan)).toBe(`${rules} rules in ${Math.ceil(bytes / 1024)} KiB`);
});

test("rules are printed as they are, below their parameters; comments are set apart on a terminal alone", async () => {
  const { draft, plan } = project();
  const made = await plan();
  const plain = planLines(made, draft.policy, PLAIN, "/");
  expect(plain.slice(0, 4)).toEqual([
    "; -D CALL=<the call's own folder>",
    "; -D HOME=<the call's own folder>/home",
    "; -D TMP=<the call's own folder>/tmp",
    "",
  ]);
  expect(`${plain.slice(4).join("\n")}\n`).toBe(made.rules.text);
  const coloured = planLines(made, draft.policy, inkFor({ isTTY: true }, { TERM: "xterm" }), "/");
  const dim = (line: string): string => `\u001b[2m${line}\u001b[22m`;
  expect(coloured).toEqual(plain.map((line) => (line.startsWith(";") ? dim(line) : line)));
});

test("a path that no rule can spell is told as a parameter, and what would act on a terminal is made visible", async () => {
  const { draft, plan } = simulatedProject({
    "cofferdam.yaml": CONFIG.replace("root: .,", "root: ./gr\u00fc\u00dfe,"),
    "docs/": "",
    "gr\u00fc\u00dfe/": "",
  });
  expect(planLines(await plan(), draft.policy, PLAIN, "/")).toContain(
    "; -D PATH1=/Users/ada/work/app/gr\u00fc\u00dfe",
  );
  const mac = simulatedMac({ name: "x\u202ey", home: absolutePath("/srv/x") });
  expect(macLines(mac, PLAIN).join("\n")).toContain("the home folder /Users/x\\u{202e}y,");
});

test("what is found in a plan of rules: what is cut down in a root, each path once, and no number of mounts", async () => {
  const { roots, findings, plan } = await lookAtPlan(project().draft);
  expect(findings).toEqual([]);
  expect(plan?.kind).toBe("rules");
  const [app] = roots;
  expect(app?.hidden).toEqual([]);
  expect(app?.readOnly).toEqual([...new Set(app?.readOnly)]);
  expect(app?.readOnly).toEqual(
    expect.arrayContaining([".git/config", ".git/hooks", "cofferdam.yaml", "docs"]),
  );
});
