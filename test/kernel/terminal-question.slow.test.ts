import { describe, expect, it, test } from "vitest";
import type { Grant } from "../../src/policy/grant.ts";
import type { ApprovalRequest } from "../../src/policy/request.ts";
import { type Person, pause, sitDown, terminalProblem } from "../support/screen/person.ts";
import { commandOf, requestOf } from "../support/screen/requests.ts";

const problem = terminalProblem();
if (problem !== null) console.warn(`nothing is asked in a terminal: ${problem}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")(
  "a person can be asked where it must work",
  () => {
    expect(problem).toBeNull();
  },
);

const YES = { status: "approved", scope: "once", by: "ann" };
const SESSION = { ...YES, scope: "session" };
const NO = { status: "rejected", by: "ann" };
const COLOUR = new RegExp(`${"\u{1b}"}\\[[1-9]\\d*m`);
const KEYS = "[y] yes, once";

/** Someone at a terminal on which a question stands, read. */
async function asked(of: Partial<ApprovalRequest> = {}, size = {}): Promise<Person> {
  const person = await sitDown(size);
  person.tell({ kind: "ask", request: requestOf(of), presentation: commandOf("npm install left-pad") });
  await person.reads(KEYS);
  return person;
}

describe.skipIf(problem !== null)("one key answers a question", () => {
  test.each<[claim: string, key: string, answer: unknown, echo: string]>([
    ["y is a yes", "y", YES, "yes, by ann: shell Execute: npm install left-pad"],
    [
      "s is a yes for the session",
      "s",
      SESSION,
      "yes, for this session, by ann: shell Execute: npm install left-pad",
    ],
    ["n is a no", "n", NO, "no, by ann: shell Execute: npm install left-pad"],
    ["Enter is a no", "\r", NO, "no, by ann: shell Execute: npm install left-pad"],
    ["Escape is a no", "\u{1b}", NO, "no, by ann: shell Execute: npm install left-pad"],
    ["Ctrl-D is a no", "\u{4}", NO, "no, by ann: shell Execute: npm install left-pad"],
    ["q is a no", "q", NO, "no, by ann: shell Execute: npm install left-pad"],
  ])(
    "%s, and the answer stays on the screen in place of the question (S1-40)",
    async (_claim, key, answer, echo) => {
      const person = await asked();
      expect(person.rows().slice(0, 4)).toEqual([
        "cofferdam asks: this call needs your approval",
        "tool       │ shell",
        "risk       │ write",
        "agent      │ coder",
      ]);
      person.type(key);
      expect(await person.outcome("a1")).toEqual(answer);
      await person.untilSeen(echo);
      expect(person.rows().filter((row) => row !== "")).toEqual([echo]);
    },
  );

  test("an empty answer is a no (C17, S0-D3)", async () => {
    const person = await asked();
    person.type("\r");
    expect(await person.outcome("a1")).toEqual(NO);
  });

  test("any other key is answered by a hint, and the question stays", async () => {
    const person = await asked();
    for (const key of ["Y", "a", "ä", "\t", "2"]) {
      person.type(key);
      await person.untilSeen("no such key");
      await pause(60);
    }
    // Two that come at once are no key, and then none counts for a while.
    await person.reads("no such key");
    expect(person.rows().filter((row) => row.includes("no such key"))).toHaveLength(1);
    person.type("n");
    expect(await person.outcome("a1")).toEqual(NO);
  });

  test("s is no key where a yes can't be remembered", async () => {
    const person = await asked({ covers: null });
    expect(person.sees("[s]")).toBe(false);
    person.type("s");
    await person.untilSeen("no such key");
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
  });

  test("m shows every answer for more than this call with its whole cover, and a digit gives one", async () => {
    const offer = {
      cover: { of: "commands", patterns: [{ pattern: "npm install", exact: false }] },
      covers: "the command `npm install` with any further arguments",
      passed: { count: 1, calls: ["run npm install x"] },
      asked: { count: 1, calls: ["run npm publish"] },
    } as const;
    const of = {
      offers: [
        { scope: "similar", ...offer },
        { scope: "project", ...offer },
      ],
    } as const;
    const give = async (digit: string): Promise<unknown> => {
      const person = await asked(of, { rows: 60 });
      person.type("m");
      await person.reads("[6] in this project from now on");
      for (const shown of [
        offer.covers,
        "let pass 1 of 2 recorded calls: run npm install x",
        "[7] no, for this session",
      ])
        expect([shown, person.sees(shown)]).toEqual([shown, true]);
      // A key of the question answers nothing here.
      person.type("y");
      await pause(60);
      person.type(digit);
      return person.outcome("a1");
    };
    expect(await give("3")).toEqual({ ...YES, scope: "similar" });
    expect(await give("4")).toEqual({ ...YES, scope: "similar", limits: { minutes: 15 } });
    expect(await give("5")).toEqual({ ...YES, scope: "similar", limits: { uses: 5 } });
    expect(await give("6")).toEqual({ ...YES, scope: "project" });
    expect(await give("7")).toEqual({ ...NO, scope: "session" });
  });

  test("A answers nothing where one call waits alone", async () => {
    const person = await asked();
    expect(person.sees("[A]")).toBe(false);
    person.type("A");
    await person.untilSeen("no such key");
    expect(person.heard("answered")).toEqual([]);
  });
});

describe.skipIf(problem !== null)("no key counts that was not meant for the question", () => {
  test("approve.forge: keys typed before it stood there are thrown away, also those of a line not ended", async () => {
    const person = await sitDown();
    person.type("yyy\ryy");
    await pause(50);
    person.tell(
      { kind: "ask", request: requestOf(), presentation: commandOf("ls") },
      // What is typed now is read after the question was drawn.
      { kind: "block", ms: 200 },
    );
    await pause(100);
    person.type("y");
    await person.untilSeen(KEYS);
    person.type("y");
    await pause(400);
    expect(person.heard("answered")).toEqual([]);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
  });

  test("nor does a key that was pressed in time, but is read late", async () => {
    const person = await sitDown();
    person.tell({ kind: "ask", request: requestOf(), presentation: commandOf("ls") });
    await person.untilSeen(KEYS);
    person.tell({ kind: "block", ms: 700 });
    await pause(50);
    person.type("y");
    await pause(900);
    expect(person.heard("answered")).toEqual([]);
    // As long as keys are read late, this one counts as little.
    const saysNo = async (): Promise<number> => {
      person.type("n");
      await pause(500);
      return person.heard("answered").length;
    };
    await expect.poll(saysNo).toBe(1);
    expect(await person.outcome("a1")).toEqual(NO);
  });

  test("a paste counts for nothing, nor do keys of several characters", async () => {
    const person = await asked();
    for (const text of ["yyyy", "y\n", "\u{1b}[A", "\u{1b}[200~y\u{1b}[201~"]) {
      person.type(text);
      await pause(60);
    }
    // The end of a paste that came in pieces.
    person.type("y");
    await pause(500);
    expect(person.heard("answered")).toEqual([]);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
  });

  test("an Enter too many does not answer the next question", async () => {
    // On a busy machine the Enter may come so late that a person can have read the question.
    for (let tookMs = Number.POSITIVE_INFINITY; tookMs > 150; ) {
      const person = await asked({}, { rows: 24 });
      person.tell({
        kind: "ask",
        request: requestOf({ approvalId: "a2", tool: "other" }),
        presentation: commandOf("ls"),
      });
      await person.reads("1 of 2");
      const began = performance.now();
      person.type("n");
      await person.untilSeen("tool       │ other");
      person.type("\r");
      tookMs = performance.now() - began;
      await pause(400);
      if (tookMs <= 150) expect(person.heard("answered").map((one) => one.id)).toEqual(["a1"]);
    }
  });
});

describe.skipIf(problem !== null)("a person can look before they answer", () => {
  test("a presentation takes the place of the arguments, once it is made (S1-10)", async () => {
    const person = await sitDown();
    const diff = { type: "diff", content: "@@ -1 +1 @@\n-a\n+b", about: "/p/a.txt" } as const;
    person.tell({ kind: "ask", request: requestOf(), presentation: diff });
    await person.reads(KEYS);
    expect(person.rows()).toEqual(
      expect.arrayContaining(["of         │ /p/a.txt", "the change", "│ @@ -1 +1 @@", "│ -a", "│ +b"]),
    );
    expect(person.sent).toMatch(COLOUR);
    expect(person.sent).toContain("\u{1b}[32m+b");
    expect(person.sent).toContain("\u{1b}[31m-a");
  });

  test("without colours where none are wanted", async () => {
    const person = await asked({}, { env: { NO_COLOR: "1" } });
    expect(person.sent).not.toMatch(COLOUR);
  });

  test("while it is being made, and when it can't be, the arguments are shown", async () => {
    const person = await sitDown();
    person.tell({ kind: "ask", request: requestOf(), presentation: "never" });
    await person.reads(KEYS);
    expect(person.sees('"command": "npm install left-pad"')).toBe(true);
    person.type("n");
    await person.outcome("a1");
    person.tell({ kind: "ask", request: requestOf({ approvalId: "a2" }), presentation: "fails" });
    await person.reads("preview failed");
    expect(person.sees('"command": "npm install left-pad"')).toBe(true);
  });

  test("v shows all of a megabyte page by page, on a screen of its own, and no key there answers (S1-10, S1-47)", async () => {
    const content = Array.from({ length: 20_000 }, (_, line) => `line ${line} ${"x".repeat(40)}`).join("\n");
    const person = await sitDown({ rows: 24 });
    person.tell({ kind: "ask", request: requestOf(), presentation: { type: "text", content } });
    await person.untilSeen(KEYS);
    await person.reads(KEYS);
    expect(person.allRows().join("\n")).toMatch(/… \d+ more rows and 19,9\d\d more lines: \[v\] shows all/);
    await person.presses("v", () => person.isOnOtherScreen);
    await person.untilSeen("[space] next page");
    for (const key of ["y", "s", "A", "n", "z", "1"]) {
      person.type(key);
      await pause(30);
    }
    await person.reads("[space] next page");
    expect(person.rows()).toContain("no such key");
    for (let page = 0; page < 5; page += 1) {
      const before = person.rows().join("\n");
      person.type(" ");
      await person.until(() => person.rows().join("\n") !== before, "the next page");
    }
    expect(person.rows()).toContainEqual(expect.stringMatching(/^│ line [5-9]\d x+$/));
    const page = person.rows().join("\n");
    person.type(" ");
    await person.until(() => person.rows().join("\n") !== page);
    person.type("b");
    await person.until(() => person.rows().join("\n") === page, "the same page again");
    expect(person.heard("answered")).toEqual([]);
    person.type("\r");
    await person.until(() => !person.isOnOtherScreen);
    person.type("y");
    await pause(50);
    expect(person.heard("answered")).toEqual([]);
    await person.reads(KEYS);
    expect(await person.answers("y", "a1")).toEqual(YES);
  });

  test("w shows every rule that spoke, and what the call could reach", async () => {
    const person = await asked();
    person.type("w");
    await person.untilSeen("[the end]");
    expect(person.rows()).toEqual(
      expect.arrayContaining([
        "ask, by the config",
        "│ shell:npm*",
        "because    │ npm runs scripts",
        "ask, by `approval.risk_defaults`",
        "can read   │ /usr/share/dict, the runtimes system",
        "limits     │ wall 2m",
        "not given  │ write /etc",
      ]),
    );
    person.type("q");
    await person.reads(KEYS);
    expect(await person.answers("y", "a1")).toEqual(YES);
  });

  test("g lists what the session was granted, and a digit takes it back", async () => {
    const person = await sitDown();
    const grant = (grantId: string, covers: string): Grant => ({
      kind: "call",
      grantId,
      sessionId: "s1",
      tool: "shell",
      key: { cacheKey: "k", toolVersion: "1", program: null, granted: null },
      covers,
      by: "ann",
      grantedAt: 0,
    });
    person.tell(
      { kind: "grants", grants: [grant("g1", "`ls`"), grant("g2", "`npm test`")] },
      { kind: "ask", request: requestOf(), presentation: commandOf("ls") },
    );
    await person.reads(KEYS);
    person.type("g");
    await person.untilSeen("[2] revokes it");
    expect(person.rows().slice(1, 5)).toEqual([
      "[1] revokes it",
      "│ shell: `ls` (by ann)",
      "[2] revokes it",
      "│ shell: `npm test` (by ann)",
    ]);
    person.type("1");
    await person.until(() => !person.sees("`ls`"));
    await person.reads("[1] revokes it");
    person.type("1");
    await person.reads("no grants for this session");
    expect(person.heard("revoked")).toEqual([
      { kind: "revoked", grantId: "g1", by: "ann" },
      { kind: "revoked", grantId: "g2", by: "ann" },
    ]);
    person.type("q");
    await person.reads(KEYS);
    expect(await person.answers("n", "a1")).toEqual(NO);
  });
});

describe.skipIf(problem !== null)("whatever the terminal", () => {
  test("a question is drawn anew for the size that it has now", async () => {
    const person = await asked({ description: "x".repeat(70) });
    person.resize(30, 40);
    await person.until(() => person.rows().includes("┊ xxxxxxxxxxxxxxxx"), "narrow rows");
    await pause(300);
    expect(person.sees("[y] yes, once")).toBe(true);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
  });

  test("a dumb one is sent no control sequence, one thing below the other", async () => {
    const person = await sitDown({ env: { TERM: "dumb" } });
    person.tell({ kind: "ask", request: requestOf(), presentation: commandOf("npm install left-pad") });
    await person.reads(KEYS);
    person.type("w");
    await person.untilSeen("[the end]");
    person.type("q");
    await person.until(() => person.allRows().filter((row) => row.includes(KEYS)).length === 2);
    await pause(330);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
    await person.untilSeen("yes, by ann: shell Execute: npm install left-pad");
    expect(person.sent).not.toContain("\u{1b}");
  });

  test("output of others does not make a question unanswerable, and what can waits until it is answered", async () => {
    const person = await asked();
    person.tell(
      { kind: "print when free", text: "waited\r\n" },
      { kind: "print", text: "\u{1b}[31mbetween" },
    );
    await person.untilSeen("between");
    await pause(100);
    expect(person.sees("waited")).toBe(false);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
    await person.untilSeen("waited");
  });

  test("a question begins in a row of its own, whatever stood at the cursor", async () => {
    const person = await sitDown();
    for (const text of ["x", "tool says: ", "y".repeat(79), "z".repeat(80), ""]) {
      person.tell(
        { kind: "print", text },
        { kind: "ask", request: requestOf({ approvalId: `a${text}` }), presentation: commandOf("ls") },
      );
      await person.reads(KEYS);
      expect(person.rows()).toContain("cofferdam asks: this call needs your approval");
      if (text !== "") expect(person.allRows()).toContain(text.trimEnd());
      person.type("n");
      await person.outcome(`a${text}`);
    }
  });
});
