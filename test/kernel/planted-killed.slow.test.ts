import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { endingOf } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { heldIn, isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("what killed calls plant");

const settings = (appeared: string) => ({
  sandbox: { appeared },
  shell: { default: { approval: false } },
});

/** Runs a line, and kills its supervisor once it has made `ready`. */
async function killedAt(place: Place, line: string, appeared: string): Promise<void> {
  const child = place.start({
    job: { calls: [{ argv: ["sh", "-c", `${line}; echo x > ready; sleep 30`] }] },
    settings: settings(appeared),
  });
  while (!existsSync(join(place.ws, "ready"))) await pause(10);
  const ending = endingOf(child);
  child.kill("SIGKILL");
  await ending;
}

async function next(place: Place, appeared: string): Promise<void> {
  const ran = await place.run({ job: { calls: [{ argv: ["true"] }] }, settings: settings(appeared) });
  expect(ran).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
}

describe.skipIf(unusable !== null).each(PEOPLE)("a supervisor that is killed, as $name,", (person) => {
  it.each([
    ["quarantine", "quarantine", true],
    ["quarantine", "report", true],
    ["report", "quarantine", true],
    ["report", "report", false],
  ])(
    "leaves what its call made to the next one, which does with it what the stricter config says: `%s`, then `%s`",
    async (then, now, isTaken) => {
      using place = new Place(person);
      await killedAt(place, "mkdir a .husky; echo x | tee a/.envrc .husky/pre-push > plain", then);
      expect([isThere(place, "a/.envrc"), isThere(place, ".husky")]).toEqual([true, true]);
      // Its processes end with it, a moment later.
      await pause(100);
      await next(place, now);
      expect([isThere(place, "a/.envrc"), isThere(place, ".husky")]).toEqual([!isTaken, !isTaken]);
      expect([heldIn(place), isThere(place, "plain")]).toEqual([isTaken ? [".husky", "a/.envrc"] : [], true]);
    },
  );
});

describe.skipIf(unusable !== null).each(PEOPLE)(
  "a call that moved folders and was cut off, as $name,",
  (person) => {
    const MINE = `mkdir -p node_modules/.bin node_modules/b p a c e; echo mine | tee node_modules/.bin/node > node_modules/b/.envrc;
    ln -s ../node_modules/b p/m; ln -s ../e a/l; echo '{"directories":{"bin":"x"}}' > c/package.json`;
    const EARLIER = `mkdir -p x/.bin q/r q/s node_modules/v node_modules/u; echo evil | tee x/.bin/sh > node_modules/v/.envrc;
    ln -s ../node_modules/v q/r/l; ln -s ../node_modules/v q/s/l; echo '{"bin":{"cofferdam":"x"}}' > node_modules/u/package.json`;
    const CUT_OFF = `mkdir n; mv x n/node_modules; mv q/r z; mv a a.old; mv q/s a; mv node_modules/u u;
    echo more | tee p/f c/f node_modules/f node_modules/.bin/f`;
    const TAKEN = ["a/l", "n/node_modules/.bin/sh", "u/package.json", "z/l"];
    const STAYS = ["node_modules/.bin/node", "node_modules/b/.envrc", "p/m", "c/package.json", "a.old/l"];

    it("leaves nothing of what these brought, and all that was there", async () => {
      using place = new Place(person);
      expect(place.plainly(MINE)).toMatchObject({ status: 0, stderr: "" });
      const earlier = { calls: [{ argv: ["sh", "-c", EARLIER] as [string, ...string[]] }] };
      expect(await place.run({ job: earlier, settings: settings("quarantine") })).toMatchObject([
        {},
        { code: 0 },
      ]);
      expect(heldIn(place)).toEqual([]);
      await pause(100);
      await killedAt(place, CUT_OFF, "quarantine");
      expect([...TAKEN, ...STAYS].filter((path) => !isThere(place, path))).toEqual([]);
      await pause(100);
      await next(place, "quarantine");
      expect(heldIn(place)).toEqual(TAKEN);
      expect([...TAKEN, ...STAYS].filter((path) => isThere(place, path))).toEqual(STAYS);
    });
  },
);

// What follows waits long, and does little: all of it waits at once.
test.skipIf(unusable !== null)(
  "of a call that was cut off all is taken, however late it made it, and nothing that came to be once it was over",
  { concurrent: true },
  async () => {
    using place = new Place(CALLER);
    // Longer than a sign of life holds.
    const repository = "git init -q r; git -C r config core.fsmonitor ./x";
    const line = `mkdir a b; sleep 7; echo x | tee a/.envrc b/.envrc > plain; ${repository}`;
    await killedAt(place, line, "quarantine");
    await pause(7_000);
    const mine = `mkdir c; echo mine | tee c/.envrc a/.mcp.json; ln -s a l; mkdir .husky; echo x > .husky/pre-push;
      mv b/.envrc b/moved; echo mine > b/.envrc; mv b/moved .envrc; echo more >> a/.envrc; git -C r config a.b c;
      git init -q s; git -C s config core.fsmonitor ./x`;
    expect(place.plainly(mine).status).toBe(0);
    await next(place, "quarantine");
    expect(heldIn(place)).toEqual([".envrc", "a/.envrc", "r/.git/config"]);
    const left = ["c/.envrc", "a/.mcp.json", ".husky/pre-push", "b/.envrc", "s/.git/config"];
    expect(left.filter((name) => isThere(place, name))).toEqual(left);
  },
);

describe.skipIf(unusable !== null).each(PEOPLE)(
  "a supervisor that stands still before it is killed, as $name,",
  { concurrent: true },
  (person) => {
    it("leaves all that its call made to the next one, and nothing that came to be since", async () => {
      using place = new Place(person);
      const line = "echo x > ready; sleep 10; mkdir a; echo x > a/.envrc; echo x > planted; sleep 30";
      const child = place.start({
        job: { calls: [{ argv: ["sh", "-c", line] }] },
        settings: settings("quarantine"),
      });
      while (!isThere(place, "ready")) await pause(10);
      // Its signs of life hold for longer than this, and for less than until the file is made.
      await pause(2_500);
      child.kill("SIGSTOP");
      while (!isThere(place, "planted")) await pause(10);
      const ending = endingOf(child);
      child.kill("SIGKILL");
      await ending;
      await pause(7_000);
      expect(place.plainly("mkdir mine; echo x > mine/.envrc").status).toBe(0);
      await next(place, "quarantine");
      expect([heldIn(place), isThere(place, "mine/.envrc")]).toEqual([["a/.envrc"], true]);
    });
  },
);
