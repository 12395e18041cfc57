import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallOptions } from "../../src/call/call-options.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { LOOKS, Seat, sh, TERMINAL, WINDOW } from "../support/battery/own-terminal.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { IN_A_TERMINAL, PUSHES, takesPushes } from "../support/battery/terminal.ts";

sandboxMustWork("a terminal of a program's own");

describe.skipIf(unusable !== null).each(PEOPLE)("for $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  it("tty: a program has a terminal of its own, and can push nothing into it", async () => {
    const calls = [{ argv: LOOKS, typed: "" }, { argv: LOOKS }];
    const [made, typed, untyped] = await place.run({ job: { calls }, settings: TERMINAL });
    expect(made).toEqual({ kind: "made" });
    expect(typed).toMatchObject({
      kind: "ran",
      code: 0,
      stdout: "is 0\r\nis 1\r\nis 2\r\nopened\r\n/dev/pts/0\r\n33 91\r\n0  ptmx\r\nerr\r\n",
      stderr: "",
      standings: { terminal: "enforced", descriptors: "enforced", limits: "enforced" },
    });
    // Where nobody types, input has an end.
    expect(untyped).toMatchObject({
      stdout: expect.stringMatching(/^is 1\r\nis 2\r\nopened\r\nnot a tty\r\n/),
    });
    expect(untyped).toMatchObject({ stderr: "" });
    if (takesPushes()) {
      const line = IN_A_TERMINAL.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      const env = { TYPED: join(place.top, "ws/typed") };
      expect(place.plainly(`${line} sh -c '${PUSHES.replaceAll("'", "'\\''")}'`, env).status).toBe(0);
      expect(place.read("ws/typed")).toContain("x");
    }
  });
});

describe.skipIf(unusable !== null)("a terminal of a program's own", () => {
  let seat: Seat;
  beforeEach(async () => {
    seat = await Seat.take();
  });
  afterEach(() => seat[Symbol.asyncDispose]());

  it("approve.once: it is started with exactly the words of the call", async () => {
    const prints = ["perl", "-e", 'print unpack("H*", join "\\0", @ARGV)', "--"] as const;
    const word = fc.oneof(
      fc.constantFrom("", "-e", "--", "$(id)", "`id`", "'", '"', "\\", "a\nb", "*", "~", "\u{1b}[2J", "é"),
      fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0") && text.isWellFormed()),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), async (words) => {
        const { shown } = await seat.call([...prints, ...words]);
        expect(shown).toBe(Buffer.from(words.join("\0")).toString("hex"));
      }),
      { numRuns: 12 },
    );
  });

  it("tty: what is typed means what it means at a terminal", async () => {
    const typed = (text: string): CallOptions => ({ window: WINDOW, stdin: Readable.from([text]) });
    expect(await seat.call(sh("cat; echo $?"), typed("a\r\u{4}"))).toMatchObject({
      shown: "a\r\na\r\n0\r\n",
    });
    expect(await seat.call(sh("cat; echo $?"), typed("a\n"))).toMatchObject({ shown: "a\r\na\r\n0\r\n" });
    expect(await seat.call(["sleep", "20"], typed("\u{3}"))).toMatchObject({ code: 130 });
    expect(await seat.call(["sleep", "20"], typed("\u{1c}"))).toMatchObject({ code: 131 });
    // Whole characters are erased.
    expect(
      await seat.call(sh("IFS= read -r line; printf '<%s>' \"$line\""), typed("aé\u{7f}b\n")),
    ).toMatchObject({
      shown: expect.stringMatching(/<ab>$/),
    });
    // With no shell to go back to, nothing is suspended (setpgid(2), orphaned process groups).
    expect(await seat.call(["sleep", "0.3"], typed("\u{1a}"))).toMatchObject({ code: 0 });
  });

  it("what is handed in where nobody types is read as it is", async () => {
    const line = "test -t 0 || test -t 1 && echo out; cat";
    expect(await seat.call(sh(line), { stdin: Readable.from(["a\u{3}\u{4}b\n"]) })).toMatchObject({
      shown: "out\r\na\u{3}\u{4}b\r\n",
      code: 0,
    });
  });

  it("proof: the window is opened before the program runs, and one that can't be keeps it from running", async () => {
    const made = join(seat.place.ws, "made");
    let wasThere: boolean | null = null;
    const open = (): void => {
      wasThere = existsSync(made);
    };
    expect(await seat.call(["touch", "made"], { window: { ...WINDOW, open } })).toMatchObject({ code: 0 });
    expect([wasThere, existsSync(made)]).toEqual([false, true]);
    seat.place.remove("ws/made");
    const fails = { ...WINDOW, open: () => Promise.reject(new Error("no window")) };
    await expect(seat.call(["touch", "made"], { window: fails })).rejects.toThrow("no window");
    expect(existsSync(made)).toBe(false);
  });
});
