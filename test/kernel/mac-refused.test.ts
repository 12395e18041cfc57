import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CofferdamError } from "../../src/errors.ts";
import type { PlanRunOptions } from "../../src/host/launch/run-options.ts";
import { knownPath } from "../../src/profile/path.ts";
import { processesWith } from "../support/battery/processes.ts";
import { heldBytes } from "../support/held-bytes.ts";
import { RulesPlace, type Sketch } from "../support/mac/rules.ts";
import { type Mode, noStandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("what keeps a program behind rules from being started");

const RUNS: Sketch = { argv: ["/bin/sh", "-c", ": >ran"] };

describe.skipIf(noStandIn !== null)("nothing runs, and it is told why", () => {
  let place: RulesPlace;
  beforeEach(() => {
    place = new RulesPlace();
  });
  afterEach(() => {
    // Nothing is left, whatever happened, and where nothing is wrong the same program runs.
    expect(existsSync(join(place.ws, "ran"))).toBe(false);
    expect(place.left()).toEqual([]);
    expect(processesWith(place.top)).toEqual([]);
    place[Symbol.dispose]();
  });

  async function told(sketch: Partial<Sketch> = {}, options: Partial<PlanRunOptions> = {}): Promise<string> {
    const thrown = await place.run({ ...RUNS, ...sketch }, options).catch((cause: unknown) => cause);
    if (!(thrown instanceof CofferdamError)) throw new Error(`it was let run: ${JSON.stringify(thrown)}`);
    expect(thrown.code).toBe("SANDBOX_UNAVAILABLE");
    return `${thrown.message} → ${thrown.hint}`.replaceAll(place.top, "<top>");
  }

  const cases: readonly (readonly [mode: Mode, told: string])[] = [
    [
      "exit 71 sandbox-exec: sandbox_apply: Operation not permitted",
      "no sandbox can be entered: this process already runs in one → run this command outside of it: macOS does not nest sandboxes",
    ],
    [
      "exit 65 sandbox-exec: rules.sb:2: unbound variable: nothing",
      "the sandbox rules were rejected: rules.sb:2: unbound variable: nothing → run `cofferdam doctor`, and report this: cofferdam wrote the rules",
    ],
    [
      "exit 71 sandbox-exec: execvp() of '/bin/sh' failed: Operation not permitted",
      "the shell of the start program could not be started in the sandbox: execvp() of '/bin/sh' failed: Operation not permitted → add `system` to `sandbox.runtimes`, or run `cofferdam doctor`",
    ],
    ["exit 0", "the sandbox could not be built: the launcher ended with status 0 → run `cofferdam doctor`"],
    [
      "exit 134 words\u0007",
      "the sandbox could not be built: the launcher ended with status 134: words\\u{7} → run `cofferdam doctor`",
    ],
    [
      "signal 6",
      "the compiler of the sandbox rules crashed with SIGABRT → shorten the lists of paths and masks of this call, or run `cofferdam doctor`",
    ],
    ["signal 9", "the sandbox could not be built: the launcher ended with SIGKILL → run `cofferdam doctor`"],
    [
      "says x y",
      "the sandbox differs from the plan: the start program sent an unknown message → run `cofferdam doctor`",
    ],
    [
      "says o \u001b[2J",
      "the sandbox differs from the plan: the start program sent an unknown message → run `cofferdam doctor`",
    ],
    // Words alone are no proof: what the start program's acts leave must be there.
    [
      "says r",
      "the sandbox differs from the plan: a granted file could not be written → run `cofferdam doctor`",
    ],
    ["none", "the sandbox differs from the plan: a hidden file can be read → run `cofferdam doctor`"],
    [
      "no scratch",
      "the sandbox differs from the plan: the folder for temporary files is not writable → run `cofferdam doctor`",
    ],
  ];
  it.each(cases)("when the launcher does this: %j", async (mode, expected) => {
    place.standIn.mode = mode;
    // However little the program may say.
    for (const outputBytes of [null, 0]) expect(await told({}, { outputBytes })).toBe(expected);
  });

  it("by a text that does not compile, in the compiler's words", async () => {
    expect(await told({ text: "(version 1)\n(deny default)\n(allow file-reed*)\n" })).toContain(
      "the sandbox rules were rejected: <input string>:3: unbound variable: file-reed*",
    );
    expect(await told({ text: '(version 1)\n(allow file-read* (subpath (param "X")))\n' })).toContain(
      "the sandbox rules were rejected",
    );
    expect(await told({ text: "(version 1)\n(deny default" })).toContain("the sandbox rules were rejected");
  });

  it("without a launcher, and with one that can't be started", async () => {
    rmSync(place.standIn.file);
    expect(await told()).toContain("could not be started → ");
    writeFileSync(place.standIn.file, "no program", { mode: 0o644 });
    expect(await told()).toContain("could not be started → ");
  });

  it("in a folder that can't be entered", async () => {
    expect(await told({ cwd: knownPath(join(place.ws, "missing")) })).toBe(
      "the working folder of the call can't be entered in the sandbox → grant it, or start the call in a granted folder",
    );
  });

  it("when it is cancelled before, while the sandbox is built, and right before go", async () => {
    const cancelled = "the call was cancelled before its program was started → call again";
    expect(await told({}, { signal: AbortSignal.abort() })).toBe(cancelled);
    place.standIn.mode = "hangs";
    expect(await told({}, { signal: AbortSignal.timeout(300) })).toBe(cancelled);
    place.standIn.mode = "sandbox";
    const controller = new AbortController();
    const options = { signal: controller.signal, onProven: () => controller.abort() };
    expect(await told({}, options)).toBe(cancelled);
  });

  it("when `onProven` throws", async () => {
    const onProven = (): never => {
      throw new CofferdamError("SANDBOX_UNAVAILABLE", "no", { hint: "h" });
    };
    expect(await told({}, { onProven })).toBe("no → h");
  });

  it("by a launcher that floods what it says: the end of that is told, and memory holds no more", async () => {
    place.standIn.mode = "floods";
    const beside = (name: string): string => join(place.standIn.folder, name);
    const before = heldBytes();
    const telling = told();
    await expect.poll(() => existsSync(beside("flooded")), { timeout: 15_000 }).toBe(true);
    // Of 50 MB, the last 16 KiB; what was read through it is not freed at once.
    await expect.poll(() => heldBytes() - before).toBeLessThan(5_000_000);
    writeFileSync(beside("go"), "");
    expect(await telling).toBe(
      "the sandbox could not be built: the launcher ended with status 70: the last words → run `cofferdam doctor`",
    );
  });

  it("where processes can't be listed", async () => {
    const { rules } = place.surroundings;
    const fake = join(place.top, "ps");
    symlinkSync("/bin/true", fake);
    if (rules === null) throw new Error("the place has no rules");
    const surroundings = { ...place.surroundings, rules: { ...rules, ps: knownPath(fake) } };
    expect(await told({}, { surroundings })).toBe(
      "<top>/ps did not list the processes of this machine → run `<top>/ps -A` to see why",
    );
  });
});

describe.skipIf(noStandIn !== null)("what a program says", () => {
  it("is never taken for the launcher's words", async () => {
    using place = new RulesPlace();
    const line = "echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit 71";
    const ended = await place.run({ argv: ["/bin/sh", "-c", line] });
    expect(ended.code).toBe(71);
    expect(ended.stderr.bytes.toString()).toBe("sandbox-exec: sandbox_apply: Operation not permitted\n");
  });
});
