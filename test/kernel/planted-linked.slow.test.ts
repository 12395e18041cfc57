import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import type { TestSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";
import { fatesOf, isThere, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant under two names");

const NAMES = [".envrc", ".vscode/tasks.json", ".husky/pre-commit", ".claude/settings.json"];
const PLANT = "mkdir -p .vscode .husky .claude; for f in $NAMES; do echo mine > $f; done";
const COMMIT = `NAMES='${NAMES.join(" ")}'; git init -q -b main . && ${PLANT} && echo x > a && git add ${NAMES.join(" ")} a &&
  git -c user.name=n -c user.email=e commit -q -m first`;

describe.skipIf(unusable !== null).each(PEOPLE)(
  "planted: what a commit held before, under another name, as $name",
  (person) => {
    let place: Place;
    beforeEach(() => {
      place = new Place(person);
      expect(place.plainly(COMMIT)).toMatchObject({ status: 0, stderr: "" });
    });
    afterEach(() => place[Symbol.dispose]());

    async function calls(...lines: readonly string[]): Promise<void> {
      // Longer than the times of a file system may lag behind the clock.
      await pause(100);
      const job = { calls: lines.map((line) => ({ argv: ["sh", "-c", line] as const })) };
      const [, ...replies] = await place.runServed({
        job: { calls: job.calls.map(({ argv }) => ({ argv: [...argv] })) },
        settings: QUARANTINE,
      });
      expect(replies).toEqual(lines.map(() => expect.objectContaining({ kind: "ran", code: 0 })));
    }

    const found = (folder: string): string =>
      place.plainly(`cat ${folder}/${NAMES.join(` ${folder}/`)}`).stdout;
    const linked = (folder: string): string =>
      NAMES.map((name, at) => `ln ${folder}/${name} other${at}`).join(" && ");
    const CHANGE = "for f in other?; do echo EVIL > $f; done";

    it.each([
      ["a clone", "git clone -q . c", "c"],
      ["a worktree", "git worktree add -q wt HEAD", "wt"],
    ])("is changed by no later call: brought by %s", async (_, bring, folder) => {
      await calls(`${bring} && ${linked(folder)}`, CHANGE);
      expect(found(folder)).toBe("");
      expect(place.plainly(`cat ${folder}/a`).stdout).toBe("x\n");
      // The twin: under its own name alone it stays, and another name of what is no file of hosts hurts nobody.
      place.plainly(`rm -rf ${folder} other?; git worktree prune`);
      await calls(`${bring} && cp ${folder}/.envrc other0 && ln ${folder}/a other1`, CHANGE);
      expect(found(folder)).toBe("mine\n".repeat(NAMES.length));
      expect(place.plainly(`cat ${folder}/a other0`).stdout).toBe("EVIL\nEVIL\n");
    });

    it("is changed by the same commands without the sandbox: the attack is real", async () => {
      expect(place.plainly(`git clone -q . c && ${linked("c")} && ${CHANGE}`).status).toBe(0);
      expect(found("c")).toBe("EVIL\n".repeat(NAMES.length));
    });

    it("is taken where another name of it is in the same folder, or leads there by a link", async () => {
      await calls(
        "git clone -q . c && ln c/.husky/pre-commit c/.husky/post-merge; ln c/.claude/settings.json s; git clone -q . d && rm d/.envrc && ln -s a d/.envrc",
      );
      expect(place.plainly("cat c/.husky/* c/.claude/* d/.envrc").stdout).toBe("");
      expect(place.plainly("cat c/.envrc d/.husky/pre-commit").stdout).toBe("mine\nmine\n");
    });
  },
);

describe.skipIf(unusable !== null)("what a person said yes to, under another name,", () => {
  const go = ({ place }: TestSession, name: string): void => writeFileSync(join(place.ws, name), "");
  const there = async ({ place }: TestSession, name: string): Promise<void> => {
    while (!isThere(place, name)) await pause(10);
  };
  const WAITS = "echo > waits; until [ -e go ]; do sleep 0.02; done";
  const PARTS = [
    ["a file", "echo mine > .envrc", ".envrc", ".envrc"],
    ["a file in a folder", "mkdir .husky; echo mine > .husky/pre-push", ".husky/pre-push", ".husky"],
    [
      "a hook of a repository",
      "git init -q r; mkdir -p r/.git/hooks; echo mine > r/.git/hooks/pre-push; chmod +x r/.git/hooks/pre-push",
      "r/.git/hooks/pre-push",
      "r/.git",
    ],
    [
      "a repository's configuration",
      "git init -q r; git -C r config core.fsmonitor ./x",
      "r/.git/config",
      "r/.git",
    ],
  ] as const;

  it.each(PARTS)("at the question, comes back as another file: %s", async (_, make, file, path) => {
    await using at = await standingWith("ask");
    const outcome = await run(at, `${make}; ln ${file} other`);
    expect(fatesOf(outcome, at)).toMatchObject({ [path]: "kept" });
    const before = at.place.read(`ws/${file}`);
    await run(at, "echo EVIL > other");
    expect(at.place.read(`ws/${file}`)).toBe(before);
    expect(readFileSync(join(at.place.ws, "other"), "utf8")).toBe("EVIL\n");
  });

  it.each(PARTS)(
    "while another call ran that gives it that name, is asked about again: %s",
    async (_, make, file, path) => {
      let yes = true;
      const asked: Asked = new Asked(() => ({ approved: yes }));
      await using at = await standingWith("ask", { handler: asked });
      const other = run(at, `${WAITS}; ln ${file} other`);
      await there(at, "waits");
      expect(fatesOf(await run(at, make), at)).toMatchObject({ [path]: "kept" });
      yes = false;
      go(at, "go");
      const outcome = await other;
      expect(fatesOf(outcome, at)).toMatchObject({ [path]: "quarantined" });
      expect(JSON.stringify(outcome)).toMatch(
        /has another hard link\)|has a second hard link, through which a later call could change it/,
      );
      expect([isThere(at.place, file), asked.requests.length]).toEqual([false, 2]);
    },
  );

  it.each(PARTS)("stays as it is where no call gives it that name: %s", async (_, make, file, path) => {
    await using at = await standingWith("ask");
    const other = run(at, WAITS);
    await there(at, "waits");
    expect(fatesOf(await run(at, make), at)).toMatchObject({ [path]: "kept" });
    go(at, "go");
    expect(fatesOf(await other, at)).toMatchObject({ [path]: "reported" });
    expect([isThere(at.place, file), at.asked.requests.length]).toEqual([true, 1]);
  });

  it("before it was written, is asked about once it is there", async () => {
    const rules = [{ pattern: "write_file", action: "ask" }];
    const settings = { shell: { default: { approval: false } }, approval: { rules } };
    const asked: Asked = new Asked(({ tool }) => ({ approved: tool === "write_file" }));
    await using at = await standingWith("ask", { settings, handler: asked, inPath: "tools" }, (place) => {
      place.folder("ws/tools");
    });
    const path = "tools/sh";
    const other = run(at, `echo > waits; until ln ${path} other 2> /dev/null; do :; done`);
    await there(at, "waits");
    await at.session.call("write_file", { path: `ws:${path}`, content: "agreed\n" });
    await other;
    await run(at, "echo EVIL > other");
    expect(isThere(at.place, path)).toBe(false);
    expect(asked.tools).toContain("write_file");
  });
});
