import { describe, expect, test } from "vitest";
import { type GitCall, gitDenialsOf } from "../../../src/call/denials/git.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import type { Signing } from "../../../src/tool/facts.ts";

const SSH: Signing = { signs: ["commit"], format: "ssh", needs: "SSH_AUTH_SOCK" };

function told(more: Partial<GitCall>): readonly string[] {
  const call: GitCall = {
    commands: [["git", "commit", "-m", "x"]],
    cwd: absolutePath("/nowhere"),
    roots: [],
    git: { signing: null, filters: [] },
    variables: [],
    isFailed: false,
    said: "",
    ...more,
  };
  return gitDenialsOf(call).map(
    ({ denial: { target, because, remedy } }) => `${target}: ${because}; ${remedy}`,
  );
}

describe("a configuration that signs", () => {
  const git = { signing: SSH, filters: [] };

  test("is told where a commit was made without it, with what would help", () => {
    expect(told({ git })).toEqual([
      expect.stringMatching(
        /SSH_AUTH_SOCK is not set in the sandbox: .* not signed; list SSH_AUTH_SOCK .* `mode: ro`/,
      ),
    ]);
  });

  test.each([
    ["the agent is inside", { git, variables: ["SSH_AUTH_SOCK"] }],
    ["nothing was committed", { git, commands: [["git", "log"]] }],
    ["git was not used", { git, commands: [["ls", "commit"]] }],
    ["nobody signs", {}],
    ["the commit failed for another reason", { git, isFailed: true, said: "nothing to commit" }],
  ])("is not told where %s", (_why, call) => {
    expect(told(call)).toEqual([]);
  });

  test.each([
    ["error: gpg failed to sign the data", "GNUPGHOME"],
    ['No private key found for "/tmp/.git_signing_key_tmp"', "SSH_AUTH_SOCK"],
    ["error: Couldn't load public key /k: No such file", "SSH_AUTH_SOCK"],
  ])("of a repository's own, where git fails with %j, names %s", (said, variable) => {
    expect(told({ isFailed: true, said })).toEqual([
      expect.stringContaining(`${variable} is not set in the sandbox`),
    ]);
    expect(told({ isFailed: true, said, variables: [variable] })).toEqual([]);
  });
});
