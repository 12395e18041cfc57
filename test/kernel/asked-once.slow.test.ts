import { existsSync, renameSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { defineTool, type ShellInput } from "../../src/index.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { cacheKeyOf } from "../../src/policy/hashes.ts";
import { Asked } from "../support/approval/asked.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";

sandboxMustWork("questions about calls of the shell tool");

const nothing = (): void => undefined;
const program = (place: Place, says: string): string =>
  place.file("ws/tool", `#!/bin/sh\necho ${says}\n`, 0o755);
const SESSION = { approved: true, scope: "session", by: "ann" } as const;
const CODE = "FACTS_UNSTABLE";

describe.skipIf(unusable !== null)("a call that must be asked about", () => {
  it("approve.once: is asked about once, has done nothing by then, and goes on where it was (S0-D1, S1-39, S1-40, S3-6)", async () => {
    const seen: boolean[] = [];
    await using at = await testSession(nothing, {
      handler: new Asked(() => {
        seen.push(existsSync(`${at.place.ws}/made`));
        return { approved: true, by: "ann" };
      }),
    });
    const outcome = await at.session.call("shell", { argv: ["sh", "-c", "echo out && touch made"] });
    expect([printed(outcome), seen, existsSync(`${at.place.ws}/made`)]).toEqual(["out", [false], true]);
    expect(at.journal.types).toEqual([
      "session.started",
      "call.received",
      "call.prepared",
      "call.judged",
      "approval.requested",
      "approval.resolved",
      "call.prepared",
      "call.judged",
      "call.planned",
      "walls.proven",
      "call.ended",
    ]);
    const [{ request } = { request: null }] = at.journal.of("approval.requested");
    expect(request).toEqual(at.asked.requests[0]);
    expect("receipt" in outcome && outcome.receipt.argsHash).toBe(request?.argsHash);
    expect(request?.granted?.write).toEqual([at.place.ws]);
  });

  it("and is answered no runs nothing, and the no reaches the caller in the words of who said it (S1-41, S2-11)", async () => {
    await using at = await testSession(nothing, {
      handler: new Asked(() => ({ approved: false, by: "ann", note: "not on a Friday" })),
    });
    expect(await at.session.call("shell", { argv: ["touch", "made"] })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
      reason: "rejected by ann: not on a Friday",
    });
    expect([at.asked.requests.length, existsSync(`${at.place.ws}/made`)]).toEqual([1, false]);
    expect(at.journal.types).not.toContain("call.planned");
  });

  it("with nobody there, or where it could not start anyway, is refused without a question (S3-D2, C10)", async () => {
    await using nobody = await testSession(nothing, { handler: null });
    expect(await nobody.session.call("shell", { argv: ["true"] })).toMatchObject({
      code: "APPROVAL_DENIED",
      reason: "no rule covers this command, but no handler was available to ask",
    });
    await using at = await testSession(nothing);
    expect(await at.session.call("shell", { argv: ["no-such-program"] })).toMatchObject({
      kind: "not-found",
    });
    expect(at.asked.requests).toEqual([]);
  });

  it("approve.once: and whose program is swapped meanwhile is asked about again, with the new one (S2-D5, C12)", async () => {
    const handler = new Asked(() => {
      if (handler.requests.length === 1) program(at.place, "swapped");
      return { approved: true };
    });
    await using at = await testSession((place) => program(place, "first"), { handler });
    expect(printed(await at.session.call("shell", { argv: ["./tool"] }))).toBe("swapped");
    expect(new Set(handler.requests.map(({ argsHash }) => argsHash)).size).toBe(2);
    expect(handler.requests.length).toBe(2);
  });

  it("and whose program is swapped under every question is given up after three (C12)", async () => {
    const handler = new Asked(() => {
      program(at.place, `swap-${handler.requests.length}`);
      return { approved: true };
    });
    await using at = await testSession((place) => program(place, "first"), { handler });
    expect(await at.session.call("shell", { argv: ["./tool"] })).toMatchObject({
      kind: "denied",
      code: CODE,
    });
    expect(handler.requests.length).toBe(3);
    for (const { approvalId } of handler.requests)
      expect(await at.supervisor.broker.find(approvalId)).toMatchObject({ status: "failed" });
    expect(at.journal.types).not.toContain("call.planned");
    expect(at.journal.of("call.ended")).toMatchObject([{ outcome: "denied" }]);
  });

  it("approve.once: and whose program is swapped after the last look that was hashed is not started", async () => {
    await using at = await testSession((place) => program(place, "first"));
    const write = at.journal.write.bind(at.journal);
    at.journal.write = (event) => {
      if (event.type === "call.planned") program(at.place, "swapped");
      write(event);
    };
    await expect(at.session.call("shell", { argv: ["./tool"] })).rejects.toMatchObject({
      code: CODE,
      message: "`./tool` changed right before its start",
    });
    expect(at.journal.types).not.toContain("walls.proven");
    at.journal.write = write;
    expect(printed(await at.session.call("shell", { argv: ["./tool"] }))).toBe("swapped");
  });

  it("goes on when what changed only tightens: a file to hide that came meanwhile is hidden", async () => {
    const handler = new Asked(() => {
      at.place.file("ws/new.secret", "PRIVATE");
      at.place.file("ws/new.txt", "PUBLIC");
      return { approved: true };
    });
    await using at = await testSession(nothing, {
      handler,
      profile: { masks: [{ pattern: "**/*.secret", at_most: "none" }] },
    });
    const outcome = await at.session.call("shell", {
      argv: ["sh", "-c", "cat new.txt new.secret 2>/dev/null; true"],
    });
    expect([printed(outcome), handler.requests.length]).toEqual(["PUBLIC", 1]);
  });
});

