import { createServer } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { presentCommand, presentDiff, presentText } from "../../../src/approval/present.ts";
import type { Presentation } from "../../../src/policy/presentation.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { NO_BROWSER, openBrowser } from "../../support/http/browser.ts";
import { type InboxPage, openInbox, until } from "../../support/http/inbox-page.ts";
import { ANN, BOB, put, type TestApp, testApp } from "../../support/http/test-app.ts";

const MUST_WORK = process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1";
if (NO_BROWSER !== null) console.warn(`the inbox was not tried in a browser: ${NO_BROWSER}`);

test.runIf(MUST_WORK)("a browser is there where it must be", () => {
  expect(NO_BROWSER).toBeNull();
});

/** Puts a question whose answer nobody waits for. */
async function ask(at: TestApp, given: Partial<ApprovalRequest>, presentation?: Presentation): Promise<void> {
  const { now } = at.desk.clock;
  const present = presentation === undefined ? {} : { present: async () => presentation };
  await put(at.desk.broker, { createdAt: now, ...given }, { isBlocking: false, ...present });
}

const three = async (at: TestApp): Promise<void> => {
  for (const tool of ["one", "two", "three"]) await ask(at, { approvalId: tool, tool });
};

/** The time that is left, between 30 and 65 seconds. */
const LEFT = /\b(1:0[0-5]|0:[345]\d) left\b/;

