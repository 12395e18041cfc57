import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { placeholderAt } from "../../src/backend/placeholder.ts";
import { Ledger } from "../../src/host/launch/ledger.ts";
import { absolutePath, joinPath } from "../../src/profile/path.ts";
import { startDriver, storm } from "../support/battery/storm.ts";

/** How long many processes are killed at random. */
const STORM_MS = process.env["COFFERDAM_TEST_TIER"] === "quick" ? 4_000 : 10_000;
/** What an undisturbed step takes is far less; a wait for a process that is gone would be five seconds. */

let top = "";
let [state, tree] = ["", ""];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "cofferdam-ledger-"));
  [state, tree] = [join(top, "state"), join(top, "tree")];
  for (const folder of [state, tree]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const ledger = (): Ledger => new Ledger(absolutePath(state));
const path = (name: string) => absolutePath(join(tree, name));
const at = (name: string) => placeholderAt(path(name));
/** Everything that is left, but for the lock while nobody has it. */
const left = (): readonly string[] =>
  readdirSync(top, { recursive: true, encoding: "utf8" })
    .filter(
      (name) =>
        !["state", "tree", "state/ledger", "state/ledger-lock", "state/ledger-lock/free"].includes(name),
    )
    .toSorted();

describe("fs.residue: a process that is killed", () => {
  it("at any step leaves nothing that the next one does not sweep, and nobody waits for it", async () => {
    const seen: string[] = [];
    let step = 1;
    for (let isDone = false; !isDone && seen.length === 0; step += 4) {
      const ends = await Promise.all(
        [0, 1, 2, 3].map((more) => {
          const place = join(top, `step-${step + more}`);
          return stepwise(join(place, "state"), join(place, "tree"), step + more);
        }),
      );
      isDone = ends.includes("done");
      seen.push(...ends.filter((end) => end !== "swept" && end !== "done"));
    }
    expect([seen, step > 20]).toEqual([[], true]);
  });

  it("at any instant among many others keeps none of them from working", async () => {
    const { kills, said } = await storm("ledger-driver.ts", ["loop", state, tree], 6, STORM_MS);
    expect(said).toEqual([]);
    expect(kills).toBeGreaterThan(6);
    await ledger().sweep();
    expect(left()).toEqual([]);
  });
});

describe("the ledger", () => {
  it("holds what is missing and removes it again, with every folder of its own", async () => {
    const held = await ledger().hold("one", [at("a"), at("b")]);
    expect([readdirSync(tree).toSorted(), [...ledger().held()]]).toEqual([
      ["a", "b"],
      [path("a"), path("b")],
    ]);
    await held[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
  });

  it("holds a file by one that says nothing to its readers", async () => {
    const names = ["commondir", "config.worktree", ".envrc", "tasks.json"];
    const held = await ledger().hold("one", names.map(at));
    expect(names.map((name) => readFileSync(path(name), "utf8"))).toEqual([".\n", "", "", "{}\n"]);
    await held[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
  });

  it.each([
    ["by another file", (at: string) => renameSync(writtenBeside(at, "own\n"), at), "own\n"],
    ["by more text", (at: string) => writeFileSync(at, ".\n.\n"), ".\n.\n"],
  ] as const)("leaves a file that was replaced %s meanwhile", async (_, replace, text) => {
    const held = await ledger().hold("one", [at("commondir")]);
    replace(path("commondir"));
    await held[Symbol.asyncDispose]();
    expect(left()).toEqual(["tree/commondir"]);
    expect(readFileSync(path("commondir"), "utf8")).toBe(text);
  });

  it("keeps a file that two calls hold until the last of them ends", async () => {
    const [one, two] = [ledger(), ledger()];
    const first = await one.hold("one", [at("commondir")]);
    const second = await two.hold("two", [at("commondir")]);
    await first[Symbol.asyncDispose]();
    expect(readFileSync(path("commondir"), "utf8")).toBe(".\n");
    await second[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
  });

  it("never makes one within another call's, which could not be removed then", async () => {
    const one = await ledger().hold("one", [at("deep")]);
    const within = ledger().hold("two", [at("other"), at("deep/er")]);
    await expect(within).rejects.toMatchObject({ code: "FACTS_UNSTABLE" });
    const [two] = await Promise.all([ledger().hold("two", [at("deep")]), one[Symbol.asyncDispose]()]);
    await two[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
  });

  it("removes what it made in a folder that was moved meanwhile, and nothing of another in its place", async () => {
    const folders = Array.from({ length: 20 }, (_, index) => `folder-${index}`);
    for (const folder of [...folders, "apart"]) mkdirSync(path(folder));
    const names = [...folders.map((folder) => `${folder}/held`), "apart/commondir", "apart/held"];
    const held = await ledger().hold("one", names.map(at));
    renameSync(path("apart"), path("moved"));
    mkdirSync(path("apart/held"), { recursive: true });
    await held[Symbol.asyncDispose]();
    expect(left()).toEqual(
      [...folders, "apart", "apart/held", "moved"].map((name) => `tree/${name}`).toSorted(),
    );
  });

  it("leaves a folder that somebody else made at the same path as it is, empty or not", async () => {
    mkdirSync(path("b"));
    await expect(ledger().hold("one", [at("a"), at("b")])).rejects.toMatchObject({
      code: "FACTS_UNSTABLE",
    });
    expect(left()).toEqual(["tree/b"]);
  });

  it.each([
    ["makes", []],
    ["removes", ["commondir", "held"]],
  ] as const)(
    "fs.dest: %s nothing through a link, at whatever step one comes to stand in the place of a folder",
    async (_, before) => {
      const victim = join(top, "victim");
      for (const folder of [
        victim,
        ...before.filter((name) => name === "held").map((name) => join(victim, name)),
      ])
        mkdirSync(folder);
      if (before.length > 0) writeFileSync(join(victim, "commondir"), ".\n");
      const child = startDriver("ledger-driver.ts", ["swaps", state, tree, victim]);
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
      await new Promise((resolve) => child.once("close", resolve));
      expect([said, readdirSync(victim)]).toEqual(["ready\ndone\n", before]);
    },
  );

  it("keeps what another call needs when no descriptor is left to look for it", async () => {
    const child = startDriver("ledger-driver.ts", ["shortage", state, tree]);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    expect([said, left()]).toEqual(["ready\ndone\n", []]);
  });

  it("says that nothing can have too long a name, in few words, and leaves nothing", async () => {
    const [max, more] = ["n".repeat(255), "n".repeat(256)];
    await (await ledger().hold("one", [at("a"), at(max)]))[Symbol.asyncDispose]();
    await expect(ledger().hold("two", [at("a"), at(more)])).rejects.toMatchObject({
      code: "NOT_ENFORCEABLE",
      message: expect.stringMatching(
        /^the protected path `.{1,181}` can't be blocked while .*: its name is too long$/,
      ),
    });
    expect(left()).toEqual([]);
  });

  it("holds names that are not UTF-8", async () => {
    const name = absolutePath(tree);
    const held = await ledger().hold("one", [placeholderAt(joinPath(name, "\uDCFF\uDC80"))]);
    expect(readdirSync(tree, { encoding: "buffer" })).toEqual([Buffer.from([0xff, 0x80])]);
    await held[Symbol.asyncDispose]();
    expect(left()).toEqual([]);
  });

  it("does not wait for a file of the lock's name that is empty", async () => {
    mkdirSync(join(state, "ledger"));
    writeFileSync(join(state, "ledger/lock"), "");
    await (await ledger().hold("one", [at("a")]))[Symbol.asyncDispose]();
    expect(readdirSync(tree)).toEqual([]);
  });

  it("is not stopped by an entry that can't be read", async () => {
    mkdirSync(join(state, "ledger"));
    for (const [name, text] of [
      ["empty", ""],
      ["torn", '{"pid":'],
      ["other", "{}"],
    ] as const)
      writeFileSync(join(state, `ledger/${name}.json`), text);
    await ledger().sweep();
    await (await ledger().hold("one", [at("a")]))[Symbol.asyncDispose]();
    expect(readdirSync(tree)).toEqual([]);
  });
});

/** Kills a process at one step; then the next one sweeps and works. What it ended with, or what was left. */
async function stepwise(state: string, tree: string, step: number): Promise<string> {
  for (const folder of [state, tree]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const child = startDriver("ledger-driver.ts", ["steps", state, tree, String(step)]);
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const signal = await new Promise((resolve) => child.once("close", (_code, by) => resolve(by)));
  if (said.includes("done")) return "done";
  if (signal !== "SIGKILL") return `step ${step}: it broke`;
  const next = new Ledger(absolutePath(state));
  await next.sweep();
  const files = existsSync(join(state, "ledger")) ? readdirSync(join(state, "ledger")) : [];
  const places = readdirSync(state).filter((name) => name !== "ledger" && name !== "ledger-lock");
  const rest = [...files, ...places, ...readdirSync(tree)];
  const held = await next.hold("next", [placeholderAt(absolutePath(join(tree, "a")))]);
  await held[Symbol.asyncDispose]();
  return rest.length === 0 ? "swept" : `step ${step}: ${rest.join(" ")} was left`;
}

/** A file beside another, to be renamed to its name. */
function writtenBeside(at: string, text: string): string {
  writeFileSync(`${at}.lock`, text);
  return `${at}.lock`;
}
