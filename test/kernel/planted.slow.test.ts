import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import type { TestSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { fatesOf, heldIn, isThere, namesIn, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant");

const NO = () => ({ approved: false });
const PLANT = "mkdir -p a; echo evil > a/.envrc; echo plain > a/plain";

describe.skipIf(unusable !== null)("what a call makes and hosts execute", () => {
  it("is asked about once it is over and gone, with all that it holds, and comes back by a yes", async () => {
    const seen: unknown[] = [];
    const asked: Asked = new Asked((request) => {
      seen.push(isThere(at.place, "a/.envrc"), request.risk, request.safeArgs);
      return { approved: true };
    });
    await using at: TestSession = await standingWith("ask", { handler: asked });
    expect(fatesOf(await run(at, PLANT), at)).toEqual({ "a/.envrc": "kept" });
    const [request] = asked.requests;
    expect(asked.requests).toHaveLength(1);
    expect(JSON.stringify(request)).toContain("obeyed by direnv when a shell enters the folder");
    expect(seen).toMatchObject([
      false,
      "destructive",
      { call: "shell", made: [{ path: join(at.place.ws, "a/.envrc"), kind: "file", bytes: 5 }] },
    ]);
    expect([at.place.read("ws/a/.envrc"), heldIn(at.place)]).toEqual(["evil\n", []]);
    const types = at.journal.types.filter((type) => /^call\.(?:quarantined|restored)$/.test(type));
    expect(types).toEqual(["call.quarantined", "call.restored"]);
    // By the next call it was there.
    expect(fatesOf(await run(at, "true"), at)).toEqual({});
    expect((await run(at, "echo more >> a/.envrc")).kind).toBe("failed");
  });

  it.each<[who: string, handler: Asked | null, asks: number]>([
    ["says no", new Asked(NO), 1],
    ["is there to be asked", null, 0],
  ])("stays away where nobody %s", async (_, handler, asks) => {
    await using at = await standingWith("ask", { handler });
    expect(fatesOf(await run(at, PLANT), at)).toEqual({ "a/.envrc": "quarantined" });
    expect([namesIn(at.place, "a"), heldIn(at.place)]).toEqual([["plain"], ["a/.envrc"]]);
    expect(handler?.requests.length ?? 0).toBe(asks);
  });

  it.each<
    [how: string, appeared: "ask" | "quarantine" | "report" | null, operator: string | null, fate: string]
  >([
    ["the config says nothing", null, null, "kept"],
    ["the config says `quarantine`", "quarantine", null, "quarantined"],
    ["the config says `report`", "report", null, "reported"],
    ["an operator says `ask` to `report`", "report", "ask", "kept"],
    ["an operator says `quarantine` to `ask`", "ask", "quarantine", "quarantined"],
    ["an operator says `ask` to `quarantine`", "quarantine", "ask", "quarantined"],
  ])("is taken or not as the strictest says: %s", async (_, appeared, operator, fate) => {
    const profile = operator === null ? {} : { profile: { appeared: operator } };
    await using at = await standingWith(appeared, profile);
    expect(fatesOf(await run(at, PLANT), at)).toEqual({ "a/.envrc": fate });
    expect(at.asked.requests).toHaveLength(fate === "kept" ? 1 : 0);
    expect(namesIn(at.place, "a")).toEqual(fate === "quarantined" ? ["plain"] : [".envrc", "plain"]);
  });

  it.each([
    [
      "in a folder that was filled under another name",
      "mkdir t; echo x > t/settings.json; mv t .claude",
      ".claude/settings.json",
    ],
    ["as a link", "ln -s /etc/passwd .envrc", ".envrc"],
    ["as a link that leads nowhere", "mkdir a; ln -s nowhere a/.envrc", "a/.envrc"],
    ["as a hard link", "echo x > y; ln y .envrc", ".envrc"],
    ["as a FIFO", "mkfifo .envrc", ".envrc"],
    ["in a shut folder", "mkdir a; echo x > a/.envrc; chmod 500 a", "a/.envrc"],
    [
      "of which nobody may read anything",
      "mkdir .husky; echo x > .husky/pre-push; chmod 0 .husky/pre-push .husky",
      ".husky",
    ],
    [
      "in its own last moment",
      "(sleep 0.3; echo x > .envrc) & until [ -e .envrc ]; do sleep 0.01; done",
      ".envrc",
    ],
  ])("is not live however it was made: %s", async (_, line, path) => {
    await using at = await standingWith("quarantine");
    expect(fatesOf(await run(at, line), at)).toMatchObject({ [path]: "quarantined" });
    expect([isThere(at.place, path), heldIn(at.place)]).toEqual([false, [path]]);
    expect((await run(at, "true")).kind).toBe("done");
    expect(at.place.plainly(`rm -rf ${path.split("/")[0]} t y`).status).toBe(0);
    at.place.plainly(line);
    expect(isThere(at.place, path)).toBe(true);
  });

  it("is taken, and nobody is asked, where the call is aborted; one that took too long is asked about", async () => {
    const settings = { sandbox: { limits: { wall: "1s" } }, shell: { default: { approval: false } } };
    await using at = await standingWith("ask", { settings });
    const ending = new AbortController();
    const calling = run(at, "echo x > .envrc; echo x > ready; sleep 30", ending.signal);
    while (!existsSync(join(at.place.ws, "ready"))) await pause(10);
    ending.abort();
    await calling;
    expect([isThere(at.place, ".envrc"), heldIn(at.place), at.asked.requests.length]).toEqual([
      false,
      [".envrc"],
      0,
    ]);
    expect(await run(at, "echo x > .envrc; sleep 30")).toMatchObject({ kind: "timed-out" });
    expect([isThere(at.place, ".envrc"), at.asked.requests.length]).toEqual([true, 1]);
  });

  it("is not replaced by anything that came to stand there while somebody was asked", async () => {
    const asked: Asked = new Asked(() => {
      writeFileSync(join(at.place.ws, ".envrc"), "mine\n");
      return { approved: true };
    });
    await using at: TestSession = await standingWith("ask", { handler: asked });
    expect(fatesOf(await run(at, "echo evil > .envrc"), at)).toEqual({ ".envrc": "quarantined" });
    expect([at.place.read("ws/.envrc"), heldIn(at.place)]).toEqual(["mine\n", [".envrc"]]);
  });

  it("is given back to nobody who agreed to something else: it was changed while somebody was asked", async () => {
    const asked: Asked = new Asked(() => {
      at.place.plainly(`f=$(ls ${at.place.state}/cofferdam/quarantine/*/0); echo worse > $f`);
      return { approved: true };
    });
    await using at: TestSession = await standingWith("ask", { handler: asked });
    expect(fatesOf(await run(at, "echo evil > .envrc"), at)).toEqual({ ".envrc": "quarantined" });
    expect(isThere(at.place, ".envrc")).toBe(false);
  });

  it("of two calls at once is taken once, and no end of one takes what a person gave back to the other", async () => {
    await using at = await standingWith("ask");
    const long = run(at, "while ! [ -e go ]; do sleep 0.05; done; echo other > b");
    await pause(300);
    expect(fatesOf(await run(at, PLANT), at)).toEqual({ "a/.envrc": "kept" });
    writeFileSync(join(at.place.ws, "go"), "");
    expect(fatesOf(await long, at)).toEqual({ "a/.envrc": "reported" });
    expect([isThere(at.place, "a/.envrc"), at.asked.requests.length]).toEqual([true, 1]);
    // Once more, and changed by a third: that is nobody's yes.
    for (const name of ["go", "a"]) rmSync(join(at.place.ws, name), { recursive: true });
    const other = run(at, "while ! [ -e go ]; do sleep 0.05; done");
    await pause(300);
    await run(at, PLANT);
    at.place.plainly("echo third > a/.envrc");
    writeFileSync(join(at.place.ws, "go"), "");
    expect(fatesOf(await other, at)).toEqual({ "a/.envrc": "kept" });
    expect(at.asked.requests).toHaveLength(3);
  });
});

describe.skipIf(unusable !== null)("what one call hides until it is over, and another brings back,", () => {
  /** A line that goes on once there is a file of this name. */
  const after = (name: string, line: string): string => `until [ -e ${name} ]; do sleep 0.05; done; ${line}`;
  const go = ({ place }: TestSession, name: string): void => writeFileSync(join(place.ws, name), "");
  const there = async ({ place }: TestSession, name: string): Promise<void> => {
    while (!isThere(place, name)) await pause(10);
  };

  it.each([
    ["as a new file", "echo evil > .envrc", "mv .envrc gone", "echo evil > .envrc", ".envrc"],
    [
      "in a folder that is moved",
      "mv old .vscode",
      "mv .vscode gone",
      "cp -r gone .vscode",
      ".vscode/tasks.json",
    ],
    [
      "as a repository in which git runs something",
      "git init -q r; git -C r config core.fsmonitor ./x",
      "mv r/.git/config gone",
      "cp gone r/.git/config",
      "r/.git/config",
    ],
  ])("is not live once the other is over: %s", async (_, make, hide, bring, path) => {
    await using at = await standingWith("quarantine");
    await run(at, "mkdir old; echo evil > old/tasks.json");
    // Longer than the times of a file system may lag behind the clock.
    await pause(100);
    const first = run(at, `${make}; echo > made; ${after("hide", hide)}`);
    await there(at, "made");
    const second = run(at, `echo > begun; ${after("bring", bring)}`);
    await there(at, "begun");
    // Began while the second runs, which may bring it back as long as that lasts.
    go(at, "hide");
    expect(fatesOf(await first, at)).not.toHaveProperty([path]);
    expect(isThere(at.place, path)).toBe(false);
    go(at, "bring");
    await second;
    expect([isThere(at.place, path), heldIn(at.place)]).toEqual([false, [path]]);
  });

  it("is taken too where a third call was in between, which both ran beside", async () => {
    await using at = await standingWith("quarantine");
    const first = run(at, `echo evil > .envrc; echo > made; ${after("hide", "mv .envrc gone")}`);
    await there(at, "made");
    const second = run(
      at,
      `echo > begun; ${after("show", "cp gone .envrc; echo > shown")}; ${after("hide2", "rm .envrc")}`,
    );
    await there(at, "begun");
    go(at, "hide");
    await first;
    go(at, "show");
    await there(at, "shown");
    const third = run(at, `echo > begun3; ${after("bring", "cp gone .envrc")}`);
    await there(at, "begun3");
    go(at, "hide2");
    await second;
    expect(heldIn(at.place)).toEqual([]);
    go(at, "bring");
    await third;
    expect([isThere(at.place, ".envrc"), heldIn(at.place)]).toEqual([false, [".envrc"]]);
  });

  it.each<[what: string, change: string, fate: string, content: string, asks: number]>([
    ["takes nothing else: what was there before both, and what was given back", "true", "reported", "x", 1],
    // Nobody knows who did: the other call could, as no mask of its own covers what was put there meanwhile.
    ["asks about what was given back and changed since", "echo more > a/.envrc", "kept", "more", 2],
  ])("%s", async (_, change, fate, content, asks) => {
    await using at = await standingWith("ask", {}, (place) => {
      place.plainly("mkdir old; echo mine > old/.envrc");
    });
    const first = run(at, "mkdir a; echo x > a/.envrc; echo > made; until [ -e go ]; do sleep 0.05; done");
    await there(at, "made");
    const second = run(at, after("go2", "echo > b"));
    await pause(500);
    go(at, "go");
    expect(fatesOf(await first, at)).toEqual({ "a/.envrc": "kept" });
    at.place.plainly(`${change}; echo more >> old/.envrc; touch old`);
    go(at, "go2");
    expect(fatesOf(await second, at)).toEqual({ "a/.envrc": fate });
    expect([at.asked.requests.length, at.place.read("ws/a/.envrc")]).toEqual([asks, `${content}\n`]);
  });

  it.each([
    ["changes it", "echo EVIL > .envrc"],
    ["gives it another name", "ln .envrc other"],
  ])(
    "takes what was given back meanwhile where the other %s, which found it there as it began",
    async (_, line) => {
      let yes = true;
      await using at = await standingWith("ask", { handler: new Asked(() => ({ approved: yes })) });
      const first = run(at, `echo mine > .envrc; echo > made; ${after("go", "true")}`);
      await there(at, "made");
      const second = run(at, `echo > begun; ${after("go2", line)}`);
      await there(at, "begun");
      go(at, "go");
      expect(fatesOf(await first, at)).toEqual({ ".envrc": "kept" });
      yes = false;
      go(at, "go2");
      expect(fatesOf(await second, at)).toEqual({ ".envrc": "quarantined" });
      expect(isThere(at.place, ".envrc")).toBe(false);
    },
  );

  it("takes what a person made while both ran no sooner than the call that it was new to", async () => {
    await using at = await standingWith("ask");
    const first = run(at, `echo > begun; ${after("go", "true")}`);
    await there(at, "begun");
    at.place.plainly("echo mine > .envrc");
    expect(fatesOf(await run(at, "true"), at)).toEqual({});
    expect([isThere(at.place, ".envrc"), at.asked.requests.length]).toEqual([true, 0]);
    go(at, "go");
    expect(fatesOf(await first, at)).toEqual({ ".envrc": "kept" });
  });
});

describe.skipIf(unusable !== null)("a link that a checkout brings", () => {
  const repository = (
    name: string,
    to: string,
  ) => `git init -q . && mkdir -p sub/.claude real && echo '{}' > real/settings.json &&
    echo x > target && ln -s ${to} ${name} && git add -A && git -c user.name=n -c user.email=e commit -qm a && git tag t &&
    git rm -q ${name} && git -c user.name=n -c user.email=e commit -qm b; mkdir -p sub`;

  it.each([
    [
      "right in a writable root is taken, for no later call could be made beside it",
      ".envrc",
      "target",
      ".envrc",
      "quarantined",
    ],
    [
      "right in a writable root is taken where it leads to such a name",
      ".claude",
      "real",
      ".claude/settings.json",
      "quarantined",
    ],
    [
      "deeper in one stays, as all that was committed before",
      "sub/.envrc",
      "../target",
      "sub/.envrc",
      "reported",
    ],
  ])("%s", async (_, link, to, path, fate) => {
    await using at = await standingWith("ask", { handler: null }, (place) => {
      expect(place.plainly(repository(link, to)).status).toBe(0);
      place.ownAll();
    });
    expect(fatesOf(await run(at, `git checkout -q t -- ${link}`), at)).toEqual({ [path]: fate });
    expect(isThere(at.place, link)).toBe(fate === "reported");
    expect((await run(at, "true")).kind).toBe("done");
    // The twin: a file that was committed stays there.
    const file = await run(at, `git checkout -q t -- target`);
    expect([file.kind, readFileSync(join(at.place.ws, "target"), "utf8")]).toEqual(["done", "x\n"]);
  });
});
