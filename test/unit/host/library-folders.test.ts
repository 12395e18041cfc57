import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { whySystemFolder } from "../../../src/config/system-folders.ts";
import { libraryFolders } from "../../../src/host/look/installation/library-folders.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { type CacheFormat, libraryCache } from "../../support/library-cache.ts";
import { NOT_INSTALLED } from "../../support/not-installed.ts";
import { machine } from "../config/machine.ts";

/** What is found where `etc` and these folders and links are, from the folder that they lie in. */
function foundBy(
  etc: Readonly<Record<string, string | ((top: string) => Buffer)>>,
  folders: readonly string[] = [],
  link = "",
) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-libraries-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  for (const folder of ["etc", "root", ...folders]) mkdirSync(join(top, folder), { recursive: true });
  if (link !== "") symlinkSync("../elsewhere", join(top, link));
  for (const [name, text] of Object.entries(etc)) {
    mkdirSync(dirname(join(top, "etc", name)), { recursive: true });
    writeFileSync(join(top, "etc", name), typeof text === "string" ? text.replaceAll("TOP", top) : text(top));
  }
  const found = libraryFolders(join(top, "etc"));
  const host = { ...machine().host, installation: () => ({ ...NOT_INSTALLED, libraryFolders: found }) };
  return {
    found: found.map((path) => path.replace(`${top}/`, "")),
    why: whySystemFolder(host, absolutePath(join(top, "root"))),
  };
}

const INCLUDED = { "ld.so.conf": "include ld.so.conf.d/*.conf\n" };

test.each([
  ["there", ["root/lib"], "", ["root/lib"]],
  ["missing", [], "", ["root/lib"]],
  ["a link", ["elsewhere"], "root/lib", ["elsewhere", "root/lib"]],
  ["a link that leads nowhere", [], "root/lib", ["elsewhere", "root/lib"]],
])(
  "own: a root is refused that holds a folder from which programs load libraries, also one that is %s",
  (_, folders, link, places) => {
    const { found, why } = foundBy(
      { ...INCLUDED, "ld.so.conf.d/a.conf": "TOP/root/./lib/ # ours\n" },
      folders,
      link,
    );
    expect(found).toEqual(places);
    expect(why).toMatch(/^contains .*\/root\/lib, from which system programs load libraries$/);
    expect(foundBy({ ...INCLUDED, "ld.so.conf.d/a.conf": "TOP/other/lib" }, folders, link).why).toBeNull();
  },
);

test.each([
  ["ld.so.preload", "TOP/other/a.so TOP/root/x/b.so", ["other/a.so", "other", "root/x/b.so", "root/x"]],
  ["ld-musl-x86_64.path", "TOP/other:TOP/root/x\n", ["other", "root/x"]],
])("own: so is one with what %s names", (file, text, places) => {
  const { found, why } = foundBy({ [file]: text });
  expect(found).toEqual(places);
  expect(why).toMatch(/^contains .*\/root\/x/);
  expect(foundBy({ [file]: text.replaceAll("/root/", "/else/") }).why).toBeNull();
});

describe("the loader's cache", () => {
  const listing =
    (format: CacheFormat, ...files: readonly string[]) =>
    (top: string): Buffer =>
      libraryCache(
        files.map((file) => (file.startsWith("/") ? file : `${top}/${file}`)),
        format,
      );

  test.each<CacheFormat>(["new", "old", "compat"])(
    "own: a root is refused that holds a folder from which the cache takes a library, whatever ld.so.conf names: %s",
    (format) => {
      const cache = listing(format, "other/a.so", "root/lib/b.so", "root/lib/c.so", "root/lib/hw/d.so");
      const { found, why } = foundBy({ "ld.so.conf": "TOP/more\n", "ld.so.cache": cache });
      expect(found).toEqual(["more", "other", "root/lib", "root/lib/hw"]);
      expect(why).toMatch(/^contains .*\/root\/lib, from which system programs load libraries$/);
      expect(foundBy({ "ld.so.cache": listing(format, "other/a.so") }).why).toBeNull();
    },
  );

  test.each<CacheFormat>(["new", "old", "compat"])(
    "own: a path counts as it is, where another that ends in it is listed: %s",
    (format) => {
      const { found } = foundBy({
        "ld.so.cache": listing(format, "/no-such-folder/top/lib/a.so", "/top/lib/a.so"),
      });
      expect(found).toEqual(["/no-such-folder/top/lib", "/top/lib"]);
    },
  );

  test.each<[what: string, of: (cache: Buffer) => Buffer]>([
    ["of another version", (cache) => Buffer.from(cache.toString("latin1").replace("1.1", "1.2"), "latin1")],
    ["cut off in its head", (cache) => cache.subarray(0, 30)],
    ["cut off in its list", (cache) => cache.subarray(0, 60)],
    ["cut off in its texts", (cache) => cache.subarray(0, -3)],
    ["empty", () => Buffer.alloc(0)],
  ])("adds nothing where it can't be understood, as the loader takes nothing from it: %s", (_, of) => {
    const cache = listing("new", "root/lib/a.so");
    expect(foundBy({ "ld.so.cache": cache }).found).toEqual(["root/lib"]);
    expect(foundBy({ "ld.so.cache": (top) => of(cache(top)) }).found).toEqual([]);
  });
});
