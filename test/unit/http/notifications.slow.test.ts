import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Page, Worker } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_BROWSER, openBrowser } from "../../support/http/browser.ts";
import { openInbox, until } from "../../support/http/inbox-page.ts";
import { put, type TestApp, testApp } from "../../support/http/test-app.ts";

const ALLOWED = { permissions: ["notifications"] };
const SECRET = "rm -rf the-secret-folder";

async function ask(at: TestApp, approvalId: string, tool = approvalId): Promise<void> {
  const { now } = at.desk.clock;
  const given = { description: SECRET, reason: SECRET, safeArgs: { script: SECRET }, project: "/srv/app" };
  await put(at.desk.broker, { approvalId, tool, createdAt: now, ...given }, { isBlocking: false });
}

/** Turns notifications on as a person does. */
async function turnOn(page: Page): Promise<void> {
  await page.locator("#notify-button").click();
  await page.locator("#notify-turn").click();
  await page.locator('#notify-button[data-on="true"]').waitFor();
  await page.locator("#notify .quiet").click();
}

/** The page is somewhere behind: this browser would say of each page that it is in front. */
async function putBehind(page: Page): Promise<void> {
  await page.evaluate(() => Object.defineProperty(document, "hasFocus", { value: () => false }));
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly data: unknown;
}

function shown(page: Page): Promise<readonly Shown[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const all = (await registration?.getNotifications()) ?? [];
    return all.map(({ title, body, data }) => ({ title, body, data: data as unknown }));
  });
}

/** Sends the service worker a message every two seconds: a browser stops one that is idle for half a minute. */
async function keepAwake(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    setInterval(() => active?.postMessage("wake"), 2_000);
  });
}

/** Clicks the notification, as the browser tells the service worker. */
async function click(page: Page): Promise<void> {
  for (let isClicked = false; !isClicked; ) {
    const clicked = page.context().serviceWorkers().map(clickIn);
    const tried = Promise.allSettled(clicked).then((all) => all.some(({ status }) => status === "fulfilled"));
    isClicked = await Promise.race([tried, pause(5_000).then(() => false)]);
  }
}

function clickIn(worker: Worker): Promise<void> {
  return worker.evaluate(async () => {
    const scope = globalThis as unknown as {
      registration: { getNotifications(): Promise<readonly unknown[]> };
      NotificationEvent: new (type: string, init: object) => Event;
    };
    for (const notification of await scope.registration.getNotifications())
      globalThis.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification }));
  });
}

