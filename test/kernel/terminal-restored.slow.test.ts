import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Person, sitDown, soonTrue, terminalProblem } from "../support/screen/person.ts";
import { commandOf, requestOf } from "../support/screen/requests.ts";

const NO = { status: "rejected", by: "ann" };
const TO_OTHER_SCREEN = "\u{1b}[?1049h";
const KEYS = "[y] yes, once";

/** Someone who reads a question, or a page over it. */
async function reading(page: "question" | "page"): Promise<Person> {
  const person = await sitDown();
  person.tell({ kind: "ask", request: requestOf(), presentation: commandOf("ls") });
  await person.reads(KEYS);
  if (page === "page") {
    await person.presses("v", () => person.isOnOtherScreen);
  }
  return person;
}

describe.skipIf(terminalProblem() !== null).each(["question", "page"] as const)(
  "while a %s is up",
  (page) => {
    test("Ctrl-C is a no to all that waits, and interrupts the program as it would have without us", async () => {
      const person = await reading(page);
      person.tell({ kind: "ask", request: requestOf({ approvalId: "a2" }), presentation: commandOf("ls") });
      person.type("\u{3}");
      const { how, isCooked } = await person.ending();
      expect([how, isCooked, person.isOnOtherScreen]).toEqual(["exit 0, signal 2", true, false]);
      expect(person.sees("no, by ann")).toBe(true);
    });

    test.each([
      ["SIGTERM", "exit 0, signal 15"],
      ["SIGHUP", "exit 0, signal 1"],
      ["SIGINT", "exit 0, signal 2"],
    ] as const)("%s ends the program, and the terminal is as before", async (signal, how) => {
      const person = await reading(page);
      process.kill(person.pid ?? 0, signal);
      expect(await person.ending()).toEqual({ how, isCooked: true });
      expect(person.isOnOtherScreen).toBe(false);
    });

    test.each([
      ["an exit", "exit", "exit 7, signal 0"],
      ["an exception that nobody catches", "throw", "exit 1, signal 0"],
    ] as const)("%s ends the program, and the terminal is as before", async (_claim, kind, how) => {
      const person = await reading(page);
      person.tell({ kind });
      expect(await person.ending()).toEqual({ how, isCooked: true });
      expect([
        person.isOnOtherScreen,
        kind === "exit" || person.allRows().join().includes("nobody catches"),
      ]).toEqual([false, true]);
    });
  },
);

describe.skipIf(terminalProblem() !== null)("the terminal", () => {
  test("is ours again when a signal did not end the program", async () => {
    const person = await reading("question");
    person.tell({ kind: "ignore hang-ups" }, { kind: "listeners" });
    await person.until(() => person.heard("listeners").length === 1);
    process.kill(person.pid ?? 0, "SIGHUP");
    await person.until(
      () => person.allRows().filter((row) => row.includes(KEYS)).length === 2,
      "the question again",
    );
    await person.reads(KEYS);
    expect(await person.answers("n", "a1")).toEqual(NO);
    person.tell({ kind: "end" });
    expect(await person.ending()).toEqual({ how: "exit 0, signal 0", isCooked: true });
  });

  test("is ours again when the program was stopped and goes on", async () => {
    const person = await reading("page");
    process.kill(person.pid ?? 0, "SIGSTOP");
    process.kill(person.pid ?? 0, "SIGCONT");
    await person.until(() => person.sent.split(TO_OTHER_SCREEN).length === 3, "the page again");
    await person.reads("[the end]");
    person.type("q");
    await person.reads(KEYS);
    expect(await person.answers("n", "a1")).toEqual(NO);
  });

  test("that is lost answers nothing: the question is rejected", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cofferdam-lost-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const log = join(folder, "log");
    const person = await sitDown({ env: { LOG: log } });
    person.tell({ kind: "ignore hang-ups" });
    person.tell({ kind: "ask", request: requestOf(), presentation: commandOf("ls") });
    await person.reads(KEYS);
    person.hangUp();
    const logged = (): string => {
      try {
        return readFileSync(log, "utf8");
      } catch {
        return "";
      }
    };
    expect(await soonTrue(() => logged() !== "")).toBe(true);
    expect(JSON.parse(logged())).toEqual({
      kind: "rejected",
      id: "a1",
      error: "CHANNEL_CLOSED: the terminal was lost",
    });
  });

  test("that there is not answers nothing either", () => {
    const program = `
      import { terminalHandler } from "./src/channel/terminal.ts";
      await terminalHandler().requestApproval({}, { signal: new AbortController().signal })
        .catch((error) => console.log(error.code, error.message));`;
    // In a session of its own, a process has no controlling terminal.
    const { stdout } = spawnSync(
      "/usr/bin/setsid",
      ["--wait", process.execPath, "--input-type=module", "-e", program],
      {
        cwd: join(import.meta.dirname, "../.."),
        input: "y\n",
        encoding: "utf8",
      },
    );
    expect(stdout).toBe("CHANNEL_CLOSED there is no terminal to ask on\n");
  });

  test("keeps no listener and no descriptor of ours, however often somebody was asked", {
    timeout: 90_000,
  }, async () => {
    const person = await sitDown();
    const listeners = async (): Promise<unknown> => {
      const before = person.heard("listeners").length;
      person.tell({ kind: "listeners" });
      await person.until(() => person.heard("listeners").length > before);
      return person.heard("listeners").at(-1)?.listeners;
    };
    const before = await listeners();
    const descriptors = (): number => readdirSync(`/proc/${person.pid}/fd`).length;
    const open = descriptors();
    const requests = Array.from({ length: 25 }, (_, at) =>
      requestOf({ approvalId: `a${at}`, tool: `tool${at}` }),
    );
    person.tell({ kind: "ask in turn", requests });
    for (const { approvalId, tool } of requests) {
      await person.reads(`│ ${tool}`);
      expect(await person.answers("n", approvalId)).toEqual(NO);
    }
    expect(await listeners()).toEqual(before);
    expect(descriptors()).toBe(open);
    expect(person.allRows().join()).not.toContain("MaxListeners");
    person.tell({ kind: "end" });
    expect(await person.ending()).toEqual({ how: "exit 0, signal 0", isCooked: true });
  });
});
