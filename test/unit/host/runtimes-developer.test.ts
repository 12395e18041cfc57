import { describe, expect, test } from "vitest";
import { findDeveloperTools } from "../../../src/host/look/runtimes/developer.ts";
import type { RuntimeFinding } from "../../../src/host/look/runtimes/finding.ts";
import { findLanguage } from "../../../src/host/look/runtimes/installed.ts";
import { LANGUAGES } from "../../../src/host/look/runtimes/language.ts";
import { siteOutside } from "../../../src/host/look/runtimes/site.ts";
import { findRuntimes } from "../../../src/host/look/runtimes.ts";
import { type AbsolutePath, absolutePath } from "../../../src/profile/path.ts";
import { type Entry, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();

const TOOLS = "Library/Developer/CommandLineTools";
const BUNDLE = "Applications/Xcode-26.app/Contents";

const developer = (folder: string): Record<string, Entry> => ({
  [`${folder}/usr/lib/libxcrun.dylib`]: "",
  [`${folder}/usr/bin/git`]: PROGRAM,
});

/** What is found of the developer tools on a Mac that the tree is, below its top. */
function found(env: Readonly<Record<string, string>> = {}, roots: readonly string[] = []): unknown {
  const host = { ...tree().host(env, []), platform: "darwin" as const };
  const site = siteOutside(
    host,
    roots.map((root) => tree().at(root)),
  );
  return told(findDeveloperTools(site, tree().top));
}

function told(finding: RuntimeFinding): unknown {
  if (finding.kind === "missing") return finding.message.replaceAll(tree().top, "");
  const within = (path: AbsolutePath): string => path.replace(`${tree().top}/`, "");
  const { read, links } = finding.runtime;
  return { read: read.map(within).sort(), links: links.map(({ path }) => within(path)) };
}

describe("the developer tools", () => {
  test("are those that xcode-select chose, whole with the bundle around them", () => {
    tree().add({
      ...developer(TOOLS),
      ...developer(`${BUNDLE}/Developer`),
      "private/var/db/xcode_select_link": { link: `~~/${BUNDLE}/Developer` },
    });
    expect(found()).toEqual({ read: [BUNDLE], links: ["private/var/db/xcode_select_link"] });
  });

  test("are chosen by the link that is newer, where there are two", () => {
    tree().add({
      ...developer(TOOLS),
      ...developer(`${BUNDLE}/Developer`),
      "private/var/db/xcode_select_link": { link: `~~/${BUNDLE}/Developer` },
      "private/var/select/developer_dir": { link: `~~/${TOOLS}` },
    });
    expect(found()).toEqual({ read: [TOOLS], links: ["private/var/select/developer_dir"] });
  });

  test("are where they are installed, where none were chosen: Xcode before the command line tools", () => {
    tree().add(developer(TOOLS));
    expect(found()).toEqual({ read: [TOOLS], links: [] });
    tree().add({ "Applications/Xcode.app": { link: "Xcode-26.app" }, ...developer(`${BUNDLE}/Developer`) });
    expect(found()).toEqual({ read: [BUNDLE], links: ["Applications/Xcode.app"] });
  });

  test("are none where a link leads to something else, or into a root", () => {
    tree().add({ "srv/own/secret": "", "private/var/db/xcode_select_link": { link: "~~/srv/own" } });
    expect(found()).toContain("is not on this machine");
    tree().add(developer("srv/own"));
    expect(found()).toEqual({ read: ["srv/own"], links: ["private/var/db/xcode_select_link"] });
    expect(found({}, ["srv"])).toContain("is not on this machine");
  });

  test("are none where they hold what is a person's own", () => {
    tree().add({ ...developer("home/me"), "private/var/db/xcode_select_link": { link: "~~/home/me" } });
    expect(found()).toContain("contains private files of a user");
  });

  test("bring along whether the licence was agreed to, and what they remember of each other", () => {
    const own = "private/var/folders/ab/cd/T";
    tree().add({
      ...developer(TOOLS),
      "Library/Preferences/com.apple.dt.Xcode.plist": "",
      "Library/Preferences/com.apple.other.plist": "",
      [`${own}/xcrun_db`]: "",
      [`${own}/secret`]: "",
      "home/me/xcrun_db": "",
      var: { link: "private/var" },
    });
    const read = [TOOLS, "Library/Preferences/com.apple.dt.Xcode.plist"];
    expect(found({ TMPDIR: `${tree().at("var/folders/ab/cd/T")}/` })).toEqual({
      read: [...read, `${own}/xcrun_db`].sort(),
      links: ["var"],
    });
    expect(found({ TMPDIR: tree().home })).toEqual({ read: read.toSorted(), links: [] });
    expect(found()).toEqual({ read: read.toSorted(), links: [] });
  });
});

test("elsewhere than on macOS a config may name them, and they are nothing", () => {
  tree().add(developer(TOOLS));
  expect(told(findDeveloperTools(siteOutside(tree().host({}, []), []), tree().top))).toEqual({
    read: [],
    links: [],
  });
  const [tools] = findRuntimes(tree().host({}, []), ["xcode"], []);
  expect(tools).toEqual({ name: "xcode", read: [], links: [], path: [], env: {}, macos: [] });
});

test("git of macOS stands for that of the developer tools: without them it is not there, elsewhere it is itself", () => {
  const [language, system] = [
    LANGUAGES.find(({ name }) => name === "git") ?? expect.unreachable(),
    { read: [absolutePath("/usr")], links: [] },
  ];
  const git = (platform: "darwin" | "linux", path: string): RuntimeFinding =>
    findLanguage(siteOutside({ ...tree().host({}, []), platform }, []), system, language, [
      absolutePath(path),
    ]);
  expect(git("darwin", "/usr/bin/git")).toMatchObject({
    kind: "missing",
    hint: expect.stringContaining("xcode-select --install"),
  });
  expect(git("linux", "/usr/bin/git")).toMatchObject({ kind: "found", runtime: { read: [] } });
});
