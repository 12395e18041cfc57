import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSupervisor, defineTool } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { Asked } from "../support/approval/asked.ts";
import { ASKS, Fates, TOUCH } from "../support/approval/fates.ts";
import { printed } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";

sandboxMustWork("what a yes is bound to");

const FREE: Settings = { ...ASKS, shell: { default: { allowed: true, approval: false } } };
const LOGS = { argv: ["sh", "-c", "echo ran >> log"] };
const program = (says: string): string => `#!/bin/sh\necho ${says} >> log\n`;

/** Each time that it ran. */
function log(fates: Fates): readonly string[] {
  return fates.made("log") ? readFileSync(`${fates.place.ws}/log`, "utf8").trim().split("\n") : [];
}

describe.skipIf(unusable !== null)("a yes", () => {
  it("is used up by a run that by then would need none, and no run comes of an id without one (approve.once)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", LOGS);
    expect(await fates.resume(id, FREE)).toMatchObject({ kind: "pending", approvalId: id });
    await fates.answer(id);
    expect(await fates.resume(id, FREE)).toMatchObject({ kind: "done" });
    const used = { kind: "denied", reason: "this approval was used already" };
    expect([await fates.resume(id, FREE), await fates.resume(id)]).toMatchObject([used, used]);
    const no = await fates.ask("shell", LOGS);
    await fates.answer(no, false);
    expect(await fates.resume(no, FREE)).toMatchObject({
      kind: "denied",
      reason: "rejected by ann: as you like",
    });
    expect(log(fates)).toEqual(["ran"]);
  });

  it("is needed as well for what a person typed and was asked about, whoever resumes it (approve.once)", async () => {
    using fates = new Fates();
    await using asking = await fates.supervisor(ASKS, { asksCaller: true });
    const typed = asking.session({ caller: "person" });
    const outcome = await typed.call("shell", LOGS);
    if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
    const id = outcome.approvalId;
    expect(await fates.resume(id)).toMatchObject({ kind: "pending", approvalId: id });
    expect(log(fates)).toEqual([]);
    await fates.answer(id);
    expect(await fates.resume(id)).toMatchObject({ kind: "done" });
    expect(await fates.resume(id)).toMatchObject({ kind: "denied" });
    expect(log(fates)).toEqual(["ran"]);
  });

  it("with an edited input holds as long as what was shown stands, and where that would pass by itself it is the edited one that runs (approve.once)", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    const tool = (says: string): void => writeFileSync(`${ws}/tool`, program(`${says} $1`), { mode: 0o755 });
    const edited = { editedInput: { argv: ["./tool", "edited"] } };
    tool("shown");
    const id = await fates.ask("shell", { argv: ["./tool", "asked"] });
    await fates.answer(id, true, edited);
    tool("changed");
    const asked = new Asked(() => ({ approved: false }));
    expect(await fates.resume(id, ASKS, { handler: asked })).toMatchObject({ kind: "pending" });
    expect(log(fates)).toEqual([]);
    tool("shown");
    expect(await fates.resume(id)).toMatchObject({ kind: "done" });
    expect(log(fates)).toEqual(["shown edited"]);
    const other = await fates.ask("shell", { argv: ["./tool", "asked"] });
    await fates.answer(other, true, edited);
    expect(await fates.resume(other, FREE)).toMatchObject({ kind: "done" });
    expect(await fates.resume(other)).toMatchObject({ kind: "denied" });
    expect(log(fates)).toEqual(["shown edited", "shown edited"]);
  });

  it("holds for what a program of the host's own was, also where that lies in a root which it only reads (approve.once)", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    const write = (says: string): void =>
      writeFileSync(`${ws}/lint`, `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    write("shown");
    const lint = defineTool({
      name: "lint",
      command: () => [`${ws}/lint`],
      needs: { roots: { ws: "read" } },
    });
    const own = { tools: [lint] };
    const id = await fates.ask("lint", {}, own);
    await fates.answer(id);
    // The same file, with something else in it.
    write("other");
    expect(await fates.resume(id, ASKS, own)).toMatchObject({ kind: "pending" });
    write("shown");
    expect(printed(await fates.resume(id, ASKS, own))).toBe("shown");
  });

  it("for the session covers such a program as it was (approve.once)", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    writeFileSync(`${ws}/lint`, "#!/bin/sh\necho shown\n", { mode: 0o755 });
    const lint = defineTool({
      name: "lint",
      command: () => [`${ws}/lint`],
      needs: { roots: { ws: "read" } },
    });
    const asked = new Asked(() => ({ approved: true, scope: "session" }));
    await using supervisor = await fates.supervisor({ ...ASKS, approval: { wait: "block" } });
    await using session = supervisor.session({ tools: [lint], handler: asked });
    const said = async () => {
      const outcome = await session.call("lint", {});
      return outcome.kind === "done" && "stdout" in outcome
        ? outcome.stdout.bytes.toString().trim()
        : outcome;
    };
    expect([await said(), await said(), asked.requests.length]).toEqual(["shown", "shown", 1]);
    writeFileSync(`${ws}/lint`, "#!/bin/sh\necho other\n");
    expect([await said(), asked.requests.length]).toEqual(["other", 2]);
  });

  it("for a function holds in the folder that its host stood in: another project may mean something else by its name (approve.once)", async () => {
    using fates = new Fates();
    const ran: string[] = [];
    const deploy = (where: string) => ({
      tools: [defineTool({ name: "deploy", run: () => void ran.push(where) })],
    });
    const id = await fates.ask("deploy", {}, deploy("here"));
    await fates.answer(id);
    const elsewhere = `${fates.place.ws}/elsewhere`;
    mkdirSync(elsewhere);
    await using there = await createSupervisor({
      config: fates.place.config(ASKS),
      cwd: knownPath(elsewhere),
      host: fates.place.host(),
    });
    expect(await there.resume(id, deploy("there"))).toMatchObject({ kind: "pending" });
    expect(ran).toEqual([]);
    expect(await fates.resume(id, ASKS, deploy("here"))).toMatchObject({ kind: "done" });
    expect(ran).toEqual(["here"]);
  });
});

describe.skipIf(unusable !== null)("a call that the agent makes again with the id of a yes", () => {
  it("runs once, also where it would pass by itself (approve.once)", async () => {
    using fates = new Fates();
    const id = await fates.ask("shell", TOUCH);
    await fates.answer(id);
    await using supervisor = await fates.supervisor(FREE);
    await using session = supervisor.session();
    expect(await session.call("shell", TOUCH, { approvalId: id })).toMatchObject({ kind: "done" });
    expect(await session.call("shell", TOUCH, { approvalId: id })).toMatchObject({ kind: "denied" });
    expect(await session.call("shell", TOUCH)).toMatchObject({ kind: "done" });
  });
});
