import { basename, dirname, join } from "node:path";
import { expect } from "vitest";
import type { Job, Reply } from "../battery/job.ts";
import type { Person } from "../battery/people.ts";
import type { Place } from "../battery/place.ts";
import {
  attacking,
  isLive,
  lookAt,
  type Plant,
  pathOf,
  planting,
  plantingPlace,
  QUARANTINE,
} from "./ground.ts";
import { batchesOf } from "./names.ts";

/** So many are told one by one after a call. */
const MOST = 180;
/** So many that exist in two places can be protected in one call. */
const MAX_TWICE = 60;

/** Makes all of these by commands, and gives what was told of each as appeared. */
export async function plantedBy(place: Place, plants: readonly Plant[]): Promise<ReadonlySet<string>> {
  const batches = batchesOf(plants, MOST);
  const calls = batches.map((batch, at) => ({ argv: planting(place, batch, `list-${at}`) }));
  const [, ...replies] = await place.runServed({ job: { calls }, settings: QUARANTINE });
  expect(replies.map((reply) => [reply.kind, "stdout" in reply ? reply.stdout : reply])).toEqual(
    batches.map((batch) => ["ran", String(batch.length)]),
  );
  return new Set(replies.flatMap((reply) => appearedIn(reply, place)));
}

function appearedIn(reply: Reply, place: Place): readonly string[] {
  return "appeared" in reply
    ? (reply.appeared ?? []).map(({ path }) => path.replace(`${place.ws}/`, ""))
    : [];
}

/** None of these is there after the call that made it, and each was told; the same program makes them all outside. */
export async function expectTaken(person: Person, plants: readonly Plant[]): Promise<void> {
  using place = plantingPlace(person);
  const told = await plantedBy(place, plants);
  expect(plants.map(pathOf).filter((path) => !told.has(path))).toEqual([]);
  expect(plants.map(pathOf).filter((path) => isLive(place, path))).toEqual([]);
  const twins = plants.map((plant) => ({ ...plant, folder: `twin/${plant.folder}` }));
  expect(place.plainly(planting(place, twins, "twins").join(" ")).stdout).toBe(String(twins.length));
  expect(twins.map(pathOf).filter((path) => !isLive(place, path))).toEqual([]);
}

/** Folders of version control, as they are in a repository; in each lies a file that is the person's. */
const REPOSITORIES = [".git", ".hg", ".jj/repo", ".sl", ".bzr/branch", ".pijul", "_darcs/prefs"];

/**
 * None of these is there after a call that made it in a repository that was there, of which all else is as it was; the same program
 * makes them all outside.
 */
export async function expectTakenFromRepository(person: Person, names: readonly string[]): Promise<void> {
  using place = plantingPlace(person);
  const folders = [...new Set([...REPOSITORIES, ...names.map(dirname)])].map((folder) => `repo/${folder}`);
  const own = folders.map((folder) => `${folder}/own`);
  const setUp = `git init -q repo && mkdir -p ${folders.join(" ")} && touch ${own.join(" ")}`;
  expect(place.plainly(setUp).status).toBe(0);
  const before = lookAt(join(place.ws, "repo"));
  const plants = names.map((name): Plant => ({ way: "file", folder: "repo", name }));
  const told = await plantedBy(place, plants);
  expect(plants.map(pathOf).filter((path) => !told.has(path))).toEqual([]);
  expect(lookAt(join(place.ws, "repo"))).toEqual(before);
  expect(place.plainly("git -C repo status").status).toBe(0);
  expect(place.plainly(planting(place, plants, "twins").join(" ")).stdout).toBe(String(plants.length));
}

