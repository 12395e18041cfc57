import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lock, sweepUnfinished } from "../../src/host/launch/lock.ts";
import { processAt } from "../../src/host/launch/process-id.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { storm } from "../support/battery/storm.ts";

const STORM_MS = process.env["COFFERDAM_TEST_TIER"] === "quick" ? 4_000 : 10_000;
/** What an undisturbed step takes is far less; a wait that nobody ends is five seconds. */

let [top, place, marks] = ["", "", ""];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "cofferdam-lock-"));
  [place, marks] = [join(top, "lock"), join(top, "marks")];
  mkdirSync(marks);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const take = () => lock(absolutePath(place));
const mine = `${process.pid}.${processAt(process.pid)?.startedAt}`;

describe("a lock", () => {
  it("is never had by two, and never waited for when its owner was killed, at whatever instant", async () => {
    const { kills, said } = await storm("lock-driver.ts", [place, marks], 6, STORM_MS);
    expect(said).toEqual([]);
    expect(kills).toBeGreaterThan(6);
    (await take())[Symbol.dispose]();
    sweepUnfinished(absolutePath(place));
    expect([readdirSync(top).toSorted(), readdirSync(place)]).toEqual([["lock", "marks"], ["free"]]);
  });

  it("says by its name who has it, and is free afterwards", async () => {
    const held = await take();
    expect(readdirSync(place)).toEqual([mine]);
    held[Symbol.dispose]();
    expect([readdirSync(place), readdirSync(top).toSorted()]).toEqual([["free"], ["lock", "marks"]]);
  });

  it("is had one after another by those who ask at once, in one process too", async () => {
    let inside = 0;
    const seen: number[] = [];
    const visit = async (): Promise<void> => {
      using _lock = await take();
      inside += 1;
      seen.push(inside);
      await Promise.resolve();
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, visit));
    expect(new Set(seen)).toEqual(new Set([1]));
  });

  it("is taken over from a process that has ended, also from one that its parent has not noticed", async () => {
    // The shell's child ends at once; the program that the shell becomes never asks for it.
    const parent = spawn("/bin/sh", ["-c", "sleep 0.1 & echo $!; exec sleep 30"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const pid = await new Promise<string>((resolve) =>
        parent.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
      );
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
      for (const owner of [`${pid}.${processAt(Number(pid))?.startedAt}`, `${process.pid}.1`, "4194304.77"]) {
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
        writeFileSync(join(place, owner), "");
        (await take())[Symbol.dispose]();
        expect(readdirSync(place)).toEqual(["free"]);
      }
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("of which somebody removed everything but the folder is made anew", async () => {
    mkdirSync(place);
    (await take())[Symbol.dispose]();
    expect(readdirSync(place)).toEqual(["free"]);
  });

  it("that was only half made by a process that has ended is swept, that of a running one is not", () => {
    for (const owner of ["4194304.77", mine, "notes"]) mkdirSync(`${place}.${owner}`);
    sweepUnfinished(absolutePath(place));
    expect(readdirSync(top).toSorted()).toEqual([`lock.${mine}`, "lock.notes", "marks"]);
  });

  it("that a running process keeps is waited for five seconds, then it is told who has it", async () => {
    mkdirSync(place);
    writeFileSync(join(place, mine), "");
    await expect(take()).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: `the lock \`${place}\` was not released within 5 seconds by process ${process.pid}`,
      hint: `end process ${process.pid} if it hangs`,
    });
  });

  it("where something else stands says so at once", async () => {
    writeFileSync(place, "");
    await expect(take()).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: expect.not.stringContaining("was not released"),
    });
    expect(readdirSync(top).toSorted()).toEqual(["lock", "marks"]);
  });
});
