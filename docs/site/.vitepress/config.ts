import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

// `scripts/docs build` lays out `pages`, and beside them what they are called and where they stand.
const { nav, sidebar } = JSON.parse(readFileSync(new URL("../pages/nav.json", import.meta.url), "utf8"));

export default defineConfig({
  title: "cofferdam",
  description: "Runs the tools of AI agents inside an operating-system sandbox, behind an approval gate.",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".vitepress/cache",
  metaChunk: true,
  // Anchors as GitHub makes them: a link works in both.
  markdown: {
    // Braces are text, as on GitHub.
    attrs: { disable: true },
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
          .replace(/\s/gu, "-"),
    },
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    footer: { message: "MIT licence" },
    docFooter: { prev: false, next: false },
  },
});