describe.skipIf(NO_BROWSER !== null)("the inbox", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test("lists what waits as it comes and goes, without being loaded again, and says who answered elsewhere", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    expect(await page.locator("#waiting-nothing").isVisible()).toBe(true);
    await three(at);
    await until(async () => (await inbox.tools("waiting")).join() === "one,two,three");
    expect(await page.title()).toBe("(3) Approvals");
    await at.desk.broker.respond("two", { approved: false, note: "not now" }, "bob");
    await until(async () => (await inbox.tools("waiting")).join() === "one,three");
    expect(await page.locator("#decided").innerText()).toMatch(/Rejected\s+two\s+just now\s+by bob: not now/);
    expect(await page.locator("#news").innerText()).toBe("Rejected two by bob");
    await at.desk.broker.respond("one", { approved: true }, "bob");
    await page.locator(".banner", { hasText: "Approved by bob" }).waitFor();
    expect(await page.locator("#actions").isVisible()).toBe(false);
    expect(inbox.asked.filter((url) => url.endsWith("/inbox.js"))).toHaveLength(1);
  });

  test("shows what would run, why, within what, who asked, and how much time is left by the server's clock", async () => {
    await using at = await testApp();
    const granted = {
      digest: "d",
      write: ["/home/ann/notes"],
      read: ["/home/ann/docs"],
      runtimes: ["node"],
      network: "none",
      limits: ["wall 2m"],
      shortfall: ["write /home/ann/.npm is not granted"],
    };
    await ask(
      at,
      {
        tool: "shell",
        agent: "builder",
        project: "/home/ann/shop",
        granted,
        expiresAt: at.desk.clock.now + 65_000,
        why: [{ layer: "project", rule: "npm ci", action: "ask", reason: "it runs scripts" }],
        redactions: { hidden: [{ at: "env.TOKEN", because: "name" }], cut: [], isMore: false },
      },
      presentCommand({ words: ["npm", "ci"], cwd: "/home/ann/notes" }),
    );
    await using inbox = await openInbox(browser, at);
    await inbox.drawn();
    await inbox.page.locator('[data-part="why"] summary').click();
    await inbox.page.locator('[data-part="who"] summary').click();
    const text = await inbox.page.locator("#detail").innerText();
    for (const part of [
      "shell",
      "writes",
      "asked by the agent builder",
      "in the project /home/ann/shop",
      "Requested but not granted: write /home/ann/.npm is not granted",
      "Hidden, as secrets: env.TOKEN (by its name)",
      "The command",
      "in /home/ann/notes",
      "npm ci",
      "no rule covers `deploy`, and its risk is write",
      "/home/ann/docs",
      "the runtimes node",
      "wall 2m",
      "the project layer: npm ci, because it runs scripts",
      "session-1",
      "run-1",
    ])
      expect(text).toContain(part);
    // Of 65 seconds; a busy machine looks late.
    expect(text).toMatch(LEFT);
    // Requests of several projects stand in one list.
    expect(await inbox.page.locator("#waiting").innerText()).toContain("in /home/ann/shop");
    const left = () => inbox.page.locator(".time-left").innerText();
    const first = await left();
    await until(async () => (await left()) !== first);
    expect(first).toMatch(LEFT);
    expect(await left()).toMatch(LEFT);
  });

  test("of several pages each shows what was answered in the others (S4-15)", async () => {
    await using at = await testApp();
    await three(at);
    await using first = await openInbox(browser, at);
    await using second = await openInbox(browser, at, { name: "bob" });
    await second.read();
    await second.page.locator("#approve").click();
    await until(async () => (await first.tools("waiting")).join() === "two,three");
    expect(await second.tools("waiting")).toEqual(["two", "three"]);
    for (const { page } of [first, second])
      expect(await page.locator("#decided").innerText()).toMatch(/Approved\s+one\s+just now\s+by bob/);
    // The first page still looks at what bob has answered, and goes on when it is told to.
    expect(await first.page.locator("#detail h2").innerText()).toBe("one");
    await first.page.keyboard.press("j");
    expect(await first.page.locator("#detail h2").innerText()).toBe("two");
  });

  test("keys answer what is looked at: yes, no with a note, and yes for the session with what that covers", async () => {
    await using at = await testApp();
    await three(at);
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await inbox.read();
    await page.keyboard.press("j");
    await inbox.read();
    await page.keyboard.press("a");
    await until(async () => (await at.desk.broker.find("two"))?.status === "approved");
    await inbox.read();
    expect(await page.locator("#detail h2").innerText()).toBe("three");
    await page.keyboard.press("r");
    await page.keyboard.type("not on a Friday, and ask j.a.r.s");
    await page.keyboard.press("Enter");
    await until(async () => (await at.desk.broker.find("three"))?.status === "rejected");
    await inbox.read();
    expect(await page.locator(".covers").innerText()).toContain('deploy with {"env":"staging"}');
    await page.keyboard.press("s");
    await until(async () => (await at.desk.broker.find("one"))?.status === "approved");
    expect(
      await Promise.all(["two", "three", "one"].map(async (id) => (await at.desk.broker.find(id))?.decision)),
    ).toEqual([
      { status: "approved", scope: "once", by: "ann" },
      { status: "rejected", by: "ann", note: "not on a Friday, and ask j.a.r.s" },
      { status: "approved", scope: "session", by: "ann" },
    ]);
    await page.locator("#empty").waitFor();
  });

  test("a yes for the session is not offered where it could not be remembered, nor by its key", async () => {
    await using at = await testApp();
    await ask(at, { approvalId: "one", tool: "one", covers: null });
    await ask(at, { approvalId: "two", tool: "two", demandsPerson: true });
    await using inbox = await openInbox(browser, at);
    for (const tool of ["one", "two"]) {
      await inbox.choose(tool);
      await inbox.read();
      expect(await inbox.page.locator("#session").isVisible()).toBe(false);
      await inbox.page.keyboard.press("s");
    }
    await inbox.page.waitForTimeout(50);
    expect(await at.desk.broker.pending()).toHaveLength(2);
  });

  test("a key or a click that comes before the request can have been read counts for nothing, and neither does one that is held down", async () => {
    await using at = await testApp();
    await three(at);
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await inbox.read();
    await page.keyboard.press("a");
    await page.locator("#detail h2", { hasText: "two" }).waitFor();
    await page.locator("#approve:enabled").waitFor();
    // The second press of a finger that pressed twice, and a click where the button was.
    await page.keyboard.press("a");
    await page.locator("#approve").click();
    expect(await at.desk.broker.pending()).toHaveLength(2);
    await inbox.read();
    await page.keyboard.down("a");
    await page.locator("#detail h2", { hasText: "three" }).waitFor();
    await inbox.read();
    // Playwright sends a repeat for a key that is down.
    await page.keyboard.down("a");
    await page.keyboard.down("a");
    await page.keyboard.up("a");
    await page.waitForTimeout(50);
    expect((await at.desk.broker.pending()).map(({ approvalId }) => approvalId)).toEqual(["three"]);
  });

  test("whoever clicks twice, or on and on while the page comes up, answers nothing but what was looked at", async () => {
    await using at = await testApp();
    await three(at);
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    const waiting = async (): Promise<number> => (await at.desk.broker.pending()).length;
    await inbox.read();
    const { x, y } = middleOf(await page.locator("#approve").boundingBox());
    await page.mouse.click(x, y);
    await page.locator("#detail h2", { hasText: "two" }).waitFor();
    await page.waitForTimeout(450);
    // A double click whose halves are far apart.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.waitForTimeout(700);
    await page.mouse.click(x, y);
    expect(await waiting()).toBe(2);
    await page.reload();
    for (const aim of [y, 300, 300, 300, y]) {
      await page.mouse.click(x, aim);
      await page.waitForTimeout(400);
    }
    expect(await page.locator("#approve").isEnabled()).toBe(true);
    expect(await waiting()).toBe(2);
    await inbox.read();
    await page.mouse.click(x, y);
    await until(async () => (await waiting()) === 1);
  });

  test("what can be answered besides moves no button, and is looked at before anything counts", async () => {
    await using at = await testApp();
    await ask(at, { approvalId: "one", tool: "one" });
    await using inbox = await openInbox(browser, at, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    const { page } = inbox;
    await inbox.choose("one");
    await inbox.read();
    const places = (): Promise<unknown> =>
      Promise.all(["note", "approve", "reject"].map((id) => page.locator(`#${id}`).boundingBox()));
    const before = await places();
    // Pressed as soon as the page has drawn it.
    await page.evaluate(() => {
      const several = document.getElementById("several");
      const approve = document.getElementById("approve");
      if (several === null) throw new Error("there is no such row");
      new MutationObserver(() => {
        if (several.childElementCount > 0) setTimeout(() => approve?.click());
      }).observe(several, { childList: true });
    });
    await ask(at, { approvalId: "two", tool: "two" });
    await page.getByRole("button", { name: "Reject all 2 of this run" }).waitFor();
    expect(await places()).toEqual(before);
    await page.waitForTimeout(50);
    expect(await at.desk.broker.pending()).toHaveLength(2);
    await inbox.read();
    await page.locator("#approve").tap();
    await until(async () => (await at.desk.broker.find("one"))?.status === "approved");
  });

  test.each<readonly [string, string, Partial<ApprovalRequest>, string]>([
    ["path", ".about bdi", {}, `/${"p".repeat(9_000)}/end`],
    ["description", ".description bdi", { description: `${"All is well.\n".repeat(60)}end` }, "/p"],
    ["agent's name", ".agent bdi", { agent: `${"a ".repeat(900)}end` }, "/p"],
  ])("a long %s is answered yes once its end was on the screen", async (_, selector, given, cwd) => {
    await using at = await testApp();
    await ask(at, { covers: null, ...given }, presentCommand({ words: ["rm", "x"], cwd }));
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    const isEndShown = (): Promise<boolean> =>
      page.locator(`#detail ${selector}`).evaluate((words) => {
        const range = document.createRange();
        range.selectNodeContents(words);
        const last = [...range.getClientRects()].at(-1);
        const found = last && document.elementFromPoint(last.right - 2, last.bottom - 4);
        return found !== null && words.contains(found ?? null);
      });
    await page.locator('#all-first[data-seen="part"]').waitFor();
    await page.waitForTimeout(100);
    expect([await isEndShown(), await page.locator("#approve").isEnabled()]).toEqual([false, false]);
    let wasShown = false;
    await until(async () => {
      await page.keyboard.press("v");
      await page.waitForTimeout(50);
      wasShown ||= await isEndShown();
      return page.locator("#approve").isEnabled();
    });
    expect(wasShown).toBe(true);
  });

  test("what came over too fast to be seen is gone back to", async () => {
    await using at = await testApp();
    const covers = "deploy, ".repeat(2_000);
    await ask(at, { covers }, presentText("line\n".repeat(50)));
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await page.locator('#all-first[data-seen="part"]').waitFor();
    await page.locator("#scroll").evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight));
    await page.waitForTimeout(50);
    expect(await page.locator("#approve").isEnabled()).toBe(false);
    await page.keyboard.press("v");
    await page.locator("#approve:enabled").waitFor();
  });

  test("what something else lies over was not seen, and is not answered", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await page.keyboard.press("?");
    await ask(at, { approvalId: "one", tool: "one" });
    await page.locator("#reject:enabled").waitFor();
    await page.waitForTimeout(1_100);
    expect(await page.locator("#approve").isEnabled()).toBe(false);
    await page.keyboard.press("?");
    await page.keyboard.press("a");
    await page.locator("#approve:enabled").waitFor();
    await page.keyboard.press("a");
    await inbox.read();
    // It was seen by now: all the same nobody answers it right after they looked at something else.
    await page.keyboard.press("?");
    await page.waitForTimeout(350);
    await page.keyboard.press("?");
    await page.keyboard.press("a");
    await page.waitForTimeout(50);
    expect(await at.desk.broker.pending()).toHaveLength(1);
    await inbox.read();
    await page.keyboard.press("a");
    await until(async () => (await at.desk.broker.find("one"))?.status === "approved");
  });

  test.each([
    ["a desk", { width: 1280, height: 800 }],
    ["a phone", { width: 360, height: 740 }],
    ["a small phone", { width: 320, height: 568 }],
  ])("what is told of the last answer covers nothing on %s, and moves nothing", async (_, viewport) => {
    await using at = await testApp();
    await three(at);
    await ask(at, { approvalId: "long", tool: "tool".repeat(200) });
    await using inbox = await openInbox(browser, at, { viewport });
    const { page } = inbox;
    await inbox.choose("one");
    const top = async (): Promise<unknown> => (await page.locator("#request").boundingBox())?.y;
    const before = await top();
    await at.desk.broker.respond("long", { approved: false }, "bob");
    await page.locator("#news:not(:empty)").waitFor();
    expect(await top()).toBe(before);
    const { y = 0, height = 0, width = 0 } = (await page.locator("#news").boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(Number(before));
    expect(width).toBeGreaterThan(80);
    expect(await sideways(page)).toEqual([]);
  });

  test("a request, and an answer, whose words hold what some take for ends of lines are heard of", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at);
    await ask(at, { approvalId: "one", tool: "one", description: "echo hidden\u2028rest\u2029" });
    await until(async () => (await inbox.tools("waiting")).join() === "one");
    await at.desk.broker.respond("one", { approved: false, note: "no\u2028way" }, "bob");
    await until(async () => (await inbox.tools("decided")).join() === "one");
  });

  test("what is longer than the screen can be answered no, and yes once its end was seen", async () => {
    await using at = await testApp();
    const after = Array.from({ length: 400 }, (_, index) => `line ${index}`).join("\n");
    await ask(at, {}, presentDiff({ path: "/p/a.txt", before: "", after }));
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    const lines = page.locator("#detail > .block .line");
    await page.locator('#actions[data-armed="true"] #all-first').waitFor();
    expect([await page.locator("#approve").isEnabled(), await page.locator("#reject").isEnabled()]).toEqual([
      false,
      true,
    ]);
    await page.keyboard.press("a");
    expect(await lines.count()).toBe(60);
    await page.keyboard.press("v");
    expect(await lines.count()).toBe(402);
    await page.waitForTimeout(50);
    expect(await page.locator("#approve").isEnabled()).toBe(false);
    await until(async () => {
      await page.keyboard.press("v");
      return page.locator("#approve").isEnabled();
    });
    expect(await lines.last().isVisible()).toBe(true);
    await inbox.read();
    await page.keyboard.press("a");
    await until(async () => (await at.desk.broker.find("approval-1"))?.status === "approved");
  });

  test("answers for more than this call show what each covers, and are given by one click", {
    timeout: 120_000,
  }, async () => {
    await using at = await testApp();
    const offer = {
      cover: { of: "tool", tool: "deploy", version: "1", args: {}, others: "free" },
      covers: "`deploy` with any arguments",
      passed: { count: 1, calls: ["use deploy"] },
      asked: { count: 0, calls: [] },
    } as const;
    await ask(at, {
      approvalId: "one",
      offers: [
        { scope: "similar", ...offer },
        { scope: "project", ...offer },
      ],
    });
    await ask(at, { approvalId: "two", offers: [{ scope: "project", ...offer }] });
    await ask(at, { approvalId: "three" });
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    const clicks: number[] = [];
    const choose = async (id: string, label: string): Promise<unknown> => {
      const isDecided = async () => (await at.desk.broker.find(id))?.status !== "pending";
      for (let click = 1; !(await isDecided()); click += 1) {
        await inbox.read();
        const more = page.locator("#more");
        if ((await more.getAttribute("open")) === null) await page.locator("#more summary").click();
        await inbox.read();
        await page.locator("#choices button:enabled", { hasText: label }).click();
        // On a busy machine a click may come before clicks count.
        await expect
          .poll(isDecided, { timeout: 3_000 })
          .toBe(true)
          .then(() => clicks.push(click))
          .catch(() => undefined);
      }
      return (await at.desk.broker.find(id))?.decision;
    };
    await inbox.read();
    expect(await page.locator(".covers").innerText()).toContain(
      "would have let pass 1 of 1 recorded calls: use deploy",
    );
    const yes = { status: "approved", by: "ann" };
    expect(await choose("one", "similar calls, for 15 minutes")).toEqual({
      ...yes,
      scope: "similar",
      limits: { minutes: 15 },
    });
    expect(await choose("two", "in this project from now on")).toEqual({ ...yes, scope: "project" });
    expect(await choose("three", "no, for this session")).toEqual({
      status: "rejected",
      scope: "session",
      by: "ann",
    });
    expect(clicks).toContain(1);
    expect((await at.desk.broker.grants("session-1")).map(({ kind }) => kind)).toEqual(["rejection"]);
  });

  test("the answers for more than this call leave what they are about in view on a phone", async () => {
    await using at = await testApp();
    const offer = {
      scope: "similar",
      cover: { of: "commands", patterns: [{ pattern: "npm test", exact: false }] },
      covers: "`npm test` with any further arguments",
      passed: { count: 0, calls: [] },
      asked: { count: 0, calls: [] },
    } as const;
    await ask(at, { offers: [offer] }, presentCommand({ words: ["npm", "test"], cwd: "/home/ann/notes" }));
    await using inbox = await openInbox(browser, at, { viewport: { width: 360, height: 740 } });
    const { page } = inbox;
    await page.locator("#waiting .card").click();
    await inbox.read();
    await page.locator("#more summary").click();
    await page.locator("#choices button").first().waitFor();
    const { y = 0, height = 0 } = (await page.locator("#detail .block").first().boundingBox()) ?? {};
    const bar = await page.locator("#actions").boundingBox();
    expect([height > 0, y + height <= (bar?.y ?? 0)]).toEqual([true, true]);
    // The last of them is reached by scrolling.
    await page.locator("#choices button", { hasText: "no, for this session" }).scrollIntoViewIfNeeded();
    const last = await page.locator("#choices button").last().boundingBox();
    expect((last?.y ?? 1_000) + (last?.height ?? 0)).toBeLessThanOrEqual(740);
  });

  test("a yes for the session is offered once what it covers was on the screen", async () => {
    await using at = await testApp();
    const covers = `deploy with ${"anything, ".repeat(400)}`;
    await ask(at, { covers });
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await inbox.read();
    expect(await page.locator("#session").isEnabled()).toBe(false);
    expect(await page.locator("#unseen").innerText()).toBe("The scope for the session is further down.");
    await page.keyboard.press("s");
    await until(async () => {
      await page.keyboard.press("v");
      return page.locator("#session").isEnabled();
    });
    expect(await page.locator("#all-first").isVisible()).toBe(false);
    await inbox.read();
    await page.keyboard.press("s");
    await until(async () => (await at.desk.broker.find("approval-1"))?.status === "approved");
    expect((await at.desk.broker.find("approval-1"))?.decision).toMatchObject({ scope: "session" });
  });

  describe("of one request", () => {
    let at: TestApp;
    let inbox: InboxPage;
    beforeAll(async () => {
      at = await testApp();
      inbox = await openInbox(browser, at);
    });
    afterAll(async () => {
      await inbox[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    });

    test("added and removed lines are told apart by a sign, and not by colour alone", async () => {
      await ask(
        at,
        { approvalId: "diff", tool: "diff" },
        presentDiff({ path: "/p/a.txt", before: "a\nb\n", after: "a\nc\n" }),
      );
      await inbox.choose("diff");
      await inbox.drawn();
      expect(await inbox.page.locator("#detail > .block .line").allInnerTexts()).toEqual([
        "@@ -1,2 +1,2 @@",
        "a",
        "−\nb",
        "+\nc",
      ]);
      expect(await inbox.page.getByRole("img", { name: "removed" }).count()).toBe(1);
    });

    test("letters that are written from right to left stand in a command in the order in which they are kept", async () => {
      await ask(at, { approvalId: "letters", tool: "letters" }, presentText("rm א ב -rf /"));
      await inbox.choose("letters");
      await inbox.drawn();
      // Where each letter is drawn, from left to right.
      const drawn = await inbox.page.locator("#detail > .block .line-text").evaluate((line) => {
        const text = line.firstChild;
        if (text === null) return "";
        return [...(text.textContent ?? "")]
          .map((letter, index) => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + 1);
            return { letter, x: range.getBoundingClientRect().x };
          })
          .toSorted((a, b) => a.x - b.x)
          .map(({ letter }) => letter)
          .join("");
      });
      expect(drawn).toBe("rm א ב -rf /");
    });

    test("no description is so long that what would run is out of sight", async () => {
      const long = "All is well.\n".repeat(300);
      await ask(
        at,
        { approvalId: "long", description: long, agent: long, tool: `long${"t".repeat(2_000)}` },
        presentCommand({ words: ["rm", "-rf", "x"], cwd: "/p" }),
      );
      await inbox.choose("long");
      await inbox.page.locator('#all-first[data-seen="part"]').waitFor();
      const box = await inbox.page.locator("#detail > .block .line").first().boundingBox();
      expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(700);
    });
  });

  test("all that wait of a turn, or of a run, are answered no in one act", async () => {
    await using at = await testApp();
    for (const [tool, groupId] of [
      ["one", "turn"],
      ["two", "turn"],
      ["three", null],
    ] as const)
      await ask(at, { approvalId: tool, tool, groupId });
    await using inbox = await openInbox(browser, at);
    await inbox.read();
    await inbox.page.locator("#note").fill("enough");
    await inbox.page.getByRole("button", { name: "Reject all 2 of this turn" }).click();
    await until(async () => (await inbox.tools("waiting")).join() === "three");
    expect((await at.desk.broker.find("two"))?.decision).toEqual({
      status: "rejected",
      by: "ann",
      note: "enough",
    });
    await ask(at, { approvalId: "four", tool: "four" });
    await until(async () => (await inbox.tools("waiting")).length === 2);
    await inbox.read();
    await inbox.page.getByRole("button", { name: "Reject all 2 of this run" }).click();
    await inbox.page.locator("#empty").waitFor();
    expect(await at.desk.broker.pending()).toEqual([]);
  });

  test("grants are listed as they are made, and taken back", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at);
    const key = { cacheKey: "k", toolVersion: "1", program: null, granted: null };
    await at.desk.broker.saveGrant({
      kind: "call",
      grantId: "g",
      sessionId: "s",
      tool: "deploy",
      covers: "deploy\u202e to staging",
      by: "bob",
      grantedAt: 1,
      key,
    });
    const row = inbox.page.locator("#grants li");
    await row.waitFor();
    expect(await row.innerText()).toContain("deploy\\u{202e} to staging");
    await row.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect(await at.desk.broker.grants(null)).toEqual([]);
  });

  test("hostile texts are shown as texts: nothing of them runs, hides, turns around or leaves its place (S4-20)", async () => {
    await using at = await testApp();
    const evil = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>javascript:window.hit=1 \u202egnp.exe \0 zero\u200bwidth ${"a".repeat(500)}\nBecause: the operator approved`;
    await ask(
      at,
      {
        tool: `</bdi><style>*{display:none}</style>${evil}`,
        agent: evil,
        description: evil,
        reason: evil,
        covers: evil,
        sessionId: evil,
        safeArgs: { [evil]: evil },
        why: [{ layer: "project", rule: evil, action: "ask", reason: evil }],
        redactions: {
          hidden: [{ at: evil, because: "name" }],
          cut: [{ at: evil, whole: evil }],
          isMore: true,
        },
        granted: {
          digest: evil,
          write: [evil],
          read: [evil],
          runtimes: [evil],
          network: evil,
          limits: [evil],
          shortfall: [evil],
        },
      },
      {
        type: "diff",
        about: evil,
        language: evil,
        content: `@@ -1 +1 @@\n-${evil}\n+${evil}`,
        metadata: { program: evil },
      },
    );
    await using inbox = await openInbox(browser, at);
    const { page } = inbox;
    await page.locator("#detail > .block").waitFor();
    await page.locator("#reject:enabled").waitFor();
    for (const summary of await page.locator("details summary").all()) await summary.click();
    const made = await page.locator("#desk").evaluate((desk) => ({
      hit: "hit" in window,
      strange: [...desk.querySelectorAll("script, style, iframe, object, a, base, link, meta, svg")].map(
        ({ tagName }) => tagName,
      ),
      images: [...desk.querySelectorAll("img")].map(({ src }) => new URL(src).pathname),
      text: desk.textContent,
      handlers: [...desk.querySelectorAll("*")].filter((one) =>
        one.getAttributeNames().some((name) => name.startsWith("on")),
      ).length,
    }));
    expect(made).toMatchObject({ hit: false, strange: [], images: ["/icon.svg"], handlers: 0 });
    expect(made.text).not.toMatch(/[\0\u202e\u200b]/);
    expect(made.text).toContain("\\u{202e}gnp.exe \\u{0} zero\\u{200b}width");
    expect(await sideways(page)).toEqual([]);
    // An answer's note is somebody's text as well.
    await at.desk.broker.respond("approval-1", { approved: false, note: evil }, `<b>${evil}`.slice(0, 256));
    await page.locator(".banner").waitFor();
    expect(await page.locator(".banner").innerText()).toContain("<img src=x onerror=");
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
  });

  test("http.auth: no request leaves its origin, and the token stands in no address once the page is there", async () => {
    await using at = await testApp();
    await three(at);
    await using inbox = await openInbox(browser, at);
    await inbox.read();
    await inbox.page.keyboard.press("a");
    await until(async () => (await at.desk.broker.find("one"))?.status === "approved");
    expect(inbox.page.url()).toBe(`${at.server.url}/`);
    // What the browser asks for ends before the `#`.
    const sent = inbox.asked.map((url) => url.replace(/#.*$/, ""));
    expect(sent.filter((url) => !url.startsWith(`${at.server.url}/`) || url.includes("token"))).toEqual([]);
    expect(sent.length).toBeGreaterThan(5);
    await inbox.page.goBack().catch(() => null);
    expect(inbox.page.url()).not.toContain("token");
    expect(at.refused()).toEqual([]);
    expect(await inbox.page.context().cookies()).toEqual([]);
  });

  test("http.auth: a page of another origin, in the same browser, changes nothing, reads nothing and can't frame the inbox", async () => {
    await using at = await testApp();
    await three(at);
    const evil = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<p>evil"),
    );
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const address = evil.address();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    const tries = await page.evaluate(
      async ([url, token]) => {
        const body = '{"approved":true}';
        const tried = async (path: string, init: RequestInit): Promise<string> => {
          try {
            const response = await fetch(`${url}${path}`, init);
            return `${response.type} ${response.status}`;
          } catch {
            return "refused";
          }
        };
        const framed = new Promise<string>((resolve) => {
          const frame = document.createElement("iframe");
          frame.src = `${url}/`;
          frame.onload = () => resolve(frame.contentDocument === null ? "hidden" : "empty");
          document.body.append(frame);
        });
        const run = new Promise<string>((resolve) => {
          const script = document.createElement("script");
          script.src = `${url}/inbox.js`;
          script.onload = () => resolve("run");
          script.onerror = () => resolve("refused");
          document.body.append(script);
        });
        return [
          await tried("/health", {}),
          await tried("/approvals", { headers: { authorization: `Bearer ${token}` } }),
          await tried("/approvals/one", {
            method: "POST",
            body,
            headers: { "content-type": "application/json" },
          }),
          // What a form could send as well: it arrives.
          await tried("/approvals/one", { method: "POST", body, mode: "no-cors" }),
          await run,
          await framed,
        ];
      },
      [at.server.url, ANN.token] as const,
    );
    expect(tries).toEqual(["refused", "refused", "refused", "refused", "refused", "hidden"]);
    expect(page.frames().filter((frame) => frame.url().startsWith(at.server.url))).toEqual([]);
    await context.close();
    evil.close();
    expect(await at.desk.broker.pending()).toHaveLength(3);
    expect(at.refused().filter((line) => line.startsWith("POST"))).toEqual([
      "POST /approvals/one 403 the request comes from a page of another origin",
    ]);
  });

  test("says when the server is away, and goes on by itself when it is back, with all that came meanwhile", async () => {
    const store = new MemoryStore();
    const before = await testApp({ store });
    const listen = new URL(before.server.url).host;
    await three(before);
    await using inbox = await openInbox(browser, before);
    const { page } = inbox;
    await before[Symbol.asyncDispose]();
    await page.locator('#connection[data-live="false"]').waitFor();
    expect(await page.locator("#connection").innerText()).toBe("offline, trying again");
    expect(await page.locator("#approve").isEnabled()).toBe(false);
    await using at = await testApp({ store, listen });
    await at.desk.broker.respond("one", { approved: true }, "bob");
    await ask(at, { approvalId: "four", tool: "four" });
    await page.locator('#connection[data-live="true"]').waitFor();
    await until(async () => (await inbox.tools("waiting")).join() === "two,three,four");
    expect(await page.locator("#decided").innerText()).toMatch(/Approved\s+one/);
  });

  test("looks at everything anew when the server that comes back has another store", async () => {
    const before = await testApp();
    const listen = new URL(before.server.url).host;
    await three(before);
    await using inbox = await openInbox(browser, before);
    await before[Symbol.asyncDispose]();
    await using at = await testApp({ listen });
    await ask(at, { approvalId: "four", tool: "four" });
    await until(async () => (await inbox.tools("waiting")).join() === "four");
    expect(await inbox.page.locator("#detail h2").innerText()).toBe("four");
  });

  test("asks for a token where it has none that is known, and takes a whole address for one", async () => {
    await using at = await testApp();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${at.server.url}/#token=${"x".repeat(40)}`);
    await page.locator("#door").waitFor();
    expect(await page.locator("#door-words").innerText()).toContain("does not know this token");
    await page.locator("#door-token").fill(at.server.inboxUrl("bob") ?? "");
    await page.keyboard.press("Enter");
    await page.locator('#connection[data-live="true"]').waitFor();
    expect(page.url()).toBe(`${at.server.url}/`);
    expect(await page.evaluate(() => sessionStorage.getItem("cofferdam-token"))).toBe(BOB.token);
    await context.close();
  });

  test("on a phone there is one of the two at a time, buttons for a thumb, and nothing beside the screen", async () => {
    await using at = await testApp();
    const after = `${"x".repeat(300)}\n${"a line of words ".repeat(30)}\n`;
    await ask(
      at,
      { tool: "a_tool_with_a_very_long_name_indeed_that_fits_on_no_phone", covers: "c".repeat(200) },
      presentDiff({ path: `/${"p".repeat(200)}`, before: "", after }),
    );
    await using inbox = await openInbox(browser, at, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    });
    const { page } = inbox;
    expect([await page.locator("#lists").isVisible(), await page.locator("#request").isVisible()]).toEqual([
      true,
      false,
    ]);
    // What is not seen is not answered, whatever is pressed.
    await page.waitForTimeout(1_050);
    await page.keyboard.press("a");
    expect(await sideways(page)).toEqual([]);
    const readOn = (): Promise<void> =>
      until(async () => {
        const button = page.locator("#read-on");
        // It may go away at any moment.
        if (await button.isVisible()) await button.tap({ timeout: 500 }).catch(() => undefined);
        return page.locator("#approve").isEnabled();
      });
    await page.locator("#waiting .card").tap();
    await readOn();
    await inbox.read();
    expect(await page.locator("#lists").isVisible()).toBe(false);
    expect(await sideways(page)).toEqual([]);
    for (const id of ["approve", "session", "reject", "back"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      expect([id, (box?.height ?? 0) >= 44, (box?.width ?? 0) >= 44]).toEqual([id, true, true]);
    }
    expect(await at.desk.broker.pending()).toHaveLength(1);
    await page.locator("#back").tap();
    await page.waitForTimeout(350);
    await page.keyboard.press("a");
    await page.waitForTimeout(50);
    expect(await at.desk.broker.pending()).toHaveLength(1);
    await page.locator("#waiting .card").tap();
    await readOn();
    await inbox.read();
    await page.locator("#approve").tap();
    await page.locator("#lists").waitFor();
    expect(await at.desk.broker.pending()).toEqual([]);
  });
});

/** Where to click on it. */
function middleOf(box: { x: number; y: number; width: number; height: number } | null): {
  readonly x: number;
  readonly y: number;
} {
  if (box === null) throw new Error("it is not on the screen");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** What reaches beyond the sides of the window. */
function sideways(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((one) => {
        const { right, left, width } = one.getBoundingClientRect();
        return width > 0 && (right > window.innerWidth + 1 || left < -1);
      })
      .map(({ tagName, className }) => `${tagName}.${String(className)}`),
  );
}
