import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Temporaries } from "../../../src/host/launch/temporaries.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const prefixOf = (name: string): string => `.cofferdam-tmp-${name}0000000-`;

/** A state folder with the list of one session of this process, and of sessions of processes that have ended. */
class Listed implements Disposable {
  readonly #state = mkdtempSync(join(tmpdir(), "cofferdam-temporaries-"));
  readonly #place = join(this.#state, "temporaries");
  readonly own = new Temporaries(absolutePath(this.#state), "own", "own-");
  readonly other = new Temporaries(absolutePath(this.#state), "other", "other-");

  constructor() {
    mkdirSync(this.#place);
    this.own.expectIn(absolutePath("/folder"));
  }

  ended(name: string, others: { readonly prefix?: string; readonly endedBy?: number } = {}): void {
    const folders = ["/elsewhere"];
    const entry = { pid: process.pid, startedAt: "0", prefix: prefixOf(name), folders, ...others };
    writeFileSync(join(this.#place, `${name}.json`), JSON.stringify(entry));
  }

  unfinished(name: string): void {
    writeFileSync(join(this.#place, `${name}.json.unfinished`), "{");
  }

  get names(): readonly string[] {
    return readdirSync(this.#place).toSorted();
  }

  /** The folder changed so long ago, in seconds, as far as its time says. */
  changed(secondsAgo: number): void {
    const then = Math.floor(Date.now() / 1000) - secondsAgo;
    utimesSync(this.#place, then, then);
  }

  get left(): readonly string[] {
    return this.own.leftBehind().map(({ prefix }) => prefix);
  }

  [Symbol.dispose](): void {
    rmSync(this.#state, { recursive: true });
  }
}

afterEach(() => {
  vi.useRealTimers();
});

describe("what ended processes left", () => {
  it("is told each time until it is forgotten, and never what is our own", () => {
    using listed = new Listed();
    expect(listed.left).toEqual([]);
    listed.ended("a", { endedBy: Date.now() - 6_000 });
    expect([listed.left, listed.left]).toEqual([[prefixOf("a")], [prefixOf("a")]]);
    for (const { forget } of listed.own.leftBehind()) forget?.();
    expect(listed.left).toEqual([]);
  });

  it("is not told by an entry that was never finished, which is removed after a minute, and not before", () => {
    using listed = new Listed();
    vi.useFakeTimers({ toFake: ["Date"] });
    listed.unfinished("a");
    expect([listed.left, listed.names]).toEqual([[], ["a.json.unfinished", "own.json"]]);
    vi.setSystemTime(Date.now() + 61_000);
    expect([listed.left, listed.names]).toEqual([[], ["own.json"]]);
  });

  it("can be forgotten when its workers have ended as well: by no process before, and by any behind that", () => {
    using listed = new Listed();
    vi.useFakeTimers({ toFake: ["Date"] });
    const canBeForgotten = (): readonly boolean[] =>
      [...listed.own.leftBehind(), ...listed.other.leftBehind()].map(({ forget }) => forget !== null);
    listed.ended("a");
    expect(canBeForgotten()).toEqual([false, false]);
    vi.setSystemTime(Date.now() + 4_000);
    expect(canBeForgotten()).toEqual([false, false]);
    vi.setSystemTime(Date.now() + 1_001);
    expect(canBeForgotten()).toEqual([true, true]);
    // A clock that was set back by a year.
    vi.setSystemTime(Date.now() - 365 * 86_400_000);
    expect(canBeForgotten()).toEqual([true, true]);
  });

  it("is not told where the list is none of ours, as it could be of anything", () => {
    using listed = new Listed();
    for (const prefix of ["", "report", ".cofferdam-tmp-", ".cofferdam-tmp-../00000000-"])
      listed.ended("x", { prefix });
    expect(listed.left).toEqual([]);
    listed.ended("x");
    expect(listed.left).toEqual([prefixOf("x")]);
  });

  it("is told that came after a look at a folder that was at rest", () => {
    using listed = new Listed();
    listed.changed(60);
    expect(listed.left).toEqual([]);
    listed.ended("a");
    expect(listed.left).toEqual([prefixOf("a")]);
  });

  it("is told that came in the same tick of the clock as a look", () => {
    using listed = new Listed();
    listed.changed(-1);
    expect(listed.left).toEqual([]);
    listed.ended("a");
    listed.changed(-1);
    expect(listed.left).toEqual([prefixOf("a")]);
  });
});
