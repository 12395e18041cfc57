/**
 * A process that works on a ledger until it is killed. `loop STATE TREE` holds and releases the same few placeholders, a folder and
 * files, as all others do, and sweeps; `steps STATE TREE N` does each once, and dies before its Nth look at the disk, or in the
 * middle of it; `swaps STATE TREE VICTIM` holds and releases a folder and a file while at each step in turn a link to VICTIM
 * stands in the place of the folder that they lie in; `shortage STATE TREE` releases one of two calls with the same
 * placeholder while at each step in turn no descriptor is left; `tries STATE TREE NAMES` holds `a` in TREE and names of a JSON list below it,
 * and prints how that ended, also for a second call while the folders are shut, and what was in TREE meanwhile and afterwards, as JSON. The others print `ready`, then a line for everything that should not be.
 */
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Placeholder, placeholderAt } from "../../../src/backend/placeholder.ts";
import { Ledger } from "../../../src/host/launch/ledger.ts";
import { type AbsolutePath, absolutePath, joinPath, parentOf } from "../../../src/profile/path.ts";
import { wrapAll } from "./wrapped-fs.ts";

/** No step of the ledger may take longer, whoever was killed meanwhile. */
const MAX_MS = 4_000;

const [, , mode, state = "", tree = "", last = "0"] = process.argv;
const ledger = new Ledger(absolutePath(state));
const names = ["a", "commondir", ".envrc"];
if (mode !== "tries") console.log("ready");
if (mode === "tries") await tryOnce(JSON.parse(last) as string[]);
else if (mode === "steps") await inSteps(Number(last));
else if (mode === "swaps") await whileSwapped(last);
else if (mode === "shortage") await whileShort();
else await forEver();

async function tryOnce(names: readonly string[]): Promise<void> {
  const seen = (): readonly string[] =>
    fs.readdirSync(tree, { recursive: true, encoding: "utf8" }).toSorted();
  const before = seen();
  const placeholders = ["a", ...names].map((name) => placeholderAt(joinPath(absolutePath(tree), name)));
  const held = await ledger.hold("once", placeholders).catch((error: unknown) => {
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    return { code, message, hint };
  });
  const isHeld = Symbol.asyncDispose in held;
  const made = seen().length - before.length;
  const again = isHeld ? await heldWhileShut(placeholders) : null;
  if (isHeld) await held[Symbol.asyncDispose]();
  const left = seen().filter((name) => !before.includes(name));
  const kept = fs.existsSync(`${state}/ledger`) ? fs.readdirSync(`${state}/ledger`) : [];
  console.log(JSON.stringify({ end: isHeld ? "held" : held, again, made, left: [...left, ...kept] }));
}

/** What another call says that needs no more than what is held, where its folders can't be written any more. */
async function heldWhileShut(placeholders: readonly Placeholder[]): Promise<string> {
  const folders = placeholders.map(({ path }) => parentOf(path));
  const own = folders.filter((folder) => fs.statSync(folder).uid === process.getuid?.());
  for (const folder of own) fs.chmodSync(folder, 0o555);
  try {
    await (await ledger.hold("again", placeholders))[Symbol.asyncDispose]();
    return "held";
  } catch (error) {
    return String(error);
  } finally {
    for (const folder of own) fs.chmodSync(folder, 0o755);
  }
}

async function forEver(): Promise<void> {
  for (let round = 0; ; round += 1) {
    const chosen = names.filter(() => Math.random() < 0.6);
    const paths = (chosen.length === 0 ? names : chosen).map((name) => joinPath(absolutePath(tree), name));
    try {
      await holdOnce(`call-${process.pid}-${round}`, paths);
      if (Math.random() < 0.3) await inTime("sweep", ledger.sweep());
    } catch (error) {
      console.log(`threw: ${String(error)}`);
    }
  }
}

async function holdOnce(callId: string, paths: readonly AbsolutePath[]): Promise<void> {
  const held = await inTime("hold", ledger.hold(callId, paths.map(placeholderAt)));
  tellMissing(paths);
  if (Math.random() < 0.5) await pause(Math.random() * 3);
  tellMissing(paths);
  await inTime("release", held[Symbol.asyncDispose]());
}

function tellMissing(paths: readonly AbsolutePath[]): void {
  for (const path of paths) if (!fs.existsSync(path)) console.log(`not held: ${path}`);
}

