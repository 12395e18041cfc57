import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import { type TestSession, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { fatesOf, heldIn, isThere, namesIn, run } from "../support/quarantine/planting.ts";

sandboxMustWork("what file tools plant");

/** What is called `sh` in a folder of PATH is executed; no mask keeps file tools from making it, as one does where the table has a name. */
const standingWith = (
  appeared: "ask" | "quarantine" | "report",
  handler: Asked = new Asked(),
): Promise<TestSession> => {
  const action = appeared === "ask" ? "ask" : "allow";
  const rules = ["write_file", "move_file"].map((pattern) => ({ pattern, action }));
  const settings = {
    sandbox: { appeared },
    shell: { default: { approval: false } },
    approval: { rules },
  };
  return testSession((place) => void place.folder("ws/tools"), { settings, handler, inPath: "tools" });
};

const write = (at: TestSession, path: string, content: string) =>
  at.session.call("write_file", { path: `ws:${path}`, content });

/** A call that goes on until it is told to end. */
const WAITS = "while ! [ -e go ]; do sleep 0.05; done";

async function waiting(at: TestSession, line = WAITS): Promise<() => ReturnType<typeof run>> {
  const calling = run(at, `: > waits; ${line}`);
  while (!isThere(at.place, "waits")) await pause(10);
  return () => {
    writeFileSync(join(at.place.ws, "go"), "");
    return calling;
  };
}

describe.skipIf(unusable !== null)("what a file tool makes and hosts execute", () => {
  it("is asked about before it is written, once, and stays after a yes; after a no nothing is written", async () => {
    await using at = await standingWith("ask");
    const outcome = await write(at, "tools/sh", "agreed\n");
    expect(fatesOf(outcome, at)).toEqual({ "tools/sh": "kept" });
    expect(at.asked.requests.map(({ tool, demandsPerson }) => [tool, demandsPerson])).toEqual([
      ["write_file", true],
    ]);
    expect(at.place.read("ws/tools/sh")).toBe("agreed\n");
    await using other = await standingWith("ask", new Asked(() => ({ approved: false })));
    expect((await write(other, "tools/sh", "agreed\n")).kind).toBe("denied");
    expect(isThere(other.place, "tools/sh")).toBe(false);
  });

  it.each([
    ["a file", "tools/sh"],
    ["a folder that is executed whole", "tools/sh/index"],
  ])("stays after a yes though another call ends that began before: %s", async (_, path) => {
    await using at = await standingWith("ask");
    const end = await waiting(at);
    expect(Object.values(fatesOf(await write(at, path, "agreed\n"), at))).toEqual(["kept"]);
    expect(Object.values(fatesOf(await end(), at))).toEqual(["reported"]);
    expect([at.place.read(`ws/${path}`), at.asked.tools, heldIn(at.place)]).toEqual([
      "agreed\n",
      ["write_file"],
      [],
    ]);
  });

  it("is taken by the end of such a call where that made more of it than anybody agreed to", async () => {
    await using at = await standingWith(
      "ask",
      new Asked(({ tool }) => ({ approved: tool === "write_file" })),
    );
    const end = await waiting(at, `${WAITS}; echo evil > tools/sh/other`);
    await write(at, "tools/sh/index", "agreed\n");
    expect(fatesOf(await end(), at)).toEqual({ "tools/sh": "quarantined" });
    expect([isThere(at.place, "tools/sh"), heldIn(at.place)]).toEqual([false, ["tools/sh"]]);
  });

  it("is asked about where it is moved to such a name, and can't stay unseen", async () => {
    await using at = await standingWith(
      "ask",
      new Asked(({ tool }) => ({ approved: tool !== "keep_files" })),
    );
    await write(at, "plain", "x\n");
    const move = (to: string) => at.session.call("move_file", { from: "ws:plain", to: `ws:${to}` });
    // What it would hold is not shown before: so it is taken, and shown then.
    expect(fatesOf(await move("tools/sh"), at)).toEqual({
      "tools/sh": "quarantined",
    });
    expect(at.asked.tools).toEqual(["write_file", "move_file", "keep_files"]);
    expect([isThere(at.place, "tools/sh"), heldIn(at.place)]).toEqual([false, ["tools/sh"]]);
    await write(at, "plain", "x\n");
    expect((await move("other")).kind).toBe("done");
    expect(isThere(at.place, "other")).toBe(true);
  });

  it.each(["quarantine", "report"] as const)(
    "is taken away unasked where it stands in for the product's own code, also where the config says `%s`",
    async (appeared) => {
      await using at = await standingWith(appeared);
      expect(fatesOf(await write(at, "tools/sh", "x\n"), at)).toEqual({
        "tools/sh": "quarantined",
      });
      expect([isThere(at.place, "tools/sh"), at.asked.requests.length]).toEqual([false, 0]);
    },
  );
});

describe.skipIf(unusable !== null)("what is thrown while a call is made", () => {
  /** What is written down of calls that were cut off, once no supervisor runs. */
  const leftOf = async (at: TestSession): Promise<readonly string[]> => {
    await at.supervisor[Symbol.asyncDispose]();
    return readdirSync(join(at.place.state, "cofferdam", "watched"));
  };

  it.each([
    ["denied", "stage", ".claude"],
    ["failed", "nope", "x"],
  ])("does not make it one that was cut off: a file tool that ends as %s", async (kind, from, to) => {
    await using at = await standingWith("quarantine");
    at.place.folder("ws/stage");
    at.place.file("ws/stage/settings.json", "{}");
    const given = { from: `ws:${from}`, to: `ws:${to}` };
    expect((await at.session.call("move_file", given)).kind).toBe(kind);
    expect(await leftOf(at)).toEqual([]);
    expect(heldIn(at.place)).toEqual([]);
  });

  it("does not keep what the call made in its place", async () => {
    await using at = await standingWith("quarantine");
    const sinks = {
      stdout: () => {
        throw new RangeError("a sink that fails");
      },
      stderr: () => undefined,
    };
    const line = "mkdir a; echo x | tee a/.envrc a/plain";
    await expect(at.session.call("shell", { argv: ["sh", "-c", line] }, { sinks })).rejects.toThrow("a sink");
    expect(heldIn(at.place)).toEqual(["a/.envrc"]);
    expect(namesIn(at.place, "a")).toEqual(["plain"]);
    expect(await leftOf(at)).toEqual([]);
  });
});
