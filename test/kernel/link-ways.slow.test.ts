import { existsSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LINKS_ARE_HELD, linkProtected } from "../support/battery/linked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("links behind protected links");

/** A way of links to something that git or a shell obeys: which one a call replaces, and by what. */
interface Case {
  readonly name: string;
  readonly links: Readonly<Record<string, string>>;
  readonly replaced: string;
}

const CASES: readonly Case[] = [
  {
    name: "a hook, by a second link",
    links: { "repo/.git/hooks/pre-commit": "../../../c/a", "c/a": "../ends/end" },
    replaced: "c/a",
  },
  {
    name: "a hook, by a folder that is a link",
    links: { "repo/.git/hooks/pre-commit": "../../../c/d/end", "c/d": "../ends" },
    replaced: "c/d",
  },
  {
    name: "a hook, by a folder that is gone into and left again",
    links: { "repo/.git/hooks/pre-commit": "../../../c/x/../../ends/end" },
    replaced: "c/x",
  },
  {
    name: "a hook, by the last of three",
    links: { "repo/.git/hooks/pre-commit": "../../../b/a", "b/a": "../c/a", "c/a": "../ends/end" },
    replaced: "c/a",
  },
  {
    name: "the configuration, by a second link",
    links: { "repo/.git/config": "../../c/cfg", "c/cfg": "../ends/end" },
    replaced: "c/cfg",
  },
  {
    name: "the folder of hooks, by a second link",
    links: { "repo/.git/hooks": "../../c/h", "c/h": "../ends" },
    replaced: "c/h",
  },
  {
    name: "a name that a wildcard protects, by a second link",
    links: { "sub/.envrc": "../c/e", "c/e": "../ends/end" },
    replaced: "c/e",
  },
  {
    name: "one that leads nowhere yet",
    links: { "repo/.git/hooks/pre-commit": "../../../c/a", "c/a": "../ends/none" },
    replaced: "c/a",
  },
];

describe.skipIf(unusable !== null).each(PEOPLE)("what a protected link leads to, as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  it.each(CASES)("git.exec: $name, is what it was after a call", async ({ links, replaced }) => {
    for (const folder of [
      "repo/.git/objects",
      "repo/.git/refs",
      "repo/.git/hooks",
      "ends",
      "c/x",
      "b",
      "free",
    ])
      mkdirSync(join(place.ws, folder), { recursive: true });
    place.file("ws/repo/.git/HEAD", "ref: refs/heads/main\n");
    place.file("ws/ends/end", "");
    for (const [at, to] of Object.entries(links)) {
      mkdirSync(dirname(join(place.ws, at)), { recursive: true });
      if (at.endsWith("hooks")) place.remove("ws/repo/.git/hooks");
      symlinkSync(to, join(place.ws, at));
    }
    symlinkSync("../ends/end", join(place.ws, "free/a"));
    place.ownAll();
    const swap = (path: string) =>
      `(mv ${path} ${path}.old || rm -rf ${path}); ln -s ../made ${path}; [ "$(readlink ${path})" = ../made ] && echo swapped ${path}`;
    const [, reply] = await place.runServed({
      job: {
        calls: [{ argv: ["sh", "-c", `mkdir made; ${swap("free/a")}; ${swap(replaced)}; mv c c.old; true`] }],
      },
    });
    expect(reply).toMatchObject({ kind: "ran", stdout: "swapped free/a\n" });
    expect(readlinkSync(join(place.ws, "free/a"))).toBe("../made");
    const to = links[replaced];
    if (to === undefined) expect(existsSync(join(place.ws, replaced, "."))).toBe(true);
    else expect(readlinkSync(join(place.ws, replaced))).toBe(to);
  });

  it("git.exec: what stands in a root itself, behind a protected link, stays what it is while the root is worked in", async () => {
    for (const folder of ["repo/.git/objects", "repo/.git/refs", "repo/.git/hooks"])
      mkdirSync(join(place.ws, folder), { recursive: true });
    place.file("ws/repo/.git/HEAD", "ref: refs/heads/main\n");
    place.file("ws/end", "");
    symlinkSync("../../../a", join(place.ws, "repo/.git/hooks/pre-commit"));
    symlinkSync("end", join(place.ws, "a"));
    place.ownAll();
    const line = "touch new && mv new made; ln -sfn made a; mv a b; rm -f a; true";
    const [, reply] = await place.runServed({ job: { calls: [{ argv: ["sh", "-c", line] }] } });
    expect(reply).toMatchObject({ kind: "ran", code: 0 });
    expect(readlinkSync(join(place.ws, "a"))).toBe("end");
    expect(existsSync(join(place.ws, "made"))).toBe(true);
  });

  it("git.exec: beside a protected link all is written, by commands and by tools for files, and the link is what it was", async () => {
    linkProtected(place);
    const told = (path: string) => ({ tool: "write_file", input: { path: `ws:${path}`, content: "x\n" } });
    const held = [".npmrc", ".vscode/settings.json", "packages/a/.npmrc", "packages/a/.envrc"];
    const free = ["packages/a/z.ts", "packages/a/src/y.ts", "top.ts", ".npmrc2"];
    const [, ran, ...written] = await place.runServed({
      job: {
        calls: [{ argv: ["sh", "-c", LINKS_ARE_HELD] }],
        steps: [...free, ...held].map(told),
      },
    });
    expect(ran).toMatchObject({ kind: "ran", code: 0 });
    expect(
      written.map((reply) => ("told" in reply && reply.told === "DENIED" ? "denied" : reply.kind)),
    ).toEqual([...free.map(() => "told"), ...held.map(() => "denied")]);
    expect(readlinkSync(join(place.ws, "packages/a/.npmrc"))).toBe("../../.npmrc");
    expect([place.read("ws/shared/npmrc"), place.read("ws/packages/a/z.ts")]).toEqual(["a=1\n", "x\n"]);
  });
});