describe.skipIf(unusable !== null)("a yes for the session on the shell tool", () => {
  const CALL: ShellInput = { argv: ["./tool", "a"] };

  it.each<[string, number, ShellInput, (place: Place) => void]>([
    ["the same words in the same folder", 1, CALL, nothing],
    ["the folder written in another way", 1, { ...CALL, cwd: "./" }, nothing],
    ["another word more", 2, { argv: ["./tool", "a", "b"] }, nothing],
    [
      "the same text as one word",
      2,
      { argv: ["./tool a"] },
      (place) => place.file("ws/tool a", "#!/bin/sh\n", 0o755),
    ],
    ["the same words as a script that needs no shell", 1, { script: "./tool 'a'" }, nothing],
    ["the same in a line for the shell", 2, { script: "./tool a;" }, nothing],
    ["another folder", 2, { argv: ["../tool", "a"], cwd: "sub" }, (place) => place.folder("ws/sub")],
    [
      "the same file with something else in it",
      2,
      CALL,
      (place) => writeFileSync(`${place.ws}/tool`, "#!/bin/sh\necho over\n"),
    ],
    ["another program in its place", 2, CALL, (place) => program(place, "other")],
    [
      "another folder in the root's place",
      2,
      CALL,
      (place) => {
        renameSync(place.ws, `${place.top}/moved`);
        place.folder("ws");
        renameSync(`${place.top}/moved/tool`, `${place.ws}/tool`);
      },
    ],
  ])("answers or not: %s, asked %i times (S1-29, C3)", async (_, times, input, change) => {
    await using at = await testSession((place) => program(place, "first"), {
      handler: new Asked(() => SESSION),
    });
    expect(printed(await at.session.call("shell", CALL))).toBe("first");
    expect(at.asked.requests[0]?.covers).toBe(`in ${at.place.ws}, exactly: ./tool a`);
    change(at.place);
    expect((await at.session.call("shell", input)).kind).toBe("done");
    expect(at.asked.requests.length).toBe(times);
    expect(at.journal.of("approval.requested").length).toBe(times);
    if (times === 1) expect(at.journal.of("approval.auto")).toMatchObject([{ approved: true }]);
  });

  it("is not offered for what a program would read from a stream, and does not cover it (C15)", async () => {
    await using at = await testSession(nothing, { handler: new Asked(() => SESSION) });
    const stdin = () => ({ stdin: Readable.from(["text"]) });
    await at.session.call("shell", { argv: ["cat"] });
    expect(printed(await at.session.call("shell", { argv: ["cat"] }, stdin()))).toBe("text");
    expect(printed(await at.session.call("shell", { argv: ["cat"] }, stdin()))).toBe("text");
    expect(at.asked.requests.map(({ covers }) => covers)).toEqual([
      `in ${at.place.ws}, exactly: cat`,
      null,
      null,
    ]);
  });

  it("is listed, ends when it is taken back, and is none of another session's (S1-42)", async () => {
    await using at = await testSession(nothing, { handler: new Asked(() => SESSION) });
    await at.session.call("shell", { argv: ["true"] });
    const [grant] = await at.session.grants();
    expect(grant).toMatchObject({ tool: "shell", covers: `in ${at.place.ws}, exactly: true`, by: "ann" });
    const other = at.supervisor.session({ handler: at.asked });
    expect(await other.grants()).toEqual([]);
    await other.call("shell", { argv: ["true"] });
    expect(at.asked.requests.length).toBe(2);
    expect(await at.session.revoke(grant?.grantId ?? "")).toBe(true);
    await at.session.call("shell", { argv: ["true"] });
    expect(at.asked.requests.length).toBe(3);
  });

  it("holds for the profile that it was given for, and for no other", async () => {
    await using at = await testSession(nothing);
    const { grantKey } = await at.session.prepare({ argv: ["true"] });
    const { sessionId } = at.session;
    const grant = {
      kind: "call",
      sessionId,
      tool: "shell",
      covers: "true",
      by: "ann",
      grantedAt: 0,
    } as const;
    await at.supervisor.broker.saveGrant({ ...grant, grantId: "1", key: { ...grantKey, granted: "other" } });
    await at.session.call("shell", { argv: ["true"] });
    expect(at.asked.requests.length).toBe(1);
    await at.supervisor.broker.saveGrant({ ...grant, grantId: "2", key: grantKey });
    await at.session.call("shell", { argv: ["true"] });
    expect(at.asked.requests.length).toBe(1);
  });

  it("is neither offered nor heard where an operator wants none (S0-4, C4)", async () => {
    await using at = await testSession(nothing, {
      handler: new Asked(() => SESSION),
      profile: { approval: { session_grants: false } },
    });
    const { grantKey: key } = await at.session.prepare({ argv: ["true"] });
    const { sessionId } = at.session;
    const told = { tool: "shell", covers: "true", by: "ann", grantedAt: 0 };
    const grant: Grant = { kind: "call", sessionId, grantId: "1", key, ...told };
    await at.supervisor.broker.saveGrant(grant);
    await at.session.call("shell", { argv: ["true"] });
    await at.session.call("shell", { argv: ["true"] });
    expect(at.asked.requests.map(({ covers }) => covers)).toEqual([null, null]);
    expect(await at.session.grants()).toEqual([grant]);
    const ofTool = { cacheKey: cacheKeyOf("send", {}), toolVersion: "", program: null, granted: null };
    await at.supervisor.broker.saveGrant({ ...grant, grantId: "2", tool: "send", key: ofTool });
    const tools = at.session.guard([defineTool({ name: "send", run: () => null })]);
    await tools.call("send", {});
    await tools.call("send", {});
    expect(at.asked.requests.slice(2).map(({ tool, covers }) => [tool, covers])).toEqual([
      ["send", null],
      ["send", null],
    ]);
  });

  it("does not answer what an operator asks about (C4)", async () => {
    await using at = await testSession(nothing, {
      handler: new Asked(() => SESSION),
      profile: { approval: { rules: [{ shell: "true", action: "ask" }] } },
    });
    await at.session.call("shell", { argv: ["true"] });
    await at.session.call("shell", { argv: ["true"] });
    expect(at.asked.requests.map(({ covers }) => covers)).toEqual([null, null]);
  });
});