describe.skipIf(NO_BROWSER !== null)("notifications of the inbox", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test("are asked for by nobody but the person: a page that was just opened has no permission and no worker", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at);
    await ask(at, "1");
    await until(async () => (await inbox.tools("waiting")).length === 1);
    const state = await inbox.page.evaluate(async () => [
      Notification.permission,
      (await navigator.serviceWorker.getRegistrations()).length,
      localStorage.length,
    ]);
    // This browser denies what it cannot ask about.
    expect(["default", "denied"]).toContain(state[0]);
    expect(state.slice(1)).toEqual([0, 0]);
  });

  test("name the tool and the project, never what the call would do, and go when it is answered", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at, ALLOWED);
    await ask(at, "old");
    const { page } = inbox;
    await until(async () => (await inbox.tools("waiting")).length === 1);
    await turnOn(page);
    // A page that a person looks at tells nothing.
    await ask(at, "seen");
    await until(async () => (await inbox.tools("waiting")).length === 2);
    await putBehind(page);
    await ask(at, "new");
    await until(async () => (await shown(page)).length > 0);
    expect(await shown(page)).toEqual([
      { title: "new needs your approval", body: "in app, 2 more requests wait", data: "new" },
    ]);
    await at.desk.broker.respond("new", { approved: false }, "bob");
    await until(async () => (await shown(page)).length === 0);
  });

  test("come while requests go on coming, and name none that was answered meanwhile", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at, ALLOWED);
    const { page } = inbox;
    await turnOn(page);
    await putBehind(page);
    await ask(at, "gone");
    await at.desk.broker.respond("gone", { approved: false }, "bob");
    await until(async () => (await inbox.tools("decided")).includes("gone"));
    await page.waitForTimeout(500);
    expect(await shown(page)).toEqual([]);
    for (let one = 0; (await shown(page)).length === 0; one += 1) await ask(at, `call ${one}`);
  });

  test("of many requests at once are one, and name nothing if the person wants that", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at, ALLOWED);
    const { page } = inbox;
    await page.locator("#notify-button").click();
    await page.locator("#notify-names").uncheck();
    await page.locator("#notify-turn").click();
    await page.locator('#notify-button[data-on="true"]').waitFor();
    await putBehind(page);
    for (let one = 0; one < 12; one += 1) await ask(at, `call ${one}`);
    const last = { title: "A call needs your approval", body: "11 more requests wait", data: "call 11" };
    await until(async () => JSON.stringify(await shown(page)) === JSON.stringify([last]));
    // The choice holds for this device: the page that is loaded again tells in the same way.
    await page.reload();
    await page.locator('#notify-button[data-on="true"]').waitFor();
    expect(await page.evaluate(() => localStorage.getItem("cofferdam-notifications"))).toBe("plain");
    await page.locator("#notify-button").click();
    expect(await page.locator("#notify-names").isChecked()).toBe(false);
    await page.locator("#notify-turn").click();
    await putBehind(page);
    await at.desk.broker.respond("call 0", { approved: false }, "bob");
    await ask(at, "call 12");
    await until(async () => (await inbox.tools("waiting")).includes("call 12"));
    expect((await shown(page)).map(({ data }) => data)).not.toContain("call 12");
  });

  test("open their request: in the page that is there, or in one that is opened for it", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at, ALLOWED);
    const { page } = inbox;
    await ask(at, "first");
    await page.locator("#detail h2", { hasText: "first" }).waitFor();
    await turnOn(page);
    await keepAwake(page);
    await putBehind(page);
    await ask(at, "second");
    await until(async () => (await shown(page)).length > 0);
    await click(page);
    await page.locator("#detail h2", { hasText: "second" }).waitFor();
    expect(await shown(page)).toEqual([]);
    await page.goto(`${at.server.url}/?again#request=first`);
    await page.locator("#detail h2", { hasText: "first" }).waitFor();
    expect(page.url()).toBe(`${at.server.url}/?again`);
    // One that nobody knows opens what waits.
    await page.goto(`${at.server.url}/?more#request=nothing`);
    await page.locator("#detail h2", { hasText: "first" }).waitFor();
  });

  test("come from a worker that answers no request and keeps nothing, under a policy that allows no other script", async () => {
    await using at = await testApp();
    await using inbox = await openInbox(browser, at, ALLOWED);
    const { page } = inbox;
    await turnOn(page);
    await page.reload();
    await page.locator('#connection[data-live="true"]').waitFor();
    const found = await page.evaluate(async () => {
      const types = Reflect.get(window, "trustedTypes");
      const refused = (act: () => unknown): boolean => {
        try {
          act();
          return false;
        } catch {
          return true;
        }
      };
      const entries = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
      return {
        caches: await caches.keys(),
        workerStart: entries[0]?.workerStart,
        isOtherPolicyRefused: refused(() => types.createPolicy("other", {})),
        isSecondPolicyRefused: refused(() => types.createPolicy("notifications", {})),
        isOtherWorkerRefused: await navigator.serviceWorker.register("/inbox.js").then(
          () => false,
          () => true,
        ),
      };
    });
    expect(found).toEqual({
      caches: [],
      workerStart: 0,
      isOtherPolicyRefused: true,
      isSecondPolicyRefused: true,
      isOtherWorkerRefused: true,
    });
    // Each refusal was also told by the browser.
    expect(inbox.wrong.length).toBeGreaterThan(0);
    (inbox.wrong as string[]).length = 0;
  });

  test("belong to a page that can be installed: its manifest and its icons are there, without a token", async () => {
    await using at = await testApp();
    const manifest: unknown = await (await fetch(`${at.server.url}/manifest.webmanifest`)).json();
    expect(manifest).toMatchObject({ name: "cofferdam approvals", display: "standalone", start_url: "./" });
    const icons = (manifest as { icons: readonly { readonly src: string; readonly sizes: string }[] }).icons;
    for (const { src, sizes } of icons) {
      const bytes = Buffer.from(await (await fetch(`${at.server.url}/${src}`)).arrayBuffer());
      // Width and height of a PNG (https://www.w3.org/TR/png-3/#11IHDR).
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
    }
    await using inbox = await openInbox(browser, at);
    const cdp = await inbox.page.context().newCDPSession(inbox.page);
    const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    const { errors } = await cdp.send("Page.getAppManifest");
    expect(errors).toEqual([]);
  });
});
