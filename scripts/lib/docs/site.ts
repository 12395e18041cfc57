import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../../..");
/** The package of the documentation tool. Its own: it is large, and nothing else needs it. */
export const SITE = join(ROOT, "docs/site");
const PAGES = join(SITE, "pages");

/** Files at the top that are pages: file → page. */
const TOP: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "SECURITY.md": "security.md",
  "COMPATIBILITY.md": "compatibility.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
};

/** Folders of `docs`, as the navigation calls them, with pages of the top that stand there as well. */
const SECTIONS: readonly (readonly [folder: string, title: string, top: readonly string[]])[] = [
  ["guide", "Guide", []],
  ["how-to", "How-to", []],
  ["reference", "Reference", ["COMPATIBILITY.md"]],
  ["explanation", "Explanation", ["SECURITY.md"]],
  [".", "More", ["CHANGELOG.md", "CONTRIBUTING.md"]],
];

/** Pages whose tables have a row a key, which take the whole width and are blocks on narrow screens. */
const KEYS = new Set(["reference/config.md", "reference/operator-profile.md"]);

const FrontMatter = z.looseObject({ title: z.string().optional(), order: z.number().optional() });

interface Page {
  /** Its path in the checkout, and in the site. */
  readonly source: string;
  readonly at: string;
  readonly text: string;
  readonly title: string;
  readonly order: number;
}

/** Lays out the pages of the site and the navigation for the documentation tool, and returns where the pages lie in it. */
export function layOut(): readonly string[] {
  rmSync(PAGES, { recursive: true, force: true });
  const pages = sources().map(([source, at]) => readPage(source, at));
  const places = new Map(pages.map(({ source, at }) => [source, at]));
  for (const { at, source, text } of pages) {
    mkdirSync(dirname(join(PAGES, at)), { recursive: true });
    const front = KEYS.has(at) ? "---\npageClass: keys\naside: false\n---\n" : "";
    writeFileSync(join(PAGES, at), front + relinked(text, source, at, places));
  }
  cpSync(join(ROOT, "docs/pictures"), join(PAGES, "public/pictures"), { recursive: true });
  writeFileSync(join(PAGES, "nav.json"), JSON.stringify(navigation(pages), null, 2));
  return pages.map(({ at }) => at);
}

function sources(): readonly (readonly [source: string, at: string])[] {
  const docs = globSync("docs/**/*.md", { cwd: ROOT, exclude: ["docs/site/**"] }).toSorted();
  return [...Object.entries(TOP), ...docs.map((file) => [file, posix.relative("docs", file)] as const)];
}

function readPage(source: string, at: string): Page {
  const text = readFileSync(join(ROOT, source), "utf8");
  const front = FrontMatter.parse(parse(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? "{}"));
  const title = front.title ?? /^# (.*)$/m.exec(text)?.[1] ?? basename(source, ".md");
  return {
    source,
    at,
    text,
    title: title.replaceAll("`", ""),
    order: front.order ?? Number.POSITIVE_INFINITY,
  };
}

function navigation(pages: readonly Page[]) {
  const sidebar = SECTIONS.map(([folder, text, top]) => {
    const own = pages.filter(({ source }) => dirname(source) === posix.join("docs", folder));
    const sorted = own.toSorted((a, b) => a.order - b.order || (a.at < b.at ? -1 : 1));
    const more = pages.filter(({ source }) => top.includes(source));
    return { text, collapsed: folder === ".", items: [...sorted, ...more].map(linkTo) };
  }).filter(({ items }) => items.length > 0);
  const nav = sidebar.slice(0, -1).map(({ text, items: [first] }) => ({ text, link: first?.link }));
  return { nav, sidebar: [{ text: "Overview", link: "/" }, ...sidebar] };
}

function linkTo({ title, at }: Page) {
  return { text: title, link: `/${at.replace(/\.md$/, "")}` };
}

/**
 * The text with its links as they are in the site. One to a file of the checkout that is no page becomes its words; one to
 * nothing stays, and the documentation tool refuses it.
 */
function relinked(text: string, source: string, at: string, places: ReadonlyMap<string, string>): string {
  const moved = (link: string, words: string, to: string): string => {
    if (/^([a-z]+:|#|\/pictures\/)/.test(to)) return link;
    const [path = "", anchor] = to.split("#");
    const file = posix.join(posix.dirname(source), path);
    if (file.startsWith("docs/pictures/"))
      return link.replace(`(${to})`, `(/${posix.relative("docs", file)})`);
    const page = places.get(file);
    if (page === undefined) return existsSync(join(ROOT, file)) ? words : link;
    return link.replace(`(${to})`, `(${nearby(at, page)}${anchor === undefined ? "" : `#${anchor}`})`);
  };
  return text
    .replace(/^<!--.*?-->\n+/gms, "")
    .split(/^(```.*?^```$)/gms)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replace(IMAGE, moved).replace(LINK, moved).replace(HTML_IMAGE, "/pictures/"),
    )
    .join("");
}

const IMAGE = /!\[([^\]]*)\]\(([^)\s]+)\)/g;
/** The place of the pictures in the `src` of an image in HTML. */
const HTML_IMAGE = /(?<=<img [^>]*\bsrc=")(?:\.\.\/)*(?:docs\/)?pictures\//g;
/** Around words, of which an image may be one. */
const LINK = /(?<!!)\[((?:!\[[^\]]*\]\([^)]*\)|\[[^\]]*\]|[^[\]])*)\]\(([^)\s]+)\)/g;

function nearby(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
