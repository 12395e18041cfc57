import { expect, test } from "vitest";
import { rulesWith } from "../../support/mac/simulated-ports.ts";
import { ACTS, asked, wrongIn } from "./asked.ts";

test("on a Mac a server listens on loopback at the ports of its call, at no other, and nothing is reached by them", async () => {
  const plan = await rulesWith([5173]);
  const ask = asked(plan);
  expect(ask(ACTS["listen on"]("127.0.0.1:5173"))).toBe("yes");
  for (const end of ["127.0.0.1:8080", "192.0.2.7:5173"])
    expect([end, ask(ACTS["listen on"](end))]).toEqual([end, "no"]);
  for (const end of ["127.0.0.1:5173", "127.0.0.1:8080", "93.184.215.14:443"])
    expect([end, ask(ACTS.reach(end))]).toEqual([end, "no"]);
  expect(wrongIn(plan.rules.text)).toEqual([]);
});

test("on a Mac a call that asks for no port listens nowhere", async () => {
  const plan = await rulesWith([]);
  expect(asked(plan)(ACTS["listen on"]("127.0.0.1:5173"))).toBe("no");
});
