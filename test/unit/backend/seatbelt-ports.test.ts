import { expect, test } from "vitest";
import { ACTS, asked, wrongIn } from "../../support/mac/asked.ts";
import { planOf, statedProject } from "../../support/mac/stated-project.ts";

const CONFIG = `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system]
shell: { ports: [5173, 8080] }
`;

async function rulesWith(ports: readonly number[]) {
  const { draft } = statedProject({ "cofferdam.yaml": CONFIG });
  const cwd = draft.standing.settings.roots[0]?.path ?? "/";
  const more = ports.length === 0 ? {} : { ports };
  return planOf((await draft.prepare({ argv: ["true"], cwd, ...more })).onYes.rendering);
}

test("on a Mac a server listens on loopback at the ports of its call, at no other, and nothing is reached by them", async () => {
  const plan = await rulesWith([5173]);
  const ask = asked(plan);
  expect(plan.ports).toEqual([5173]);
  expect(ask(ACTS["listen on"]("127.0.0.1:5173"))).toBe("yes");
  for (const end of ["127.0.0.1:8080", "192.0.2.7:5173"])
    expect([end, ask(ACTS["listen on"](end))]).toEqual([end, "no"]);
  for (const end of ["127.0.0.1:5173", "127.0.0.1:8080", "93.184.215.14:443"])
    expect([end, ask(ACTS.reach(end))]).toEqual([end, "no"]);
  expect(wrongIn(plan.rules.text)).toEqual([]);
  const [section] = plan.rules.text.match(/; Ports:.*\n(?:\(.*\n)+/) ?? [];
  expect(section).toMatchInlineSnapshot(`
    "; Ports: servers on these of this machine's loopback, and no way out by them.
    (allow network-bind network-inbound (local tcp "localhost:5173"))
    "
  `);
});

test("on a Mac a call that asks for no port listens nowhere", async () => {
  const plan = await rulesWith([]);
  expect(asked(plan)(ACTS["listen on"]("127.0.0.1:5173"))).toBe("no");
  expect(plan.rules.text).not.toContain("network-inbound");
});
