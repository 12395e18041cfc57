/**
 * A process that works on a quarantine. `do STATE STEP…` does steps in turn, each a JSON list: `["take", PATH…]`, `["restore"]`,
 * `["drop"]`, `["sweep"]`, `["list"]`, the middle ones with all that is held; prints what came of each as a line of JSON.
 * `deaths TREES STATES restore|drop` takes a few things and gives them back, or removes them, and dies before each call of `node:fs` in turn, as a
 * process that is killed does; the next one then sweeps. Prints a line for everything that should not be, and how many steps
 * there were. `sweep STATE` sweeps, and prints each file of the quarantine that it reads. `loop STATE PATH…` takes things and gives them back until it is killed; prints `ready`.
 */
import fs from "node:fs";
import { join } from "node:path";
import { printProcess, thisProcess } from "../../../src/host/launch/process-id.ts";
import { Quarantine } from "../../../src/host/launch/quarantine/quarantine.ts";
import { isHeld } from "../../../src/host/launch/quarantine/record.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { type AbsolutePath, absolutePath, joinPath, knownPath } from "../../../src/profile/path.ts";
import { FROM, inventoryOf, plantedAt } from "../quarantine/inventory.ts";
import { wrapAll } from "./wrapped-fs.ts";

const [, , mode, ...words] = process.argv;
const host = thisHost();
const quarantineIn = (state: string): Quarantine => new Quarantine(absolutePath(state), host);

async function doSteps([state = "", ...steps]: readonly string[]): Promise<void> {
  const quarantine = quarantineIn(state);
  for (const step of steps) {
    const [word = "", ...paths] = JSON.parse(step) as string[];
    process.stdout.write(`${JSON.stringify(await doStep(quarantine, word, paths.map(knownPath)))}\n`);
  }
}

async function doStep(
  quarantine: Quarantine,
  word: string,
  paths: readonly AbsolutePath[],
): Promise<unknown> {
  const held = quarantine.list().map(({ id }) => id);
  switch (word) {
    case "take":
      return (await quarantine.take(plantedAt(...paths), FROM)).items;
    case "restore":
      return (await Promise.all(held.map((id) => quarantine.restore(id)))).flat();
    case "drop":
      return (await Promise.all(held.map((id) => quarantine.drop(id)))).flat();
    case "sweep":
      return (await quarantine.sweep()) ?? null;
    default:
      return quarantine.list().flatMap(({ items }) => items);
  }
}

async function loop([state = "", ...paths]: readonly string[]): Promise<void> {
  const quarantine = quarantineIn(state);
  console.log("ready");
  for (;;) {
    await quarantine.take(plantedAt(...paths.map(absolutePath)), FROM);
    for (const { id } of quarantine.list()) await quarantine.restore(id);
  }
}

const NAMES = [".envrc", "link", ".opencode"];

async function dieEverywhere([trees = "", states = "", end = ""]: readonly string[]): Promise<void> {
  let [steps, deadly] = [0, Number.POSITIVE_INFINITY];
  const { closeSync, openSync } = fs;
  wrapAll((name, [file], call) => {
    steps += 1;
    // Descriptors are closed by the kernel.
    if (steps < deadly || name === "closeSync") return call();
    // A file that was to be written may be there already.
    if (steps === deadly && name === "writeFileSync" && typeof file === "string")
      closeSync(openSync(file, "w"));
    throw new Error(`dead since step ${deadly}`);
  });
  for (let at = 1; ; at += 1) {
    const [tree, state] = [join(trees, String(at)), join(states, String(at))];
    plant(tree);
    const before = inventoryOf(absolutePath(tree));
    [steps, deadly] = [0, at];
    await liveOnce(tree, state, end).catch((cause: unknown) => {
      if (steps < deadly) throw cause;
    });
    const isOver = steps < at;
    deadly = Number.POSITIVE_INFINITY;
    buryIn(state);
    for (const problem of await problemsIn(tree, state, before, end)) console.log(`step ${at}: ${problem}`);
    for (const folder of [tree, state]) fs.rmSync(folder, { recursive: true, force: true });
    if (isOver) {
      console.log(`${at - 1} steps`);
      return;
    }
  }
}

