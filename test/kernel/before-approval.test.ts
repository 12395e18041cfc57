import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CofferdamError, type Outcome } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { rootsIn } from "../support/files/notes.ts";

sandboxMustWork("what is told before a yes");

/** A diary that is written freely, and read after a yes. */
function settings(place: Place) {
  const paths = {
    ws: { root: place.ws, mode: "rw", write_approval: false },
    diary: { root: place.folder("diary"), mode: "rw", read_approval: true, write_approval: false },
  };
  return { sandbox: { paths } };
}

function codeOf(outcome: Outcome): unknown {
  if (outcome.kind === "failed" && "error" in outcome)
    return outcome.error instanceof CofferdamError ? outcome.error.code : outcome.error;
  return "code" in outcome ? outcome.code : outcome.kind;
}

function diary(place: Place): void {
  place.folder("diary");
  place.file("diary/a.txt", "the word is hunter2\n");
}

const edit = (old: string, now = "x") => ({ old_text: old, new_text: now });

describe.skipIf(unusable !== null)("what is read after a yes", () => {
  it("is not told before one by the errors of tools that change it: a guess is asked about, right or wrong", async () => {
    const asked = new Asked(() => ({ approved: false }));
    await using at = await testSession(diary, { handler: asked, settings });
    const guesses = [
      { path: "diary:a.txt", edits: [edit("hunter2"), edit("x", "x")] },
      { path: "diary:a.txt", edits: [edit("hunter3"), edit("x", "x")] },
      { path: "diary:a.txt", edits: [edit("e")] },
      { path: "diary:none.txt", edits: [edit("e")] },
    ];
    for (const guess of guesses)
      expect(codeOf(await at.session.call("edit_file", guess))).toBe("APPROVAL_DENIED");
    for (const path of ["diary:a.txt", "diary:none.txt"])
      expect(codeOf(await at.session.call("delete_file", { path }))).toBe("APPROVAL_DENIED");
    for (const to of ["diary:a.txt", "diary:none.txt"])
      expect(codeOf(await at.session.call("move_file", { from: "ws:none", to }))).toBe("APPROVAL_DENIED");
    expect(asked.requests.length).toBe(8);
  });

  it("is told after one, and whoever is asked sees what can't be done", async () => {
    const shown: unknown[] = [];
    const asked = new Asked(async (_, asking) => {
      shown.push(await asking.present());
      return { approved: true };
    });
    await using at = await testSession(diary, { handler: asked, settings });
    const { session } = at;
    const wrong = await session.call("edit_file", { path: "diary:a.txt", edits: [edit("hunter3")] });
    expect(codeOf(wrong)).toBe("FILE_NO_MATCH");
    expect(shown).toMatchObject([
      { type: "text", content: expect.stringMatching(/^It can't be done: .*hunter3/) },
    ]);
    const right = await session.call("edit_file", { path: "diary:a.txt", edits: [edit("hunter2")] });
    expect(codeOf(right)).toBe("done");
    expect(at.place.read("diary/a.txt")).toBe("the word is x\n");
  });

  it("of a root that is read freely errors are told at once, and nobody is asked about what can't be done", async () => {
    await using at = await testSession((place) => place.file("ws/a.txt", "open\n"), {
      settings: (place) => ({
        sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
      }),
    });
    const wrong = await at.session.call("edit_file", { path: "a.txt", edits: [edit("shut")] });
    expect(codeOf(wrong)).toBe("FILE_NO_MATCH");
    expect(at.asked.requests).toEqual([]);
  });
});

describe.skipIf(unusable !== null)("an input that a person edits", () => {
  it("gives no more than their yes: what the profile does not give is denied, and the yes is used up", async () => {
    const asked = new Asked(({ description }) => ({
      status: "approved",
      scope: "once",
      by: "ann",
      editedInput: { path: description.includes("in.txt") ? "/etc/passwd" : "ws:edited.txt", content: "x" },
    }));
    await using at = await testSession(() => undefined, {
      handler: asked,
      settings: ({ ws }) => ({
        sandbox: { paths: { ws: { root: ws, mode: "rw", write_approval: true } } },
      }),
    });
    const written = [];
    for (const path of ["ws:in.txt", "ws:out.txt"])
      written.push((await at.session.call("write_file", { path, content: "x" })).kind);
    expect(written).toEqual(["denied", "done"]);
    const stored = asked.requests.map(({ approvalId }) => at.supervisor.broker.find(approvalId));
    expect((await Promise.all(stored)).map((one) => one?.status)).toEqual(["failed", "done"]);
  });
});

describe.skipIf(unusable !== null)("the folder that a command starts in", () => {
  it("outside of what is granted is refused alike whether it is there or not, also behind a link", async () => {
    await using at = await testSession(({ ws, outside }) => {
      mkdirSync(`${outside}/there`);
      symlinkSync(outside, `${ws}/out`);
    });
    const { outside } = at.place;
    const refusal = async (cwd: string): Promise<unknown> => {
      const outcome = await at.session.call("shell", { argv: ["true"], cwd });
      return "reason" in outcome ? outcome.reason.replaceAll(/there|missing/g, "NAME") : outcome.kind;
    };
    for (const folder of [outside, "out"]) {
      const there = await refusal(`${folder}/there`);
      expect(there).toMatch(/NAME` is outside every folder in `sandbox.paths`/);
      expect(await refusal(`${folder}/missing`)).toBe(there);
    }
    await expect(at.session.call("shell", { argv: ["true"], cwd: "missing" })).rejects.toThrow(
      "does not exist",
    );
    expect((await at.session.call("shell", { argv: ["true"], cwd: "." })).kind).not.toBe("denied");
  });

  it("and the program that it runs are asked about where they lie in what is read after a yes, and then it runs", async () => {
    await using at = await testSession(
      (place) => {
        rootsIn(place);
        place.file("diary/t", "#!/bin/sh\necho told", 0o755);
      },
      {
        settings: (place) => ({
          sandbox: { paths: rootsIn(place) },
          shell: { default: { approval: false } },
        }),
      },
    );
    const { session, place, asked } = at;
    const diary = `${place.top}/diary`;
    expect(printed(await session.call("shell", { argv: ["pwd"] }))).toBe(place.ws);
    expect(asked.requests).toEqual([]);
    expect(printed(await session.call("shell", { argv: ["pwd"], cwd: "../diary" }))).toBe(diary);
    expect(printed(await session.call("shell", { argv: ["../diary/t"] }))).toBe("told");
    expect(asked.requests.map(({ reason }) => reason)).toEqual([
      `reading ${diary} needs approval`,
      `reading ${diary}/t needs approval`,
    ]);
  });
});
