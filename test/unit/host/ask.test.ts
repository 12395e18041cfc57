import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { ask } from "../../../src/host/launch/spawn.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { end, leftAfter, processesWith } from "../../support/battery/processes.ts";

const SH = knownPath("/bin/sh");

it("a helper that is aborted is ended with what it started, and what it said until then is known", async () => {
  const word = randomUUID();
  onTestFinished(() => end(processesWith(word)));
  const controller = new AbortController();
  const line = `echo said; sh -c 'sleep 60; :' ${word} & sh -c 'sleep 60; :' ${word}`;
  const asked = ask(SH, ["-c", line], { timeoutMs: 20_000, signal: controller.signal });
  while (processesWith(word).length < 3) await pause(5);
  controller.abort();
  expect(await asked).toEqual({ status: null, stdout: "said", stderr: "" });
  expect(await leftAfter(2_000, word)).toEqual([]);
});

it("one that is not aborted ends by itself, and one whose signal was aborted before does nothing", async () => {
  const { signal } = new AbortController();
  expect(await ask(SH, ["-c", "echo out; exit 3"], { signal })).toEqual({
    status: 3,
    stdout: "out",
    stderr: "",
  });
  expect(await ask(SH, ["-c", "sleep 600"], { signal: AbortSignal.abort() })).toMatchObject({ status: null });
});
