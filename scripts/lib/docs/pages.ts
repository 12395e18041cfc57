import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fetchTools } from "../../../src/call/fetch-tools.ts";
import { OUTSIDE } from "../../../src/host/look/outside.ts";
import { NO_OPERATOR } from "../../../src/policy/approval-section.ts";
import { WebFetchSection } from "../../../src/tool/settings.ts";
import { cliPage } from "./cli-page.ts";
import { configPage, profilePage } from "./config-page.ts";
import { enforcementPage } from "./enforcement-page.ts";
import { errorsPage } from "./errors-page.ts";
import { eventsPage } from "./events-page.ts";
import { httpPage } from "./http-page.ts";
import { libraryPage } from "./library-page.ts";
import { shellPage } from "./shell-page.ts";
import { toolsPage } from "./tools-page.ts";
import { webhookPage } from "./webhook-page.ts";

const ROOT = join(import.meta.dirname, "../../..");
const Manifest = z.object({ exports: z.record(z.string(), z.unknown()) });

/** The generated pages of `docs/reference`, except `kernels.md`: file name → function that makes its text. */
export const PAGES: Readonly<Record<string, () => string>> = {
  "cli.md": cliPage,
  "config.md": configPage,
  "enforcement.md": enforcementPage,
  "errors.md": errorsPage,
  "events.md": eventsPage,
  "http-api.md": httpPage,
  "library.md": () => libraryPage(entryNames()),
  "operator-profile.md": profilePage,
  "shell-rules.md": shellPage,
  "tools.md": () => toolsPage(pageTools()),
  "webhook.md": webhookPage,
};

function entryNames(): readonly string[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const names = Object.keys(manifest.exports).filter((path) => path !== "./package.json");
  return names.map((path) => (path === "." ? "cofferdam" : path.slice("./".length)));
}

/** The tools for pages as models are told of them; none of them is called. */
function pageTools() {
  return fetchTools({
    settings: WebFetchSection.parse({}),
    ceiling: { layers: [], approval: NO_OPERATOR },
    broker: { grants: async () => [], saveGrant: async () => undefined },
    sessionId: "docs",
    host: { id: () => "docs", now: () => 0, outside: OUTSIDE },
  });
}
