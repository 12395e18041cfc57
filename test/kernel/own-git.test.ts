import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the caller's own git configuration");

/** Where the caller's own configuration lies, and what of it lies in the root. */
interface Case {
  readonly name: string;
  readonly make: (place: Place) => { readonly env: Readonly<Record<string, string>>; readonly path: string };
}

const CASES: readonly Case[] = [
  {
    name: "that GIT_CONFIG_GLOBAL names",
    make: (place) => ({ env: { GIT_CONFIG_GLOBAL: place.file("ws/own", "[user]\n") }, path: "own" }),
  },
  {
    name: "that GIT_CONFIG_SYSTEM names, and that is not there yet",
    make: (place) => ({ env: { GIT_CONFIG_SYSTEM: join(place.ws, "own") }, path: "own" }),
  },
  {
    name: "of a home for configurations",
    make: (place) => {
      mkdirSync(join(place.ws, "xdg/git"), { recursive: true });
      place.file("ws/xdg/git/config", "[user]\n");
      return { env: { XDG_CONFIG_HOME: join(place.ws, "xdg") }, path: "xdg/git/config" };
    },
  },
  {
    name: "that is a link into the root",
    make: (place) => {
      place.folder("home/.config/git");
      mkdirSync(join(place.ws, "dot"));
      symlinkSync(place.file("ws/dot/own", "[user]\n"), join(place.top, "home/.config/git/config"));
      return { env: { HOME: join(place.top, "home"), XDG_CONFIG_HOME: "" }, path: "dot/own" };
    },
  },
  {
    name: "that it includes",
    make: (place) => {
      place.folder("home");
      place.file("home/.gitconfig", `[include]\npath = ${place.ws}/own\n`);
      return { env: { HOME: join(place.top, "home") }, path: "own" };
    },
  },
  {
    name: "in whose folder of hooks it is",
    make: (place) => {
      place.folder("home");
      mkdirSync(join(place.ws, "hooks"));
      place.file("ws/hooks/pre-commit", "#!/bin/sh\n");
      place.file("home/.gitconfig", `[core]\nhooksPath = ${place.ws}/hooks\n`);
      return { env: { HOME: join(place.top, "home") }, path: "hooks/pre-commit" };
    },
  },
];

describe.skipIf(unusable !== null).each(PEOPLE)("what git of $name obeys everywhere", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  it.each(CASES)(
    "git.exec: a file $name stays as it is, in a root without any repository",
    async ({ make }) => {
      const { env, path } = make(place);
      place.ownAll();
      const line = (at: string): string =>
        `(echo "[core]" >>${at}) && echo wrote ${at}; (rm -f ${at} && echo made >${at}) && echo made ${at}`;
      const [, reply] = await place.runServed({
        env,
        job: { calls: [{ argv: ["sh", "-c", `${line("other")}; ${line(path)}; true`] }] },
      });
      expect(reply).toMatchObject({ kind: "ran", stdout: "wrote other\nmade other\n" });
      expect(readFileSync(join(place.ws, "other"), "utf8")).toBe("made\n");
    },
  );
});
