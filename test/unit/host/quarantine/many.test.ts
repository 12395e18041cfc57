import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { done } from "../../../support/quarantine/driven.ts";
import { Shelf } from "../../../support/quarantine/shelf.ts";

/** What these take is how much there is to do, and not how fast a disk is. */
const IN_MEMORY = { treeIn: "/dev/shm", stateIn: "/dev/shm" };

test("two that take the same at once have it once, and give it back once", async () => {
  using shelf = new Shelf(IN_MEMORY);
  const names = Array.from({ length: 60 }, (_, at) => `${at}/.envrc`);
  for (const name of names) shelf.file(name, name);
  const before = shelf.inventory();
  const other = shelf.another();
  const planted = names.map((name) => ({ path: shelf.at(name), by: "direnv", when: "a shell enters" }));
  const from = { sessionId: "session", callId: "other", tool: "shell", workspace: "/somewhere" };
  const records = await Promise.all([shelf.take(...names), other.take(planted, from), shelf.take(...names)]);
  const held = records.flatMap(({ items }) => items.filter(({ state }) => state === "taken"));
  expect(held.map(({ path }) => path).toSorted()).toEqual(names.map((name) => shelf.at(name)).toSorted());
  const settled = await Promise.all(
    records.flatMap(({ id }) => [shelf.quarantine.restore(id), other.restore(id)]),
  );
  expect(settled.flat().filter(({ problem }) => problem !== null)).toEqual([]);
  expect(settled.flat()).toHaveLength(names.length);
  expect(shelf.inventory()).toEqual(before);
});

test("a folder with 1,000 files is one thing, in one step out of its place, and comes back whole", async () => {
  using shelf = new Shelf(IN_MEMORY);
  shelf.folder("x");
  for (let at = 0; at < 1_000; at += 1) shelf.file(`x/${at}`, "");
  const { id, items } = await shelf.take("x");
  expect(items).toMatchObject([{ state: "taken", kind: "folder", files: 1_000, digest: expect.any(String) }]);
  expect(await shelf.quarantine.restore(id)).toEqual([{ path: shelf.at("x"), problem: null }]);
  expect([readdirSync(shelf.at("x")).length, shelf.held().length]).toEqual([1_000, 1]);
});

test("thousands of things cost no more each than one: the record is written once for all", async () => {
  using shelf = new Shelf(IN_MEMORY);
  const names = Array.from({ length: 2_000 }, (_, at) => `${at}/.envrc`);
  for (const name of names) shelf.file(name, "");
  const steps = [["take", ...names.map((name) => shelf.at(name))], ["restore"], ["list"]];
  const [, restored, left] = done(shelf.state, steps);
  expect([restored, left]).toEqual([names.map((name) => ({ path: shelf.at(name), problem: null })), []]);
});
