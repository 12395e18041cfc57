import { spawn } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type RaceJob, RaceResult } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, compileCacheFor, PEOPLE, type Person, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("races with the set-up");

/** So often is it tried while names are swapped. */
const CALLS = IS_LONG ? 400 : 8;
const SET_UPS = IS_LONG ? 1_000 : 25;

/** Where the link leads: a path of the host, or the same as it is called while a launcher sets up. */
const WAYS = [
  ["a folder that is bound", "", "ws"],
  ["a folder above a mount point, as launchers see the host", "/oldroot", "ws"],
  ["the root itself, which lies in another's", "", "ws/a"],
] as const;

/**
 * Also with symlinks that a launcher in between puts mounts on: no call can move what holds one, but whoever works outside of
 * sandboxes can.
 */
const HELD_WAYS = [
  ...WAYS.map((way) => [...way, false] as const),
  ["a folder that holds protected symlinks", "", "ws", true] as const,
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each(HELD_WAYS)(
    "fs.dest: beside a program that swaps %s for a link, calls make nothing where it leads",
    async (_what, prefix, root, isLinked) => {
      const result = await race(person, { prefix, root, isLinked, tries: CALLS, how: "calls" });
      expect(result.made).toEqual([]);
      expect(result.ran + result.notBuilt).toBeGreaterThan(10);
    },
  );

  it.each(HELD_WAYS)(
    "fs.dest: where %s is swapped for a link, no set-up in a shelter is led astray",
    async (_what, prefix, root, isLinked) => {
      const result = await race(person, { prefix, root, isLinked, tries: SET_UPS, how: "sheltered" });
      expect(result.made).toEqual([]);
      expect(Math.min(result.ran, result.notBuilt)).toBeGreaterThan(0);
    },
  );

  it.each(WAYS)(
    "fs.dest: where %s is swapped for a link, a set-up out of any shelter is led astray",
    async (_what, prefix, root) => {
      const result = await race(person, { prefix, root, isLinked: false, tries: 5_000, how: "plain" });
      expect(result.made).not.toEqual([]);
    },
  );
});

interface Race {
  readonly prefix: string;
  readonly root: string;
  readonly isLinked: boolean;
  readonly tries: number;
  readonly how: RaceJob["how"];
}

async function race(person: Person, { prefix, root, isLinked, tries, how }: Race): Promise<RaceResult> {
  using place = new Place(person);
  place.folder("ws/a");
  place.folder("ws/a/hidden");
  place.file("ws/a/fixed", "old");
  symlinkSync(`${prefix}${place.outside}`, join(place.ws, "link"));
  if (isLinked) {
    place.file("ws/a/shared", "a=1\n");
    for (const [link, to] of [
      [".npmrc", "shared"],
      [".envrc", "nowhere"],
    ] as const)
      symlinkSync(to, join(place.ws, "a", link));
  }
  const mask = (name: string, atMost: string) => ({ pattern: join(place.ws, "a", name), at_most: atMost });
  const config = (of: string): string =>
    JSON.stringify({
      version: 1,
      sandbox: { paths: { ws: { root: of, mode: "rw", write_approval: false } }, runtimes: ["system"] },
    });
  const profile = {
    profile: "masked",
    masks: [mask("hidden", "none"), mask("fixed", "read")],
    expect: [{ deny: "read", path: join(place.ws, "a/hidden") }],
  };
  const job = {
    ws: place.ws,
    folder: join(place.ws, "a"),
    link: join(place.ws, "link"),
    root: join(place.top, root),
    outside: place.outside,
    wide: place.file("wide.yaml", config(place.ws)),
    narrow: place.file("narrow.yaml", config(join(place.top, root))),
    profile: place.file("masked.yaml", JSON.stringify(profile)),
    tries,
    how,
    isSandboxed: !isLinked,
  } satisfies RaceJob;
  const [program = "", ...words] = [
    ...runFile(checkoutFor(person), "race-driver.ts"),
    place.file("job.json", JSON.stringify(job)),
  ];
  const env = {
    PATH: "/usr/bin:/bin",
    XDG_STATE_HOME: place.state,
    NODE_COMPILE_CACHE: compileCacheFor(person),
  };
  const child = spawn(program, words, { ...person.runAs, cwd: place.ws, env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === "") throw new Error(err);
  expect(readdirSync(place.outside)).toEqual([]);
  console.info(`as ${person.name}, ${how}: ${out.trim()}`);
  return RaceResult.parse(JSON.parse(out));
}
