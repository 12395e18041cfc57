import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../src/policy/request.ts";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";

sandboxMustWork("approvals of more than one call of the shell tool");

const nothing = (): void => undefined;
const ASKS = { shell: { default: { approval: true } } };
const answering = (answer: (request: ApprovalRequest, count: number) => unknown): Asked => {
  const handler: Asked = new Asked((request) => answer(request, handler.requests.length));
  return handler;
};
const PROJECT = { approved: true, scope: "project", by: "ann" } as const;
const SIMILAR = { approved: true, scope: "similar", by: "ann" } as const;
const YES = { approved: true, by: "ann" } as const;

describe.skipIf(unusable !== null)("an approval of similar command lines", () => {
  it("approve.cover: lets pass the same programs with any further arguments, and asks about everything else", async () => {
    await using at = await testSession(nothing, {
      settings: ASKS,
      handler: answering((_, count) => (count === 1 ? SIMILAR : { approved: false, by: "ann" })),
    });
    const call = (script: string) => at.session.call("shell", { script });
    expect(await call("ls -l | wc -l")).toMatchObject({ kind: "done" });
    expect(at.asked.requests[0]?.offers).toMatchObject([{ scope: "similar" }, { scope: "project" }]);
    for (const passes of ["ls -a", "ls | wc -c", "wc -l < /dev/null && ls /"])
      expect([passes, (await call(passes)).kind]).toEqual([passes, "done"]);
    expect(at.asked.requests.length).toBe(1);
    const asked = [
      "ls $(touch made)",
      "ls > made",
      "ls; touch made",
      "cat x",
      "ls; sh -c 'touch made'",
      "X=1 ls",
    ];
    for (const asks of asked) expect([asks, (await call(asks)).kind]).toEqual([asks, "denied"]);
    expect([at.asked.requests.length, existsSync(`${at.place.ws}/made`)]).toEqual([1 + asked.length, false]);
  });
});

describe.skipIf(unusable !== null)("a rule that is kept for the project", () => {
  it("approve.cover: answers in every later session, without an approval's access, until any process drops it", async () => {
    await using at = await testSession(nothing, { settings: ASKS, handler: answering(() => PROJECT) });
    await at.session.call("shell", { argv: ["git", "status"] });
    const handler = answering(() => YES);
    const later = at.supervisor.session({ handler });
    const outcome = await later.call("shell", { argv: ["git", "status", "--short"] });
    expect(handler.requests).toEqual([]);
    const { withoutApproval } = await later.prepare({ argv: ["git", "status", "--short"] });
    expect(outcome).toMatchObject({ receipt: { granted: withoutApproval.digest } });
    const { memory } = at.supervisor.broker;
    const [rule] = memory.keeper?.read().kept ?? [];
    expect(rule).toMatchObject({ by: "ann", covers: expect.stringContaining("git status") });
    expect(await memory.drop(rule?.id ?? "", "bob")).toBe(true);
    await later.call("shell", { argv: ["git", "status", "--short"] });
    expect(handler.requests.length).toBe(1);
    expect(at.journal.of("grant.saved")).toMatchObject([{ of: "project" }]);
    expect(at.journal.of("grant.revoked")).toMatchObject([{ by: "bob" }]);
  });

  it("approve.cover: is not offered, and not heard, where a rule asks, where an approval gives more, or where an operator forbids it", async () => {
    const argv = ["git", "status"];
    const given = [
      { settings: { shell: { ...ASKS.shell, rules: [{ pattern: "git status" }] } } },
      { settings: ASKS, profile: { approval: { kept_rules: false } } },
      { settings: ASKS, profile: { approval: { rules: [{ shell: "git", action: "ask" as const }] } } },
    ];
    for (const one of given) {
      await using at = await testSession(nothing, { ...one, handler: answering(() => PROJECT) });
      for (let count = 0; count < 2; count += 1) await at.session.call("shell", { argv });
      expect(
        at.asked.requests.flatMap(({ offers = [] }) => offers.filter(({ scope }) => scope === "project")),
      ).toEqual([]);
      expect(at.asked.requests.length).toBe(2);
      expect(at.supervisor.broker.memory.keeper?.read().kept).toEqual([]);
    }
  });

  it("of a broken file answers nothing, and the request says why", async () => {
    await using at = await testSession(nothing, { settings: ASKS, handler: answering(() => PROJECT) });
    await at.session.call("shell", { argv: ["git", "status"] });
    const keeper = at.supervisor.broker.memory.keeper;
    expect(keeper?.read().kept.length).toBe(1);
    const folder = `${at.place.state}/cofferdam/rules`;
    const [file = ""] = readdirSync(folder).filter((one) => one.endsWith(".json"));
    writeFileSync(`${folder}/${file}`, readFileSync(`${folder}/${file}`, "utf8").slice(1));
    await at.session.call("shell", { argv: ["git", "status"] });
    expect(at.asked.requests.length).toBe(2);
    expect(at.asked.requests[1]?.why.at(-1)).toMatchObject({
      layer: "kept",
      reason: expect.stringContaining("damaged"),
    });
  });
});
