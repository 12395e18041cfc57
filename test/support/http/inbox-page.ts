import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { TestApp } from "./test-app.ts";

/** The inbox in a tab of its own, and everything that must not happen there. */
export interface InboxPage extends AsyncDisposable {
  readonly page: Page;
  /** Every address that the tab asked for. */
  readonly asked: readonly string[];
  /** What went wrong in it: errors, warnings, and what its policy refused. */
  readonly wrong: readonly string[];
  /** The tools of a list, from above. */
  tools(list: "waiting" | "decided"): Promise<readonly string[]>;
  /** Looks at the request of a list that has this tool. */
  choose(tool: string): Promise<void>;
  /** Until what is looked at is drawn. */
  drawn(): Promise<void>;
  /** The same, and long enough for keys to count. */
  read(): Promise<void>;
}

const SIZE = { width: 1280, height: 800 } as const;

/** Opens the inbox at the address that its server tells, and waits until it is live. */
export async function openInbox(
  browser: Browser,
  { server }: Pick<TestApp, "server">,
  options: BrowserContextOptions & { readonly name?: string } = {},
): Promise<InboxPage> {
  const { name, ...rest } = options;
  const context = await browser.newContext({ viewport: SIZE, ...rest });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const asked: string[] = [];
  const wrong: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => {
    // What a server that is away looks like is told by the browser itself.
    if (
      message.type() !== "log" &&
      !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED|EMPTY_RESPONSE|CONNECTION_RESET)|status of [45]/.test(
        message.text(),
      )
    )
      wrong.push(message.text());
  });
  await page.goto(server.inboxUrl(name) ?? "");
  await page.locator('#connection[data-live="true"]').waitFor();
  return {
    page,
    asked,
    wrong,
    tools: (list) => page.locator(`#${list} .tool`).allTextContents(),
    choose: async (tool) => {
      await page.locator(".card", { hasText: tool }).click();
      await page.locator("#detail h2", { hasText: tool }).waitFor();
    },
    drawn: () => page.locator("#approve:enabled").waitFor(),
    read: () => page.locator('#actions[data-armed="true"] #approve:enabled').waitFor(),
    [Symbol.asyncDispose]: async () => {
      await context.close();
      expect(wrong).toEqual([]);
    },
  };
}

/** Until it is so. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}
