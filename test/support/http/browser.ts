import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian puts it, and where Chrome is. */
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));

/** Why there is no browser here; null where there is one. */
export const NO_BROWSER: string | null = CHROMIUM === undefined ? "there is no Chromium" : null;

/** A browser without a window, that asks nobody anything by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      // As root it has no sandbox of its own.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
