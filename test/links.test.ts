import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LinkChecker } from "linkinator";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const PAGES = globSync("{*,{docs,examples,scripts,test}/**/*}.md", {
  cwd: ROOT,
  exclude: ["test/support/links/**", "docs/site/**", "**/node_modules/**"],
}).toSorted();

/** Links of these pages to other hosts are not followed. */
const isElsewhere = async (url: string): Promise<boolean> =>
  !/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/.test(url);

/** Links of pages below a folder that lead nowhere: to no file or folder of it, or to no heading. */
async function deadLinks(root: string, pages: readonly string[]): Promise<readonly string[]> {
  const { links } = await new LinkChecker().check({
    path: [...pages],
    serverRoot: root,
    markdown: true,
    directoryListing: true,
    checkFragments: true,
    linksToSkip: isElsewhere,
  });
  expect(links.length).toBeGreaterThan(pages.length);
  return links.filter(({ state }) => state === "BROKEN").map(({ url, parent }) => `${parent} → ${url}`);
}

test("every link of a page in Markdown leads to a file, and its anchor to a heading", async () => {
  expect(await deadLinks(ROOT, PAGES)).toEqual([]);
});

test("every link of the README and of the pages for users leads to a file that npm packs, except to sources", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const [{ files }] = z
    .tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])
    .parse(JSON.parse(stdout));
  const packed = new Set(files.map(({ path }) => path));
  expect([packed.has("README.md"), packed.has("src/index.ts")]).toEqual([true, false]);
  const pages = PAGES.filter(
    (page) => page === "README.md" || /^docs\/(guide|how-to|explanation)\//.test(page),
  );
  const links = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, to = ""]) => ({
      page,
      to: join(dirname(page), to),
    })),
  );
  expect(links.length).toBeGreaterThan(50);
  const isPacked = (to: string): boolean =>
    packed.has(to) || [...packed].some((path) => path.startsWith(`${to.replace(/\/$/, "")}/`));
  const missing = links.filter(({ to }) => !isPacked(to) && !/^(src|test|scripts)\/|\.test\.ts$/.test(to));
  expect(missing).toEqual([]);
});

test("a link that leads nowhere is noticed", async () => {
  const pages = join(import.meta.dirname, "support/links");
  expect(await deadLinks(pages, ["page.md"])).toEqual([
    "page.md → page.md#no-such-heading",
    "page.md → missing.md",
  ]);
});

describe("a cell of a table that is a link to a test has the title of a test in that file", () => {
  const proofs = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/\| \[([^\]\n]+)\]\(([^)\s]+\.test\.ts)\) \|/g)].map(
      ([, title = "", file = ""]) => [page, title.replaceAll("\\|", "|"), join(dirname(page), file)] as const,
    ),
  );

  test("of which there are many", () => expect(proofs.length).toBeGreaterThan(30));

  test.each(proofs)("%s: %s", (_, title, file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    // A page writes `…` where a title has a value filled in.
    const parts = title.split("…").map((part) => JSON.stringify(part).slice(1, -1));
    expect(parts.filter((part) => !text.includes(part))).toEqual([]);
  });
});
