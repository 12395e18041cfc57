import { duplexPair } from "node:stream";
import { expect, it } from "vitest";
import { StartProgramChannel } from "../../../../src/host/launch/mac/start-program-channel.ts";

function pair() {
  const [ours, theirs] = duplexPair();
  return { talk: new StartProgramChannel(ours), theirs };
}

it("lines are heard however they are cut, and only whole ones", async () => {
  const { talk, theirs } = pair();
  for (const piece of ["o de", "scrip", "tor\nh 1", "2\ne", " 7\n"]) theirs.write(piece);
  expect(await talk.first).toEqual({ word: "o", rest: "descriptor" });
  expect(await talk.ended).toBe(7);
  expect(talk.helper).toBe(12);
  expect(talk.isProgramRunning).toBe(false);
  expect(talk.isOpen).toBe(true);
});

it("the end of the stream answers everything that was asked", async () => {
  const { talk, theirs } = pair();
  const killed = talk.kill([1, 2], 60_000);
  theirs.end();
  expect(await killed).toBe(null);
  expect(await talk.first).toBe(null);
  expect(await talk.ended).toBe(null);
  expect(await talk.killAll(60_000)).toBe(null);
  await talk.closed;
});

it("a status that is none is not believed", async () => {
  const { talk, theirs } = pair();
  theirs.write("e 12345\n");
  expect(await talk.ended).toBe(null);
});

it("answers come in the order of the questions; one that takes too long is none", async () => {
  const { talk, theirs } = pair();
  const [late, first, second] = [talk.kill([1], 5), talk.kill([2], 60_000), talk.killAll(60_000)];
  expect(await late).toBe(null);
  theirs.write("k 1\nk 2 3\nk\n");
  expect([await first, await second]).toEqual([[2, 3], []]);
});

it("the host's lines are what a start program reads", async () => {
  const { talk, theirs } = pair();
  let heard = "";
  theirs.on("data", (chunk: Buffer) => (heard += chunk.toString()));
  void talk.kill([4, 5], 1);
  talk.go(true, null);
  talk.go(false, null);
  talk.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toBe("kill 4 5\ngo pipe\ngo null\nend\n");
});

it("a line without an end does not fill memory", async () => {
  const { talk, theirs } = pair();
  theirs.on("error", () => undefined);
  for (let sent = 0; sent < 40; sent += 1) theirs.write("x".repeat(64 * 1024));
  await talk.closed;
  expect(await talk.first).toBe(null);
});
