import { expect, test } from "vitest";
import { blockedDenials, unreplacedDenials } from "../../../src/call/denials/git-left.ts";
import type { LimitHit } from "../../../src/call/denials/masks.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const HELD = absolutePath("/w/.npmrc");

const LIMIT = {
  kind: "held",
  path: HELD,
  denial: {
    operation: "write",
    target: HELD,
    because: "it is protected",
    remedy: "none",
    certainty: "certain",
  },
  unreadable: null,
} as const;

/** The remedy that a person is told after a call of these commands, in which git could not replace `.npmrc`. */
function remedyAfter(...commands: readonly (readonly string[])[]): string {
  const hit: LimitHit = {
    limit: LIMIT,
    complaint: {
      kind: "busy",
      line: "error: unable to unlink old '.npmrc': Device or resource busy",
      before: [],
    },
    certainty: "certain",
  };
  const repositories = [{ kind: "folder", path: absolutePath("/w/.git") }] as const;
  const [told] = unreplacedDenials([hit], {
    cwd: absolutePath("/w"),
    commands,
    commandsInside: commands,
    repositories,
    isGranted: () => false,
  });
  return told?.remedy ?? "";
}

test.each([
  [["git", "checkout", "-f", "main"], "git checkout -f main"],
  [["git", "merge", "--no-ff", "topic"], "git merge --no-ff topic"],
  [["git", "rebase", "--onto", "main", "topic"], "git rebase --onto main topic"],
  [["git", "stash", "pop"], "git stash pop stash@{1}"],
])("a person is told to run %j outside", (words, line) => {
  expect(remedyAfter(words)).toContain(`run \`${line}\``);
});

test.each([
  ["an option that sets a program", ["git", "-c", "core.fsmonitor=./x", "checkout", "main"]],
  ["another folder of git's programs", ["git", "--exec-path=./x", "checkout", "main"]],
  ["a command for each step", ["git", "rebase", "--exec", "./x", "main"]],
  ["the same, joined", ["git", "rebase", "-x./x", "main"]],
  ["a merge program", ["git", "merge", "-s", "./x", "topic"]],
  ["the program of the other side", ["git", "pull", "--upload-pack=./x", "."]],
  ["a transport that is a program", ["git", "pull", "ext::./x"]],
  ["another program under that name", ["./git", "checkout", "main"]],
])("a person is told no command that may start what the call chose: %s", (_why, words) => {
  const remedy = remedyAfter(words);
  expect(remedy).toContain("run it again");
  expect(remedy).not.toContain("./x");
  expect(remedy).not.toContain("./git");
});

test.each([
  ["git lists it", "error: overwritten:\n\t.npmrc\nAborting\n", ["git", "checkout", "main"], [HELD]],
  ["git lists it in another language", "Fehler:\n\tx\n\t.npmrc\nAbbruch\n", ["git", "merge", "x"], [HELD]],
  [
    "git lists others",
    "error: overwritten:\n\tx/.npmrc\n\t.npmrc2\n\t../w/x\n",
    ["git", "checkout", "main"],
    [],
  ],
  ["another program lists it", "2 files differ:\n\t.npmrc\n", ["prettier", "--check", "."], []],
  ["git tells of it", "error: .npmrc\n", ["git", "checkout", "main"], []],
] as const)("a person is told of what stops git where %s", (_where, said, words, targets) => {
  const repositories = [{ kind: "folder", path: absolutePath("/w/.git") }] as const;
  const work = {
    cwd: absolutePath("/w"),
    commands: [words],
    commandsInside: [words],
    repositories,
    isGranted: () => false,
  };
  expect(blockedDenials(said, [LIMIT], work).map(({ target }) => target)).toEqual(targets);
});
