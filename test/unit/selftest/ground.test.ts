import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { printProcess, processAt, thisProcess } from "../../../src/host/launch/process-id.ts";
import { prepareGround } from "../../../src/selftest/ground.ts";

const PURPOSE = { word: "word", asRoot: false, platform: "linux" } as const;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "cofferdam-ground-"));
  vi.stubEnv("TMPDIR", place);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});

/** A folder as a run of the process would have made it, with something in it. */
function folderOf(process: string, random: string): string {
  const name = `cofferdam-selftest-${process}.${random}`;
  mkdirSync(join(place, name, "ws"), { recursive: true });
  writeFileSync(join(place, name, "ws/file"), "");
  return name;
}

/** A process that has ended, and one that runs until disposal. */
async function processes(): Promise<AsyncDisposable & { readonly ended: string; readonly running: string }> {
  const start = async () => {
    const child = spawn("/bin/cat", { stdio: ["pipe", "ignore", "ignore"] });
    await once(child, "spawn");
    const id = processAt(child.pid ?? 0);
    if (id === null) throw new Error("it has ended already");
    const stop = async (): Promise<void> => {
      child.stdin.end();
      await once(child, "exit");
    };
    return { name: printProcess(id), stop };
  };
  const [ended, running] = [await start(), await start()];
  await ended.stop();
  return { ended: ended.name, running: running.name, [Symbol.asyncDispose]: running.stop };
}

it("fs.residue: folders of runs that have ended are removed, those of live ones are not", async () => {
  await using made = await processes();
  const left = folderOf(made.ended, "aaaaaa");
  const mine = folderOf(printProcess(thisProcess()), "aaaaaa");
  const others = folderOf(made.running, "aaaaaa");
  const kept = [mine, others, folderOf(`${made.ended}.x`, "aaaaaa"), folderOf("x", "aaaaaa")];
  using ground = prepareGround(PURPOSE);
  expect(existsSync(ground.ws)).toBe(true);
  expect(existsSync(join(place, left))).toBe(false);
  const own = readdirSync(place).filter((name) => !kept.includes(name));
  expect(own).toEqual([
    expect.stringMatching(`^cofferdam-selftest-${printProcess(thisProcess())}\\.\\w{6}$`),
  ]);
  for (const name of kept) expect(existsSync(join(place, name, "ws/file"))).toBe(true);
  ground[Symbol.dispose]();
  expect(readdirSync(place).toSorted()).toEqual(kept.toSorted());
});

it("says where nothing can be made", () => {
  vi.stubEnv("TMPDIR", join(place, "missing"));
  expect(() => prepareGround(PURPOSE)).toThrow(
    expect.objectContaining({
      code: "SANDBOX_UNAVAILABLE",
      message: `the selftest's folders can't be made in \`${join(place, "missing")}\`: ENOENT`,
    }),
  );
  vi.stubEnv("TMPDIR", relative(process.cwd(), place));
  using ground = prepareGround(PURPOSE);
  expect(existsSync(ground.ws)).toBe(true);
});

it("fs.residue: what is named like one of them and is a link or a file is not touched, nor what a link leads to", async () => {
  await using made = await processes();
  const name = (random: string): string => join(place, `cofferdam-selftest-${made.ended}.${random}`);
  mkdirSync(join(place, "elsewhere"));
  writeFileSync(join(place, "elsewhere/file"), "");
  symlinkSync(join(place, "elsewhere"), name("aaaaaa"));
  writeFileSync(name("bbbbbb"), "");
  using _ground = prepareGround(PURPOSE);
  for (const path of [name("aaaaaa"), name("bbbbbb"), join(place, "elsewhere/file")])
    expect(existsSync(path)).toBe(true);
});

it.skipIf(process.getuid?.() !== 0)(
  "fs.residue: another user's folder is that user's to change, and is left",
  async () => {
    await using made = await processes();
    const [mine, theirs] = [folderOf(made.ended, "aaaaaa"), folderOf(made.ended, "bbbbbb")];
    lchownSync(join(place, theirs), 1001, 1001);
    using _ground = prepareGround(PURPOSE);
    expect([mine, theirs].map((name) => existsSync(join(place, name, "ws/file")))).toEqual([false, true]);
  },
);
