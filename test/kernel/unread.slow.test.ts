import { describe, expect, it } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what git reads of a repository otherwise than whoever looks at it");

const inShell = (line: string): { argv: [string, ...string[]] } => ({ argv: ["sh", "-c", line] });

/** What git may run in each repository that a call made, by its path below the root. */
function told(reply: Reply | undefined, { ws }: Place): Readonly<Record<string, readonly string[]>> {
  if (reply?.kind !== "ran" || reply.code !== 0) throw new Error(JSON.stringify(reply));
  return Object.fromEntries(
    (reply.appeared ?? []).map(({ path, runs }) => [path.replace(`${ws}/`, ""), runs]),
  );
}

/** Repositories of which git obeys a program, `$O NAME`, that can't be found by reading the file as it seems. */
const HIDDEN = `git init -q nul; git init -q huge; git init -q where; git init -q hooks; git init -q hook; git init -q section
  git init -q tree; git init -q closed; git init -q plain
  printf '[remote "origin"]\\nurl = ../src\\n[remote "origin.uploadpack\\0"]\\nfetch = ../obey nul;git-upload-pack\\n' >> nul/.git/config
  head -c 4194304 /dev/zero | tr '\\0' '#' >> huge/.git/config; printf '\\n[core]\\nfsmonitor = ../obey huge\\n' >> huge/.git/config
  mv where/.git/config where/cfg; ln -s /proc/self/cwd/cfg where/.git/config; printf '[core]\\nfsmonitor = ../obey where\\n' >> where/cfg
  rm -rf hooks/.git/hooks; mkdir hooks/h; printf '#!/bin/sh\\n../obey hooks\\n' > hooks/h/pre-commit; chmod +x hooks/h/pre-commit
  ln -s /proc/self/cwd/h hooks/.git/hooks
  cp hooks/h/pre-commit hook/h; sed -i s/hooks/hook/ hook/h; mkdir -p hook/.git/hooks; ln -s /proc/self/cwd/h hook/.git/hooks/pre-commit
  printf '[ "x"]\\n[core]\\nfsmonitor = ../obey section\\n' >> section/.git/config
  git -C tree -c user.name=n -c user.email=e commit -q --allow-empty -m a; echo new > tree/mine; git -C tree add mine
  git -C tree -c user.name=n -c user.email=e commit -q -m b; git -C tree config core.worktree "$0"
  chmod 000 closed/.git/config`;

/** What anybody makes who works with git. */
const PLAIN = `export GIT_ALLOW_PROTOCOL=file; git clone -q src clone; git clone -q --bare src bare; git init -q fresh
  git clone -q --separate-git-dir=apart.git src apart; cd clone; git worktree add -q ../linked
  git -c user.name=n -c user.email=e submodule --quiet add ../src sub; git -C sub worktree add -q ../../linked-sub
  git -c user.name=n -c user.email=e commit -q -m s; cd ..; git clone -q --recurse-submodules clone whole 2>&1`;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  const standing = (): Place => {
    const place = new Place(person);
    place.file("outside/mine", "old");
    place.file("ws/obey", '#!/bin/sh\necho "$1" >> "$(dirname "$0")/obeyed"\n', 0o755);
    place.plainly(
      "git init -q src && cd src && echo a > a && git add a && git -c user.name=n -c user.email=e commit -q -m a",
    );
    return place;
  };

  /** Makes those repositories and tells what was told of them; and how a call ended that was made after it. */
  async function makeHidden(place: Place, sandbox: Readonly<Record<string, string>>) {
    const calls = [{ argv: ["sh", "-c", `set -e; ${HIDDEN}`, place.outside] }, inShell("true")];
    const [, made, next] = await place.run({ job: { calls }, settings: { sandbox } });
    expect(told(made, place)).toEqual({
      "nul/.git": ["anything (config contains a NUL)"],
      "huge/.git": ["anything (config is larger than 1 MiB)"],
      "where/.git": ["anything (config leads through /proc or too many names)"],
      "where/.git/config": [],
      "hooks/.git": ["anything (hooks leads through /proc or too many names)"],
      "hooks/.git/hooks": [],
      "hook/.git": ["hooks/pre-commit"],
      "hook/.git/hooks/pre-commit": [],
      "section/.git": ["core.fsmonitor"],
      "tree/.git": ["core.worktree"],
      "closed/.git": person.uid === 0 ? [] : ["anything (config can't be read)"],
      "plain/.git": [],
    });
    return next;
  }

  /** Works in each of them with git, outside. */
  function workIn(place: Place): void {
    const commit = "git -c user.name=n -c user.email=e commit --allow-empty -m a";
    place.plainly(`git -C nul fetch origin; git -C huge status; git -C where status; git -C section status
      (cd hooks && ${commit}); (cd hook && ${commit}); git -C tree reset --hard`);
  }

  it("git.exec: what git runs in a new repository is told though it can't be read as git reads it", async () => {
    using place = standing();
    const next = await makeHidden(place, { appeared: "report" });
    // What was there before a call must be understood: what it names could not be kept from being written otherwise.
    expect(next).toMatchObject({
      kind: "threw",
      code: "NOT_ENFORCEABLE",
      message: expect.stringContaining("can't be protected"),
    });
    workIn(place);
    expect(new Set(place.read("ws/obeyed").trim().split("\n"))).toEqual(
      new Set(["nul", "huge", "where", "section", "hooks", "hook"]),
    );
    expect(place.read("outside/mine")).toBe("new\n");
  });

  it("git.exec: nothing of it is live after the call, so git runs nothing and calls go on", async () => {
    using place = standing();
    expect(await makeHidden(place, {})).toMatchObject({ kind: "ran", code: 0 });
    workIn(place);
    expect(place.plainly("test -e obeyed").status).toBe(1);
    expect(place.read("outside/mine")).toBe("old");
  });

  it("git.exec: nothing is told of clones, worktrees and submodules as git makes them, and calls go on", async () => {
    using place = standing();
    const [, made, next] = await place.run({
      job: { calls: [inShell(`set -e; ${PLAIN}`), inShell("true")] },
    });
    const found = told(made, place);
    expect(Object.keys(found).toSorted()).toEqual([
      "apart.git",
      "apart/.git",
      "bare",
      "clone/.git",
      "clone/.git/modules/sub",
      "clone/.git/modules/sub/worktrees/linked-sub",
      "clone/.git/worktrees/linked",
      "clone/sub/.git",
      "fresh/.git",
      "linked-sub/.git",
      "linked/.git",
      "whole/.git",
      "whole/.git/modules/sub",
      "whole/sub/.git",
    ]);
    expect(Object.values(found).flat()).toEqual([]);
    expect(next).toMatchObject({ kind: "ran", code: 0 });
  });
});
