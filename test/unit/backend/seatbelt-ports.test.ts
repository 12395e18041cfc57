import { expect, test } from "vitest";
import { rulesWith } from "../../support/mac/simulated-ports.ts";

test("on a Mac a call may listen on loopback at its own ports, in a section of its own", async () => {
  const plan = await rulesWith([5173]);
  expect(plan.ports).toEqual([5173]);
  const [section] = plan.rules.text.match(/; Ports:.*\n(?:\(.*\n)+/) ?? [];
  expect(section).toMatchInlineSnapshot(`
    "; Ports: servers on these of this machine's loopback, and no way out by them.
    (allow network-bind network-inbound (local tcp "localhost:5173"))
    "
  `);
});

test("on a Mac a call that asks for no port listens nowhere", async () => {
  expect((await rulesWith([])).rules.text).not.toContain("network-inbound");
});