/** Nothing that a command does changes these where they exist; each act works outside. */
export async function expectUnchanged(person: Person, names: readonly string[]): Promise<void> {
  for (const batch of batchesOf(names, MAX_TWICE)) {
    using place = plantingPlace(person);
    const plants = batch.flatMap((name): readonly Plant[] => [
      { way: "file", folder: "top", name },
      { way: "folder", folder: "sub/deep", name },
    ]);
    place.plainly(planting(place, plants, "list").join(" "));
    const attack = attacking(place, plants.map(pathOf), "paths");
    const look = () => [...lookAt(join(place.ws, "top")), ...lookAt(join(place.ws, "sub"))];
    const before = look();
    const [, reply] = await place.runServed({ job: { calls: [{ argv: attack }] }, settings: QUARANTINE });
    expect(reply).toMatchObject({ kind: "ran", code: 0, stdout: "", stderr: "" });
    expect(look()).toEqual(before);
    const acts = place.plainly(attack.join(" ")).stdout.trim().split("\n");
    // All eleven ways to change a file, and the nine that there are for a folder.
    expect(acts).toHaveLength(batch.length * (11 + 9));
  }
}

type Steps = NonNullable<Job["steps"]>;

const writing = (path: string): Steps[number] => ({
  tool: "write_file",
  input: { path: `ws:${path}`, content: "planted" },
});

const moving = (from: string, to: string): Steps[number] => ({
  tool: "move_file",
  input: { from: `ws:${from}`, to: `ws:${to}` },
});

/** Every way in which file tools change a file that lies in a folder; what they move away is moved back where `isUndone`. */
function changing(folder: string, name: string, isUndone: boolean): Steps {
  const path = `${folder}/${name}`;
  const edits = [{ old_text: "planted", new_text: "edited" }];
  return [
    writing(path),
    { tool: "edit_file", input: { path: `ws:${path}`, edits } },
    moving(path, `${folder}/away`),
    ...(isUndone ? [moving(`${folder}/away`, path)] : []),
    moving(folder, `${folder}.away`),
    ...(isUndone ? [moving(`${folder}.away`, folder)] : []),
    { tool: "delete_file", input: { path: `ws:${path}` } },
  ];
}

/** File tools make none of the names, and do nothing to those that exist; they do all that to names beside. */
export async function expectDeniedToFileTools(person: Person, names: readonly string[]): Promise<void> {
  using place = plantingPlace(person);
  // No name of the table begins and ends in anything.
  const beside = (name: string) => join(dirname(name), `beside-${basename(name)}.beside`);
  const plants = names.flatMap((name, at): readonly Plant[] =>
    [name, beside(name)].map((one) => ({ way: "file", folder: `old/${at}`, name: one })),
  );
  place.plainly(planting(place, plants, "list").join(" "));
  const before = lookAt(join(place.ws, "old"));
  const does = async (steps: Steps): Promise<readonly unknown[]> => {
    const [, ...replies] = await place.runServed({ job: { calls: [], steps }, settings: QUARANTINE });
    return replies.map((reply) => (reply.kind === "told" ? reply.told : reply));
  };
  const made = names.map((name, at) => `new/${at}/${name}`);
  const acts = [...made.map(writing), ...names.flatMap((name, at) => changing(`old/${at}`, name, false))];
  expect(new Set(await does(acts))).toEqual(new Set(["DENIED"]));
  expect(made.filter((path) => isLive(place, path))).toEqual([]);
  expect(lookAt(join(place.ws, "old"))).toEqual(before);
  for (const at of names.keys()) place.remove(`ws/old/${at}/${names[at] ?? ""}`);
  const twins = [
    ...made.map((path) => writing(beside(path))),
    ...names.flatMap((name, at) => changing(`old/${at}`, beside(name), true)),
  ];
  expect((await does(twins)).filter((told) => typeof told !== "object")).toEqual([]);
}

/** File tools make the names, and tell of each that it appeared. */
export async function expectToldByFileTools(person: Person, names: readonly string[]): Promise<void> {
  using place = plantingPlace(person);
  const made = names.map((name, at) => `new/${at}/${name}`);
  const steps = made.map(writing);
  const [, ...replies] = await place.runServed({ job: { calls: [], steps }, settings: QUARANTINE });
  expect(replies.map((reply) => appearedIn(reply, place))).toEqual(made.map((path) => [path]));
  expect(made.filter((path) => !isLive(place, path))).toEqual([]);
}