async function inTime<Value>(what: string, doing: PromiseLike<Value>): Promise<Value> {
  const began = performance.now();
  const value = await doing;
  const took = performance.now() - began;
  if (took > MAX_MS) console.log(`${what} took ${Math.round(took)} ms`);
  return value;
}

async function inSteps(deadly: number): Promise<void> {
  dieAt(deadly);
  await ledger.sweep();
  const held = await ledger.hold(
    "stepwise",
    names.map((name) => placeholderAt(joinPath(absolutePath(tree), name))),
  );
  await held[Symbol.asyncDispose]();
  await ledger.sweep();
  process.stdout.write("done\n");
}

/** A folder is swapped for a link right before one look at the disk, and swapped back right after it, or at the end. */
async function whileSwapped(victim: string): Promise<void> {
  const { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync } = fs;
  const folder = `${tree}/sub`;
  const before = readdirSync(victim).join();
  let isSwapped = false;
  const swap = (): void => {
    isSwapped = true;
    renameSync(folder, `${folder}-away`);
    symlinkSync(victim, folder);
  };
  const swapBack = (): void => {
    if (!isSwapped) return;
    isSwapped = false;
    unlinkSync(folder);
    renameSync(`${folder}-away`, folder);
  };
  let [steps, swapAt, isBrief] = [0, 0, false];
  wrapAll((_name, _given, call) => {
    steps += 1;
    if (steps === swapAt) swap();
    const value = call();
    if (isBrief) swapBack();
    return value;
  });
  for (let isOver = false; !isOver; ) {
    if (!isBrief) swapAt += 1;
    isBrief = !isBrief;
    mkdirSync(folder);
    steps = 0;
    const paths = ["held", "commondir"].map((name) => absolutePath(`${folder}/${name}`));
    const held = await ledger.hold("swapped", paths.map(placeholderAt)).catch(() => null);
    await held?.[Symbol.asyncDispose]();
    isOver = steps < swapAt;
    swapBack();
    if (readdirSync(victim).join() !== before) {
      console.log(`a link before step ${swapAt} was followed`);
      isOver = true;
    }
    rmSync(folder, { recursive: true });
  }
  process.stdout.write("done\n");
}

/** One look at the disk of a release fails for want of a descriptor: the other call's placeholder must stay. */
async function whileShort(): Promise<void> {
  const { existsSync, mkdirSync, openSync, readdirSync, readFileSync } = fs;
  const needing: readonly unknown[] = [openSync, readdirSync, readFileSync];
  const placeholder = placeholderAt(joinPath(absolutePath(tree), "held"));
  mkdirSync(tree, { recursive: true });
  let [steps, failAt] = [0, 0];
  wrapAll((_name, _given, call, real) => {
    steps += needing.includes(real) ? 1 : 0;
    if (steps === failAt && needing.includes(real))
      throw Object.assign(new Error("none left"), { code: "EMFILE" });
    return call();
  });
  const first = await ledger.hold("first", [placeholder]);
  for (let isOver = false; !isOver; ) {
    const second = await ledger.hold("second", [placeholder]);
    [steps, failAt] = [0, failAt + 1];
    await Promise.resolve(second[Symbol.asyncDispose]()).catch(() => null);
    isOver = steps < failAt;
    steps = Number.NaN;
    await new Ledger(absolutePath(state)).sweep();
    if (!existsSync(placeholder.path)) console.log(`the placeholder was gone after step ${failAt}`);
    await second[Symbol.asyncDispose]();
  }
  await first[Symbol.asyncDispose]();
  process.stdout.write("done\n");
}

/** Kills this process before the Nth call of `node:fs`, counted from now; a file that is written counts twice: it can stay empty. */
function dieAt(deadly: number): void {
  let steps = 0;
  const { closeSync, openSync } = fs;
  const isNext = (): boolean => {
    steps += 1;
    return steps === deadly;
  };
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  wrapAll((name, [file, , options], call) => {
    if (isNext()) die();
    if (name === "writeFileSync" && isNext()) {
      const flag = (options as { flag?: string } | undefined)?.flag ?? "w";
      if (typeof file === "string") closeSync(openSync(file, flag));
      die();
    }
    return call();
  });
}
