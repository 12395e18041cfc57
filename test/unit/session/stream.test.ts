import { expect, test } from "vitest";
import type { Outcome } from "../../../src/index.ts";
import { type MakeCall, streamOf } from "../../../src/session/stream.ts";

const DENIED: Outcome = { kind: "denied", code: "DENIED", reason: "no", hint: "" };

test("a chunk is told as it was, though its memory is used again", async () => {
  const make: MakeCall<Outcome> = async ({ stdout }) => {
    const memory = Buffer.from("a");
    for (const text of ["a", "b", "c"]) {
      memory.write(text);
      const taken = stdout(memory);
      memory.write("x");
      await taken;
    }
    return DENIED;
  };
  const told: unknown[] = [];
  for await (const event of streamOf(make, null))
    told.push("chunk" in event ? event.chunk.toString() : event.type);
  expect(told).toEqual(["a", "b", "c", "ended"]);
});

test("nothing is begun before the first event is taken, nor after who takes them has stopped", async () => {
  let begun = 0;
  const make: MakeCall<Outcome> = async () => {
    begun += 1;
    return DENIED;
  };
  const events = streamOf(make, null);
  await events.return();
  expect([begun, await events.next()]).toEqual([0, { done: true, value: undefined }]);
});

test("a chunk waits until it was taken, and who stops frees it and is told when the call has ended", async () => {
  const steps: string[] = [];
  const make: MakeCall<Outcome> = async ({ stdout, stderr }, signal) => {
    await stdout(Buffer.from("1"));
    steps.push("first taken");
    await Promise.all([stdout(Buffer.from("2")), stderr(Buffer.from("3"))]);
    steps.push(signal.aborted ? "freed" : "taken");
    await new Promise((resolve) => setTimeout(resolve, 20));
    steps.push("ended");
    return DENIED;
  };
  for await (const event of streamOf(make, null)) {
    if (event.type === "stdout" && event.chunk.toString() === "1") {
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(steps).toEqual([]);
    } else break;
  }
  expect(steps).toEqual(["first taken", "freed", "ended"]);
});

test("what the call throws is thrown where the events are taken", async () => {
  const failing = streamOf<Outcome>(async ({ stdout }) => {
    await stdout(Buffer.from("a"));
    throw new Error("it broke");
  }, null);
  expect(await failing.next()).toMatchObject({ value: { type: "stdout" } });
  await expect(failing.next()).rejects.toThrow("it broke");
  expect(await failing.next()).toMatchObject({ done: true });
});

test("the signal of the caller is the call's too", async () => {
  const stop = new AbortController();
  const events = streamOf<Outcome>(async (_, signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return DENIED;
  }, stop.signal);
  const last = events.next();
  stop.abort();
  expect(await last).toMatchObject({ value: { type: "ended", outcome: DENIED } });
});
