import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { type Machine, machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const SITE = "etc/profiles.d/site.yaml";
const ROOTS = `${PLAIN}  paths: { w: { root: ./w, mode: rw } }\n`;

/** A project with the root `w`, what is in it, and links in the project: where each stands → where it leads. */
function project(
  profile: string,
  files: readonly string[],
  links: Readonly<Record<string, string>>,
): Machine {
  const m = machine({ [CONFIG]: ROOTS, [SITE]: `profile: site\n${profile}` });
  for (const file of ["w/any", ...files]) m.write({ [`home/ann/project/${file}`]: "" });
  for (const [link, target] of Object.entries(links)) {
    const path = m.at(`home/ann/project/${link}`);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  }
  return m;
}

const load = (m: Machine) => loadConfig(m.host, { config: m.at(CONFIG) });
const mask = (pattern: string, atMost = "none"): string =>
  `masks: [{ pattern: "\${workspace}/${pattern}", at_most: ${atMost} }]\n`;
const denies = (path: string): string => `expect: [{ deny: read, path: "\${workspace}/${path}" }]\n`;

describe("a mask with a wildcard behind a symlink holds for where that leads", () => {
  test.each<[claim: string, pattern: string, links: Record<string, string>]>([
    ["a link to a folder", "cfg/**/*.key", { cfg: "w/real" }],
    ["a link by way of another", "cfg/**/*.key", { cfg: "other", other: "w/real" }],
    ["a link with names behind it", "cfg/sub/*.key", { cfg: "w/real" }],
    ["a link below a folder", "deep/cfg/**/*.key", { "deep/cfg": "../w/real" }],
    ["a link to a folder above", "cfg/real/**/*.key", { cfg: "./w" }],
  ])("%s", (_claim, pattern, links) => {
    const example = pattern.replace("**/*", "sub/a").replace("*", "a");
    const m = project(mask(pattern) + denies(example), ["w/real/sub/a.key", "w/real/sub/b"], links);
    const { profile } = load(m).ceiling;
    expect(accessTo(profile, m.at("home/ann/project/w/real/sub/a.key"))).toBe("none");
    expect(accessTo(profile, m.at("home/ann/project/w/real/sub/b"))).toBe("write");
  });

  test("whatever the names are, and whether it is there yet or not", () => {
    const name = fc.constantFrom("a", "b", "c");
    const names = fc.array(name, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(names, names, fc.boolean(), (to, behind, isThere) => {
        const files = isThere ? [`w/${to.join("/")}/${behind.join("/")}/x.key`] : [`w/${to.join("/")}/x`];
        const m = project(mask(`cfg/${behind.join("/")}/*.key`), files, { cfg: `w/${to.join("/")}` });
        const real = m.at(`home/ann/project/w/${to.join("/")}/${behind.join("/")}/x.key`);
        expect(accessTo(load(m).ceiling.profile, real)).toBe("none");
      }),
      { numRuns: 30 },
    );
  });
});

describe("a mask with a wildcard behind a symlink that a tool can replace", () => {
  test("is refused, with the pattern that is meant", () => {
    const m = project(mask("w/cfg/**/*.key"), ["w/real/sub/a.key"], { "w/cfg": "real" });
    expect(refusalOf(() => load(m), m.folder)).toEqual({
      exit: 65,
      code: "PROFILE_INVALID",
      message:
        "the mask `~/home/ann/project/w/cfg/**/*.key` leads through the symlink `~/home/ann/project/w/cfg`, which a tool can replace",
      hint: "write the path without the symlink: ~/home/ann/project/w/real/**/*.key",
      at: "~/etc/profiles.d/site.yaml:2:9",
    });
    m.write({ [SITE]: `profile: site\n${mask("w/real/**/*.key")}` });
    expect(accessTo(load(m).ceiling.profile, m.at("home/ann/project/w/real/sub/a.key"))).toBe("none");
  });

  test("holds where nothing of the root may be written", () => {
    const m = project(mask("w/cfg/**/*.key"), ["w/real/sub/a.key"], { "w/cfg": "real" });
    m.write({ [CONFIG]: ROOTS.replace("rw", "ro") });
    expect(accessTo(load(m).ceiling.profile, m.at("home/ann/project/w/real/sub/a.key"))).toBe("none");
  });
});

describe("an example that denies a path behind a symlink", () => {
  test("fails where what it leads to is allowed", () => {
    const m = project(mask("**/cfg/*.key") + denies("cfg/a.key"), ["w/real/a.key"], { cfg: "w/real" });
    expect(refusalOf(() => load(m), m.folder)).toMatchObject({
      code: "PROFILE_INVALID",
      message:
        "an example fails: expected: it denies read `~/home/ann/project/w/real/a.key`; actual: it allows it, because `/` has access write",
    });
    m.write({ [SITE]: `profile: site\n${mask("**/real/*.key")}${denies("cfg/a.key")}` });
    expect(load(m).ceiling.layers).toHaveLength(2);
  });

  test("holds where a mask matches the link itself, which caps what it leads to, and not only a folder above", () => {
    const m = project(mask("**/cfg") + denies("cfg/a"), ["w/real/a"], { cfg: "w/real" });
    expect(load(m).ceiling.layers).toHaveLength(2);
    const above = project(mask("top/**") + denies("top/x/cfg/a"), ["w/real/a", "top/x/b"], {
      "top/x/cfg": "../../w/real",
    });
    expect(load(above).ceiling.layers).toHaveLength(2);
    const folder = project(mask("**/top") + denies("top/cfg/a"), ["w/real/a", "top/b"], {
      "top/cfg": "../w/real",
    });
    expect(refusalOf(() => load(folder)).code).toBe("PROFILE_INVALID");
  });
});
