import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { layOut, SITE } from "../scripts/lib/docs/site.ts";
import { itNeeds } from "./support/battery/needs.ts";
import { NO_BROWSER, openBrowser } from "./support/http/browser.ts";

const TOOL = join(SITE, "node_modules/vitepress/bin/vitepress.js");
const DIST = join(SITE, "dist");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

const place: { files: readonly string[]; server: Server | null; origin: string; problem: string } = {
  files: [],
  server: null,
  origin: "",
  problem: "",
};

beforeAll(async () => {
  if (!existsSync(TOOL)) return;
  layOut();
  const { status, stderr } = spawnSync(process.execPath, [TOOL, "build", SITE], { encoding: "utf8" });
  place.problem = status === 0 ? "" : stderr;
  place.files = globSync("**/*.html", { cwd: DIST });
  place.server = createServer(({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const file = join(DIST, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "" }).end(readFileSync(file));
  });
  const { server } = place;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  place.origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}, 600_000);
afterAll(() => void place.server?.close());

const read = (file: string): string => readFileSync(join(DIST, file), "utf8");
const needsTool = (title: string, body: () => Promise<void> | void): void =>
  itNeeds([TOOL], title, body, 300_000);

describe("the site of the documentation", () => {
  needsTool("is built, with no link to a page that is not there", () => {
    expect(place.problem).toBe("");
    expect(place.files.length).toBeGreaterThan(15);
  });

  needsTool("has a page for each file, each with one title of its own", () => {
    const pages = place.files.filter((file) => file !== "404.html");
    expect(pages.filter((file) => (read(file).match(/<h1[ >]/g) ?? []).length !== 1)).toEqual([]);
    const titles = pages.map((file) => /<title>(.*?)<\/title>/.exec(read(file))?.[1] ?? "");
    expect(titles.filter((title) => title === "")).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  });

  needsTool("has no link to a picture or a part of a page that is not there", () => {
    const ids = new Map(
      place.files.map((file) => [
        `/${file}`,
        new Set([...read(file).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
      ]),
    );
    const dead = place.files.flatMap((file) =>
      [...read(file).matchAll(/<a[^>]* href="([^"]*)"/g)].flatMap(([, to = ""]) => {
        if (/^(https?|mailto):/.test(to)) return [];
        const { pathname, hash } = new URL(to, `http://localhost/${file}`);
        if (pathname.startsWith("/pictures/"))
          return existsSync(join(DIST, pathname)) ? [] : [`${file}: ${to}`];
        const target = ids.get(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
        const id = decodeURIComponent(hash.slice(1));
        return target === undefined || (id !== "" && !target.has(id)) ? [`${file}: ${to}`] : [];
      }),
    );
    expect([...new Set(dead)]).toEqual([]);
  });

  needsTool("has an index for the search that finds `deny`", () => {
    const [index = ""] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: DIST });
    expect(read(index)).toMatch(/\["deny",/);
  });

  const title = "asks no other host for anything, finds `deny`, and fits a narrow screen, light and dark";
  needsTool(title, async () => {
    if (NO_BROWSER !== null) return console.warn(`the site is not looked at: ${NO_BROWSER}`);
    const browser = await openBrowser();
    const pages = place.files.filter((file) => file !== "404.html");
    const ofFolders = [...new Map(pages.map((file) => [dirname(file), file]))].map(([, file]) => file);
    try {
      for (const [width, colorScheme, inFrames] of [
        [390, "dark", pages],
        [1440, "light", ["index.html"]],
      ] as const) {
        const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
        const page = await context.newPage();
        const outside: string[] = [];
        const errors: string[] = [];
        page.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(place.origin) && !url.startsWith("data:")) outside.push(url);
        });
        page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
        page.on("pageerror", (error) => errors.push(error.message));
        // The scripts are the same on every page: one of each folder is tried with them.
        for (const file of ["404.html", ...ofFolders]) {
          await page.goto(`${place.origin}/${file}`);
          expect([file, width, await page.evaluate(TOO_WIDE)]).toEqual([file, width, 0]);
        }
        await page.goto(`${place.origin}/index.html`);
        await page.locator("#app .VPNavBarSearch button").first().click();
        await page.locator("#localsearch-input").fill("deny");
        await page.locator(".results li").first().waitFor();
        expect({ outside, errors }).toEqual({ outside: [], errors: [] });
        expect(await page.locator("html.dark").count()).toBe(colorScheme === "dark" ? 1 : 0);
        expect(await page.evaluate(tooWideAt(width, inFrames))).toEqual([]);
        expect(await page.evaluate(tooWideAt(200, ["index.html"]))).toHaveLength(1);
        expect(outside).toEqual([]);
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });
});

const TOO_WIDE = "document.documentElement.scrollWidth - innerWidth";

/** A program for a page: those of the files that don't fit a width, each looked at in a frame without its scripts. */
function tooWideAt(width: number, files: readonly string[]): string {
  return `(async () => {
    const frames = ${JSON.stringify(files)}.map((file) => {
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-same-origin";
      frame.style = "border: 0; width: ${width}px; height: 844px";
      frame.src = "/" + file;
      return frame;
    });
    const loaded = frames.map((frame) => new Promise((done) => (frame.onload = done)));
    document.body.replaceChildren(...frames);
    await Promise.all(loaded);
    return frames
      .filter(({ contentWindow, contentDocument }) =>
        contentWindow.innerWidth !== ${width} ||
        contentDocument.querySelector("h1") === null ||
        contentDocument.documentElement.scrollWidth > ${width})
      .map(({ src }) => src);
  })()`;
}
