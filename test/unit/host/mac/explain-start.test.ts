import { expect, it } from "vitest";
import { type EarlyEnd, explainEarlyEnd } from "../../../../src/host/launch/mac/explain-start.ts";

function explained(end: Partial<EarlyEnd>): string {
  const { message, hint } = explainEarlyEnd({ code: 1, signal: null, stderr: "", ...end });
  return `${message} → ${hint}`;
}

it("a sandbox inside a sandbox is told as that", () => {
  const stderr = "sandbox-exec: sandbox_apply: Operation not permitted\n";
  expect(explained({ code: 71, stderr })).toMatchInlineSnapshot(
    `"no sandbox can be entered: this process already runs in one → run this command outside of it: macOS does not nest sandboxes"`,
  );
  // The same words with another status are something else.
  expect(explained({ code: 1, stderr })).toContain("the sandbox rules were rejected");
});

it("a text that does not compile is told in the compiler's own words, made visible", () => {
  const stderr = "noise\nsandbox-exec: /x/rules.sb:3:0:\u001b[31m unbound variable: file-reed\n";
  for (const code of [65, 1])
    expect(explained({ code, stderr })).toMatchInlineSnapshot(
      `"the sandbox rules were rejected: /x/rules.sb:3:0:\\u{1b}[31m unbound variable: file-reed → run \`cofferdam doctor\`, and report this: cofferdam wrote the rules"`,
    );
});

it("a shell that the rules keep from starting is told from rules that are wrong", () => {
  const stderr = "sandbox-exec: execvp() of '/bin/sh' failed: Operation not permitted\n";
  expect(explained({ code: 71, stderr })).toMatchInlineSnapshot(
    `"the shell of the start program could not be started in the sandbox: execvp() of '/bin/sh' failed: Operation not permitted → add \`system\` to \`sandbox.runtimes\`, or run \`cofferdam doctor\`"`,
  );
});

it("a compiler that crashes is told by its signal", () => {
  expect(explained({ code: null, signal: "SIGABRT" })).toMatchInlineSnapshot(
    `"the compiler of the sandbox rules crashed with SIGABRT → shorten the lists of paths and masks of this call, or run \`cofferdam doctor\`"`,
  );
});

it("any other end is told by its status and its last words", () => {
  expect(explained({ code: 71 })).toMatchInlineSnapshot(
    `"the sandbox could not be built: the launcher ended with status 71 → run \`cofferdam doctor\`"`,
  );
  expect(explained({ code: null, signal: "SIGKILL", stderr: "Killed\n" })).toMatchInlineSnapshot(
    `"the sandbox could not be built: the launcher ended with SIGKILL: Killed → run \`cofferdam doctor\`"`,
  );
});
