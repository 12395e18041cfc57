import { expect, test } from "vitest";
import { changeableProgram, unsettledProgram } from "../../../src/policy/program-place.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const PRIVATE = { path: absolutePath("/tmp/node/bin/git"), isPrivate: true };
const OPEN = { path: absolutePath("/home/ann/ws/bin/git"), isPrivate: false };

test("a program that tools can change is told with the folder, and with what to do", () => {
  expect([PRIVATE, OPEN, null].map((place) => changeableProgram("git", place))).toMatchInlineSnapshot(`
    [
      "commands can create \`/tmp/node/bin/git\` in the sandbox's own folder, so \`git\` may be another program: remove its folder from PATH, or install the programs there elsewhere",
      "tools may write \`/home/ann/ws/bin/git\`, so \`git\` may be another program: a rule can allow it only in a read-only root",
      "tools may write \`git\` or a folder where it is searched: a rule can allow it only in a read-only root",
    ]
  `);
  expect([PRIVATE, null].map((place) => unsettledProgram("git", place))).toMatchInlineSnapshot(`
    [
      "\`git\` may be another program when it starts: the call may write \`/tmp/node/bin/git\`",
      "\`git\` may be another program when it starts: the call may write in a folder of PATH or of the program",
    ]
  `);
});
