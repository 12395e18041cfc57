import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Traces } from "../../../src/cli/traces.ts";
import { isLinear } from "../../support/linear-time.ts";

const ESC = "\u{1b}";

/** What a program may say: text, and sequences that leave something. */
const SAID = [
  ...["text", "\r\n", "\t", "é", "\u{5}", "\u{e}", "\u{7}"],
  ...["[?1049h", "[?1049l", "[?47h", "[?1047h", "[?25l", "[?7l", "[?1h", "=", "[4h", "[20h", "[?5h"],
  ...["[?9h", "[?1000h", "[?1002h", "[?1003h", "[?1006h", "[?1004h", "[?2004h", "[?1;25;1003;1049h"],
  ...["[?6h", "[?7;6h", "[3g", "[0g", "[?69h", "[?06h", "[?\n6h", "H", "[2h", "[3h", "[12l", "[?67h", "%@"],
  ...["[5i", "[?5i", "[?1051h", "[?1060;1061h", "V", '[1"q'],
  ...[
    "[3;9r",
    "[31;7m",
    "(0",
    "[>4;2m",
    "[>04;2m",
    "[>1;3m",
    "[>4m",
    "[>1u",
    "[=1u",
    "]8;;http://x",
    "]0;title",
    "]4;1;?;2;red",
    "]10;?;red\u{7}",
    "P1$r",
    "_x",
    "[12",
  ],
].map((one) => (/^([[\]=(P_%]|[HV]$)/.test(one) ? `${ESC}${one}` : one));

const programs = fc.array(fc.constantFrom(...SAID), { maxLength: 12 }).map((parts) => parts.join(""));

/** What a terminal is like after what it was sent. */
async function looks(...sent: readonly string[]) {
  const terminal = new xterm.Terminal({ cols: 40, rows: 12, allowProposedApi: true });
  for (const text of sent) await new Promise<void>((done) => terminal.write(text, done));
  const { active } = terminal.buffer;
  const { cursorX, cursorY, type } = active;
  const text = Array.from({ length: 12 }, (_, row) =>
    active.getLine(active.baseY + row)?.translateToString(true),
  );
  const modes = { ...terminal.modes };
  terminal.dispose();
  return { cursor: [cursorX, cursorY], type, text, modes };
}

/** What a program leaves, seen in parts of any length. */
function tracesOf(said: string | Uint8Array, partBytes: number): Traces {
  const traces = new Traces();
  const bytes = Buffer.from(said);
  for (let at = 0; at < bytes.length; at += partBytes) traces.see(bytes.subarray(at, at + partBytes));
  return traces;
}

describe("what a program leaves on a terminal", () => {
  test("tty: tab stops are every eight columns again", async () => {
    const said = `${ESC}[3g`;
    const tabbed = "\r\na\tb\tc";
    expect((await looks(said, tabbed)).text).not.toContain("a       b       c");
    expect((await looks(said, tracesOf(said, 2).undoing(), tabbed)).text).toContain("a       b       c");
  });

  test.each([
    [`${ESC}]4;1;#000000\u{7}`, `${ESC}]104${ESC}\\`],
    [`${ESC}]10;#101010\u{7}`, `${ESC}]110${ESC}\\`],
    [`${ESC}]11;rgb:0/0/0\u{7}`, `${ESC}]111${ESC}\\`],
    [`${ESC}]12;red\u{7}`, `${ESC}]112${ESC}\\`],
    [`${ESC}[6 q`, `${ESC}[0 q`],
  ])("tty: %j is undone, and nothing of a person's own taste where a program only asked", (said, undone) => {
    expect(tracesOf(said, 3).undoing()).toContain(undone);
    expect(tracesOf(`${ESC}]11;?\u{7}${ESC}]4;1;?\u{7}${ESC}]10;?\u{7}`, 3).undoing()).not.toContain(undone);
  });

  test("tty: is put right, whatever it was, and in whatever parts it came", async () => {
    const { modes } = await looks();
    await fc.assert(
      fc.asyncProperty(programs, fc.integer({ min: 1, max: 9 }), async (said, partBytes) => {
        const undone = tracesOf(said, partBytes).undoing();
        const after = await looks(said, undone, "\r\nprompt");
        expect([after.type, after.modes]).toEqual(["normal", modes]);
        // Text is text again: no other characters, and no sequence that swallows it.
        expect(after.text).toContain("prompt");
      }),
    );
  });

  test("tty: is put right by sequences that every terminal takes: of 64 bytes and 16 parameters at most", () => {
    const sequences = tracesOf(SAID.join(""), 9).undoing().split(ESC);
    expect(sequences.length).toBeGreaterThan(20);
    for (const sequence of sequences) {
      expect(sequence.length).toBeLessThan(64);
      expect(sequence.split(";").length).toBeLessThan(17);
    }
  });

  test("is nothing where it wrote text alone", () => {
    for (const text of ["", "plain\r\n\ttext\u{8}\u{7}\n"]) {
      const traces = tracesOf(text, 3);
      expect([traces.hasActed, traces.undoing(), traces.redoing()]).toEqual([false, "", ""]);
    }
    expect(tracesOf(`${ESC}[31m`, 3).hasActed).toBe(true);
    // In one byte, as terminals of one byte a character take them.
    const oneByte = new Traces();
    oneByte.see(Uint8Array.of(0x9b, 0x36, 0x6e));
    expect(oneByte.hasActed).toBe(true);
  });

  test("is put right without moving anything where nothing was left", async () => {
    const rows = `first${ESC}[1m\r\n${ESC}[0msecond`;
    const before = await looks(rows);
    const undone = tracesOf(rows, 5).undoing();
    expect(undone).not.toBe("");
    expect(await looks(rows, undone)).toEqual(before);
    expect(await looks(rows, undone, undone)).toEqual(before);
  });

  test("the screen that it used is its own again", async () => {
    const traces = tracesOf(`${ESC}[?1049h${ESC}[Hdrawn`, 4);
    expect((await looks(`shell${ESC}[?1049h`, traces.undoing())).text[0]).toBe("shell");
    expect((await looks("shell", traces.undoing(), traces.redoing())).type).toBe("alternate");
    expect(tracesOf(`${ESC}[?1049h${ESC}[?1049l`, 4).redoing()).toBe("");
  });

  const undone = (said: string | Uint8Array): string => tracesOf(said, 2).undoing();

  test("what a terminal may not know is undone only where it was used", () => {
    expect(undone(`${ESC}[0m${ESC}[?u${ESC}]8;;${ESC}\\`)).not.toMatch(/\[>|\[=0u|\]8;|%G|\[12h|\]1|<|67l/);
    expect(undone(`${ESC}[>1u`)).toContain("[=0u");
    expect(undone(`${ESC}]8;;http://x`)).toContain("]8;;");
    expect(undone(`${ESC}]8;id=1;http://x`)).toContain("]8;;");
    expect(undone(`${ESC}[12l`)).toContain(`${ESC}[12h`);
    expect(undone(`${ESC}[?67h`)).toContain(`${ESC}[?67l`);
    expect(undone(`${ESC}%@`)).toContain(`${ESC}%G`);
  });

  test.each([
    ["4;2m", "4m"],
    ["04;2m", "4m"],
    ["1;3m", "1m"],
    ["2n", "2m"],
    ["4;1f", "4f"],
  ])("keys that say more of themselves do so no longer: %s", (done, undo) => {
    // A terminal that takes it for a colour has none after that.
    expect(undone(`${ESC}[>${done}`)).toMatch(new RegExp(`\\[>${undo}.*\\[0m`));
  });

  test("keys are as before on either screen, each of which has its own", () => {
    const said = undone(`${ESC}[>1u${ESC}[?1049h${ESC}[>1u`);
    expect(said.split(`${ESC}[=0u`)).toEqual([
      expect.not.stringMatching(/10(47|49)l/),
      expect.stringContaining("[?1049l"),
      expect.anything(),
    ]);
  });

  test.each<[done: string, undo: string]>([
    ...[1050, 1051, 1052, 1053, 1060, 1061].map((keys): [string, string] => [`[?${keys}h`, `[?${keys}l`]),
    ["[?5i", "[?4i"],
    ["V", "W"],
    ["V", '[0"q'],
    ['[1"q', '[0"q'],
  ])("tty: %s is undone as xterm documents it, by %s, and only then", (done, undo) => {
    expect(undone(`${ESC}${done}`)).toContain(`${ESC}${undo}`);
    expect(undone(`${ESC}[0m${ESC}[?1034h${ESC}[4i${ESC}[?4i${ESC}[>5i${ESC}[?1052l${ESC}W`)).not.toContain(
      `${ESC}${undo}`,
    );
  });

  test("tty: what goes to a printer goes to the screen again before it is told anything else", () => {
    expect(undone(`${ESC}[5i`).startsWith(`\u{18}${ESC}[4i`)).toBe(true);
    expect(undone(`${ESC}[?5i`)).not.toContain(`${ESC}[4i`);
  });

  test.each([
    ["as a byte", Uint8Array.of(0x41, 0x96), true],
    ["as a character", "\u{96}", true],
    ["as the rest of another character", "Ö – ▖", false],
  ])("tty: an area that can't be erased is one where C1 begins it: %s", (_claim, said, isBegun) => {
    expect(undone(said).includes(`${ESC}W`)).toBe(isBegun);
  });

  test("a terminal that was made a VT52 is none before it is told anything else", () => {
    expect(undone(`${ESC}[?2l`).startsWith(`\u{18}${ESC}<`)).toBe(true);
  });

  test.each([
    ["leading zeros", `${ESC}[?0006h`, "[?6l"],
    ["a line feed inside", `${ESC}[?\n6\u{7}h`, "[?6l"],
    ["a deleted character inside", `${ESC}[?6\u{7f}h`, "[?6l"],
    ["more parameters than anybody reads at once", `${ESC}[?${"7;".repeat(200)}6h`, "[?6l"],
    ["a number of many digits", `${ESC}[?${"0".repeat(5000)}6h`, "[?6l"],
    ["CSI as one byte", Uint8Array.of(0x9b, 0x3f, 0x36, 0x68), "[?6l"],
    ["CSI as one character", "\u{9b}?6h", "[?6l"],
    ["OSC as one byte", Buffer.from("\u{9d}11;red\u{9c}", "latin1"), "]111"],
    ["OSC as one character", "\u{9d}11;red\u{9c}", "]111"],
    ["C1 inside a string, where a terminal does not know it", `${ESC}]10;?;\u{9b};red\u{7}`, "]112"],
    ["after another was broken off", `${ESC}[?7${ESC}[?6h`, "[?6l"],
    ["inside what is passed through", `${ESC}Ptmux;${ESC}${ESC}[?6h${ESC}\\`, "[?6l"],
    ["a colour behind a question", `${ESC}]4;1;?;2;red\u{7}`, "]104"],
    ["a colour with leading zeros", `${ESC}]04;1;red\u{7}`, "]104"],
    ["a colour behind another's question", `${ESC}]10;?;red\u{7}`, "]111"],
    ["a special colour", `${ESC}]5;0;red\u{7}`, "]105"],
    ["a colour without an end", `${ESC}]12;red`, "]112"],
    ["a single tab stop", `${ESC}H`, `${ESC}[8C${ESC}H`],
    ["a single tab stop of C1", "\u{88}", `${ESC}[8C${ESC}H`],
  ])("tty: undone is also %s", (_claim, said, undo) => {
    expect(undone(said)).toContain(undo);
  });

  test.each([
    ["CAN", `${ESC}[?\u{18}6h`, "[?6l"],
    ["SUB", `${ESC}[?\u{1a}6h`, "[?6l"],
    ["ESC", `${ESC}[?${ESC}6h`, "[?6l"],
    ["questions alone", `${ESC}]4;1;?;2;?\u{7}${ESC}]10;?;?;?\u{7}`, "]1"],
    ["another mode", `${ESC}[?66h${ESC}[6h${ESC}[?6l`, "[?6l"],
  ])("what no terminal took is not: %s", (_claim, said, undo) => {
    expect(undone(said)).not.toContain(undo);
  });
});

describe("looking at what a program says", () => {
  const pieces = fc.oneof(
    fc.constantFrom(
      ...SAID,
      ESC,
      "\u{9b}",
      "\u{9d}",
      "\u{18}",
      ";",
      "?",
      "6",
      "69",
      "h",
      "\n",
      "\u{7}",
      "red",
      " q",
    ),
    fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)),
  );
  const said = fc
    .tuple(fc.array(pieces, { maxLength: 30 }), fc.constantFrom("utf8" as const, "latin1" as const))
    .map(([parts, encoding]) => Buffer.from(parts.join(""), encoding));

  test("tty: tells the same in whatever chunks it comes", () => {
    fc.assert(
      fc.property(said, fc.array(fc.nat(90)), (bytes, cuts) => {
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const traces = new Traces();
        for (const [at, end] of ends.entries()) traces.see(bytes.subarray(ends[at - 1] ?? 0, end));
        expect(traces.undoing()).toBe(tracesOf(bytes, Math.max(1, bytes.length)).undoing());
      }),
      { numRuns: 1000 },
    );
  });

  /** A mebibyte that is shown takes no longer than this many milliseconds. */
  const MAX_MS = 200;

  test.each([
    ["parameters without an end", `${ESC}[?`, "6;"],
    ["modes", ESC, `[?6;6;6;6;6;6;69;69;69;69;69hx${ESC}`],
    ["introducers", "", `${ESC}[?6`],
    ["the shortest sequences", "", `${ESC}[m`],
    ["digits", `${ESC}[?`, "6"],
    ["a string without an end", `${ESC}]4;1;`, "?;1;"],
    ["colours", "", `${ESC}]10;?;red`],
    ["C1", "", "\u{9b}?6;69h"],
    ["C1 by itself", "", "\u{96}a\u{88}"],
    ["printers", "", `${ESC}[5i${ESC}[?5;5i${ESC}V${ESC}[?1051h`],
    ["text", ESC, "text "],
  ])("tty: takes linear time: %s", (_claim, start, repeated) => {
    const work = (length: number): void => {
      tracesOf(Buffer.from(start + repeated.repeat(length / repeated.length), "latin1"), 1 << 16);
    };
    expect(isLinear(work, 1 << 20, MAX_MS)).toBe(true);
  });
});
