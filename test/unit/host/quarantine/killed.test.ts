import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { thisProcess } from "../../../../src/host/launch/process-id.ts";
import { driven } from "../../../support/quarantine/driven.ts";
import { Shelf } from "../../../support/quarantine/shelf.ts";

test("a process that is killed at any step loses nothing and leaves nothing live: the next one ends what it began", () => {
  // In memory: each step makes and removes all that there is.
  using shelf = new Shelf({ treeIn: "/dev/shm", stateIn: "/dev/shm" });
  const [trees, states] = [shelf.folder("trees"), shelf.folder("states")];
  const said = driven(["deaths", trees, states, "restore"]);
  expect(said).toEqual([expect.stringMatching(/^\d{3} steps$/)]);
});

test("a start reads no record with which nothing is begun, however many there are, and those that are begun", async () => {
  using shelf = new Shelf();
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    shelf.file(name, name);
    ids.push((await shelf.take(name)).id);
  }
  await shelf.quarantine.restore(ids[1] ?? "");
  await shelf.quarantine.drop(ids[2] ?? "");
  expect(driven(["sweep", shelf.state])).toEqual([""]);
  writeFileSync(join(shelf.state, "quarantine", ids[0] ?? "", "begun"), "");
  expect(driven(["sweep", shelf.state])).toEqual([expect.stringContaining(`${ids[0]}/record.json`)]);
});

test("what a process left that was killed before it had written a record goes after a while", async () => {
  let now = Date.now();
  using shelf = new Shelf({ now: () => now });
  const folder = join(shelf.state, "quarantine/00000000-0000-4000-8000-000000000000");
  mkdirSync(folder, { recursive: true });
  for (const name of ["begun", "record.json.unfinished"]) writeFileSync(join(folder, name), "");
  await shelf.quarantine.sweep();
  expect(shelf.held()).toHaveLength(3);
  now += 2 * 60_000;
  await shelf.quarantine.sweep();
  expect(shelf.held()).toEqual([]);
  // Whatever else lies there may be somebody's only copy.
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "0"), "mine");
  now += 10 * 60_000;
  await shelf.quarantine.sweep();
  expect(shelf.held()).toHaveLength(2);
});

test("a record with which another process is at work is left to it", async () => {
  using shelf = new Shelf();
  for (const name of ["a", "b"]) shelf.file(name, name);
  const { id, items } = await shelf.take("a", "b");
  const folder = join(shelf.state, "quarantine", id);
  const begin = (by: object): void => {
    const unread = items.map((item) => ({ ...item, kind: "unread", digest: null }));
    const record = JSON.stringify({ ...shelf.quarantine.find(id), ...by, items: unread });
    writeFileSync(join(folder, "record.json"), record);
    writeFileSync(join(folder, "begun"), "");
  };
  begin(thisProcess());
  await shelf.quarantine.sweep();
  const problem = `process ${process.pid} is still busy`;
  const busy = ["a", "b"].map((name) => ({ path: shelf.at(name), problem }));
  expect([await shelf.quarantine.restore(id), await shelf.quarantine.drop(id)]).toEqual([busy, busy]);
  expect(shelf.inventory()).toEqual([]);
  begin({ startedAt: "0" });
  expect(await shelf.quarantine.restore(id)).toEqual(busy.map((one) => ({ ...one, problem: null })));
  expect(shelf.inventory()).toHaveLength(2);
});