function plant(tree: string): void {
  const folder = join(tree, ".opencode/shut");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(tree, ".envrc"), "file", { mode: 0o750 });
  fs.utimesSync(join(tree, ".envrc"), 1_000, 2_000.9997);
  fs.symlinkSync("nowhere", join(tree, "link"));
  for (const name of ["a", "shut/b"]) fs.writeFileSync(join(tree, ".opencode", name), name);
  fs.chmodSync(folder, 0o500);
}

async function liveOnce(tree: string, state: string, end: string): Promise<void> {
  const quarantine = quarantineIn(state);
  const { id } = await quarantine.take(
    plantedAt(...NAMES.map((name) => joinPath(absolutePath(tree), name))),
    FROM,
  );
  if (end === "restore") await quarantine.restore(id);
  else await quarantine.drop(id);
}

/** What it wrote down of itself is of another process, which has ended. */
function buryIn(state: string): void {
  const [lock, records] = [join(state, "quarantine-lock"), join(state, "quarantine")];
  const mine = printProcess(thisProcess());
  if (fs.existsSync(join(lock, mine))) fs.renameSync(join(lock, mine), join(lock, `${process.pid}.0`));
  for (const name of fs.existsSync(records) ? fs.readdirSync(records) : []) {
    const file = join(records, name, "record.json");
    if (!fs.existsSync(file)) continue;
    const record: object = JSON.parse(fs.readFileSync(file, "utf8"));
    fs.writeFileSync(file, JSON.stringify({ ...record, startedAt: "0" }));
  }
}

/** Everything is in one place once the next process has swept, and nothing else is anywhere. */
async function problemsIn(
  tree: string,
  state: string,
  before: readonly string[],
  end: string,
): Promise<readonly string[]> {
  const later = { id: host.id, now: () => Date.now() + 2 * 60_000 };
  const quarantine = new Quarantine(absolutePath(state), later);
  await quarantine.sweep();
  const problems: string[] = [];
  const records = quarantine.list();
  const items = records.flatMap((record) => record.items);
  const held = items.filter(isHeld);
  const dropped = fs.existsSync(join(state, "quarantine"))
    ? fs.readdirSync(join(state, "quarantine")).flatMap((id) => quarantine.find(id)?.items ?? [])
    : [];
  for (const name of NAMES) {
    const isInPlace = fs.lstatSync(join(tree, name), { throwIfNoEntry: false }) !== undefined;
    const times = held.filter(({ path }) => path === join(tree, name)).length + (isInPlace ? 1 : 0);
    const isDropped = dropped.some(({ path, state: one }) => path === join(tree, name) && one === "dropped");
    if (times !== (isDropped ? 0 : 1)) problems.push(`${name} is in ${times} places`);
  }
  for (const { path, digest } of held) if (digest === null) problems.push(`${path} was not looked at`);
  for (const record of records)
    for (const [index, item] of record.items.entries())
      if (isHeld(item) && (await quarantine.contentOf(record, index)) === null)
        problems.push(`${item.path} can't be shown`);
  for (const { id } of records)
    for (const { path, problem } of await quarantine.restore(id))
      if (problem !== null) problems.push(`${path}: ${problem}`);
  const after = inventoryOf(absolutePath(tree));
  if (end === "restore" && after.join("\n") !== before.join("\n"))
    problems.push(`what is there: ${after.join(", ")}`);
  const strange = after.filter((line) => !before.includes(line));
  if (end !== "restore" && strange.length > 0) problems.push(`what is there: ${strange.join(", ")}`);
  const left = inventoryOf(absolutePath(state)).filter(
    (line) =>
      !/^\/quarantine(?:-lock(?:\/free|\/\d+\.0)?)? |^\/quarantine\/[^/]+(?:\/record\.json)? /.test(line),
  );
  if (left.length > 0) problems.push(`left: ${left.join(", ")}`);
  return problems;
}

/** Which files of a quarantine are read by a sweep. */
async function sweepReading([state = ""]: readonly string[]): Promise<void> {
  wrapAll((name, [file], call) => {
    const isRead =
      ["readFileSync", "openSync"].includes(name) && String(file).startsWith(join(state, "quarantine/"));
    if (isRead) fs.writeSync(1, `${String(file)}\n`);
    return call();
  });
  await quarantineIn(state).sweep();
}

if (mode === "do") await doSteps(words);
else if (mode === "sweep") await sweepReading(words);
else if (mode === "deaths") await dieEverywhere(words);
else await loop(words);
