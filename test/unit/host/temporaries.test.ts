import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Temporaries } from "../../../src/host/temporaries.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const prefixOf = (name: string): string => `.cofferdam-tmp-${name}0000000-`;

/** A state folder with the list of one session of this process, and of sessions of processes that have ended. */
class Listed implements Disposable {
  readonly #state = mkdtempSync(join(tmpdir(), "cofferdam-temporaries-"));
  readonly #place = join(this.#state, "temporaries");
  readonly own = new Temporaries(absolutePath(this.#state), "own", "own-");

  constructor() {
    mkdirSync(this.#place);
    this.own.expectIn(absolutePath("/folder"));
  }

  ended(name: string, prefix = prefixOf(name)): void {
    const entry = { pid: process.pid, startedAt: "0", prefix, folders: ["/elsewhere"] };
    writeFileSync(join(this.#place, `${name}.json`), JSON.stringify(entry));
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

describe("what ended processes left", () => {
  it("is told each time until it is forgotten, and never what is our own", () => {
    using listed = new Listed();
    expect(listed.left).toEqual([]);
    listed.ended("a");
    expect([listed.left, listed.left]).toEqual([[prefixOf("a")], [prefixOf("a")]]);
    for (const { forget } of listed.own.leftBehind()) forget();
    expect(listed.left).toEqual([]);
  });

  it("is not told where the list is none of ours, as it could be of anything", () => {
    using listed = new Listed();
    for (const prefix of ["", "report", ".cofferdam-tmp-", ".cofferdam-tmp-../00000000-"])
      listed.ended("x", prefix);
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
