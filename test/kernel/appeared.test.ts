import { symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Appearances } from "../../src/host/appeared.ts";
import type { Outcome } from "../../src/index.ts";
import { type Standing, standingIn } from "../support/approval/standing.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("what appeared");

const standing = (
  prepare: Parameters<typeof standingIn>[0] = () => undefined,
  sandbox: Readonly<Record<string, unknown>> = {},
): Promise<Standing> =>
  standingIn(prepare, { settings: { sandbox, shell: { default: { approval: false } } } });

function appeared(outcome: Outcome, { place }: Standing): Appearances {
  if (!("receipt" in outcome) || outcome.receipt === null) throw new Error(JSON.stringify(outcome));
  const { found, unknown } = outcome.receipt.appeared;
  return {
    found: found.map((one) => ({ ...one, path: one.path.replace(`${place.ws}/`, "") as typeof one.path })),
    unknown,
  };
}

describe.skipIf(unusable !== null)("fs.missing: what a call makes that only a wildcard protects", () => {
  it.each([
    ["nothing where nothing of the kind was made", "mkdir -p a/b; echo x > a/b/envrc", []],
    ["a file that other programs obey", "mkdir a; echo x > a/.envrc", [["a/.envrc", "protected", []]]],
    ["a repository, once", "git init -q n", [["n/.git", "repository", []]]],
    [
      "a repository in which git may run something",
      "git init -q n; printf x > n/.git/hooks/pre-push; chmod +x n/.git/hooks/pre-push; git -C n config core.fsmonitor ./x",
      [["n/.git", "repository", ["hooks/pre-push", "core.fsmonitor"]]],
    ],
    ["a bare repository of any name", "git init -q --bare n/x", [["n/x", "repository", []]]],
    [
      "one that was put together by hand",
      "mkdir -p n/objects n/refs; echo ref: refs/heads/x > n/HEAD",
      [["n", "repository", []]],
    ],
    [
      "a worktree of a repository that was there, by the file that leads to it",
      "cd repo && git worktree add -q ../w",
      [["w/.git", "repository", []]],
    ],
    [
      "a file that leads to a repository",
      "mkdir n; echo gitdir: ../repo/.git > n/.git",
      [["n/.git", "repository", []]],
    ],
    ["a link in the place of one", "mkdir n; ln -s ../repo/.git n/.git", [["n/.git", "repository", []]]],
  ] as const)("is told: %s", async (_, line, found) => {
    await using at = await standing((place) => {
      place.plainly(
        "git init -q repo && git -C repo -c user.name=n -c user.email=e commit -q --allow-empty -m a",
      );
      place.ownAll();
    });
    const outcome = await at.session.call("shell", { argv: ["sh", "-c", line] });
    expect(outcome).toMatchObject({ kind: "done" });
    expect(appeared(outcome, at)).toEqual({
      found: found.map(([path, kind, runs]) => ({ path, kind, runs })),
      unknown: null,
    });
    const told = at.journal.events.filter(({ type }) => type === "call.appeared");
    expect(told).toHaveLength(found.length === 0 ? 0 : 1);
  });

  it("is told once: at the next call it was there", async () => {
    await using at = await standing();
    for (const kinds of [["repository"], []]) {
      const outcome = await at.session.call("shell", { argv: ["sh", "-c", "[ -e n ] || git init -q n"] });
      expect(appeared(outcome, at).found.map(({ kind }) => kind)).toEqual(kinds);
    }
    expect((await at.session.call("shell", { argv: ["sh", "-c", "echo x > n/.git/commondir"] })).kind).toBe(
      "failed",
    );
  });

  it("git.exec: half a repository counts: no call can take it apart for the next one to use", async () => {
    await using at = await standing((place) => void place.plainly("git init -q ."));
    const run = (line: string) => at.session.call("shell", { argv: ["sh", "-c", line] });
    expect((await run("mv .git/HEAD .git/HEAD2")).kind).toBe("done");
    expect((await run("echo x > .git/commondir")).kind).toBe("failed");
    const restored = await run("mv .git/HEAD2 .git/HEAD");
    expect(appeared(restored, at).found.map(({ path, kind }) => [path, kind])).toEqual([
      [".git", "repository"],
    ]);
  });
});

describe.skipIf(unusable !== null)("git.exec: a repository that is reached by a link", () => {
  it("right in a writable root is refused, because nothing could hold the link", async () => {
    await using at = await standing((place) => {
      place.plainly("git init -q --separate-git-dir=real .");
      place.remove("ws/.git");
      symlinkSync("real", `${place.ws}/.git`);
    });
    const outcome = await at.session.call("shell", { argv: ["true"] });
    expect(outcome).toMatchObject({ kind: "denied", code: "NOT_ENFORCEABLE" });
    expect(outcome).toHaveProperty("reason", expect.stringContaining(`${at.place.ws}/.git is a symlink`));
  });

  it("deeper in one makes the folder of the link read-only, and others stay as they are", async () => {
    await using at = await standing((place) => {
      place.plainly("mkdir sub other && git init -q --bare real");
      symlinkSync("../real", `${place.ws}/sub/.git`);
    });
    const run = (line: string) => at.session.call("shell", { argv: ["sh", "-c", line] });
    expect((await run("rm sub/.git")).kind).toBe("failed");
    expect((await run("echo x > real/config")).kind).toBe("failed");
    expect((await run("echo x > other/a ")).kind).toBe("done");
  });
});

describe.skipIf(unusable !== null)("git.exec: file tools", () => {
  it("change nothing that git obeys, and say why; beside it they may", async () => {
    await using at = await standing((place) => {
      place.plainly("git init -q r && git init -q --bare bare && mkdir w && echo gitdir: ../r/.git > w/.git");
      place.plainly("git -C r config core.hooksPath tools");
      place.ownAll();
    });
    const write = (path: string) => at.session.call("write_file", { path, content: "x\n" });
    for (const path of [
      "r/.git/commondir",
      "r/.git/config",
      "bare/commondir",
      "bare/config",
      "w/.git",
      "r/tools/pre-push",
    ]) {
      const outcome = await write(`ws:${path}`);
      expect([path, outcome.kind]).toEqual([path, "denied"]);
      expect([path, JSON.stringify(outcome)]).toEqual([
        path,
        expect.stringContaining("outside of the walls"),
      ]);
    }
    for (const path of ["r/.git/HEAD2", "bare/other", "w/git", "r/tools2", "r/commondir"])
      expect([path, (await write(`ws:${path}`)).kind]).toEqual([path, "done"]);
  });
});
