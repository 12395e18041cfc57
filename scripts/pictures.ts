import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { presentCommand, presentDiff, presentText } from "../src/approval/present.ts";
import type { Presentation } from "../src/policy/presentation.ts";
import type { ApprovalRequest } from "../src/policy/request.ts";
import { NO_BROWSER, openBrowser } from "../test/support/http/browser.ts";
import { put, type TestApp, testApp } from "../test/support/http/test-app.ts";

/** Draws the pictures of the docs: the inbox on a desk and on a phone, with the same requests each time. */
const FOLDER = join(import.meta.dirname, "../docs/pictures");

/** The button as it looks once an answer counts. */
const READ = '#actions[data-armed="true"] #approve:enabled';

const BEFORE = `import { z } from "zod";

export const Limits = z.object({
  wall: z.string(),
  memory: z.string(),
});
`;
const AFTER = BEFORE.replace("z.object", "z.strictObject").replace(
  "memory: z.string(),",
  "memory: z.string(),\n  processes: z.int(),",
);

const granted = {
  digest: "0123456789abcdef".repeat(4),
  write: ["/home/ann/notes"],
  read: ["/home/ann/docs"],
  runtimes: ["system", "node"],
  network: "none",
  limits: ["wall 2m", "memory 2GiB", "processes 256"],
  shortfall: [],
};

async function ask(at: TestApp, given: Partial<ApprovalRequest>, presentation: Presentation): Promise<void> {
  const request = { createdAt: at.desk.clock.now, agent: "builder", granted, ...given };
  await put(at.desk.broker, request, { isBlocking: false, present: async () => presentation });
}

async function askAll(at: TestApp): Promise<void> {
  const { now } = at.desk.clock;
  const file = "/home/ann/notes/src/limits.ts";
  await ask(
    at,
    {
      approvalId: "1",
      tool: "edit_file",
      description: "Refuse limits that nobody knows, and bound the number of processes",
      reason: "the root `notes` wants a yes for writing",
      covers: `edit_file on ${file}`,
      groupId: "turn-7",
      expiresAt: now + 251_000,
    },
    presentDiff({ path: file, before: BEFORE, after: AFTER }),
  );
  await ask(
    at,
    {
      approvalId: "2",
      tool: "shell",
      description: "Run the tests",
      reason: "shell rule `npm test` asks",
      covers: "`npm test` in /home/ann/notes",
      groupId: "turn-7",
      expiresAt: now + 253_000,
    },
    presentCommand({ words: ["npm", "test"], cwd: "/home/ann/notes" }),
  );
  await ask(
    at,
    {
      approvalId: "3",
      tool: "drop_table",
      agent: "ops",
      description: "Drop the table `sessions_2023`",
      reason: "rule `drop_*` of an operator profile",
      risk: "destructive",
      demandsPerson: true,
      covers: null,
      granted: null,
      expiresAt: now + 48_000,
    },
    presentText("DROP TABLE sessions_2023;"),
  );
  await put(at.desk.broker, { approvalId: "4", tool: "read_file", createdAt: now }, { isBlocking: false });
}

async function draw(
  browser: Browser,
  name: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<unknown>,
): Promise<void> {
  await using at = await testApp();
  await askAll(at);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(at.server.inboxUrl() ?? "");
  await page.locator('#connection[data-live="true"]').waitFor();
  await at.desk.broker.respond("4", { approved: true }, "bob");
  await page.locator("#decided .card").waitFor();
  await act(page);
  await page.locator("#news:empty").waitFor({ state: "attached" });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}

if (NO_BROWSER !== null) throw new Error(NO_BROWSER);
const browser = await openBrowser();
await draw(browser, "inbox", { viewport: { width: 1080, height: 660 } }, (page) =>
  page.locator(READ).waitFor(),
);
await draw(
  browser,
  "inbox-phone",
  { viewport: { width: 360, height: 740 }, deviceScaleFactor: 1.5, colorScheme: "dark", hasTouch: true },
  async (page) => {
    await page.locator("#waiting .card").nth(1).tap();
    await page.locator(READ).waitFor();
  },
);
await browser.close();
