import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Traces } from "../../../src/cli/traces.ts";

const ESC = "\u{1b}";

/** What a program may say: text, and sequences that leave something. */
const SAID = [
  ...["text", "\r\n", "\t", "é", "\u{5}", "\u{e}", "\u{7}"],
  ...["[?1049h", "[?1049l", "[?47h", "[?1047h", "[?25l", "[?7l", "[?1h", "=", "[4h", "[20h", "[?5h"],
  ...["[?9h", "[?1000h", "[?1002h", "[?1003h", "[?1006h", "[?1004h", "[?2004h", "[?1;25;1003;1049h"],
  ...["[?6h", "[?7;6h", "[3g", "[0g", "[?69h"],
  ...[
    "[3;9r",
    "[31;7m",
    "(0",
    "[>4;2m",
    "[>4m",
    "[>1u",
    "[=1u",
    "]8;;http://x",
    "]0;title",
    "P1$r",
    "_x",
    "[12",
  ],
].map((one) => (/^[[\]=(P_]/.test(one) ? `${ESC}${one}` : one));

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
function tracesOf(said: string, partBytes: number): Traces {
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

  test("what a terminal may not know is undone only where it was used", () => {
    const undone = (said: string): string => tracesOf(said, 2).undoing();
    expect(undone(`${ESC}[0m`)).not.toMatch(/\[>4|\[=0u|\]8;/);
    expect(undone(`${ESC}[>4;2m`)).toContain("[>4;0m");
    expect(undone(`${ESC}[>4;2m${ESC}[>4m`)).not.toContain("[>4;0m");
    expect(undone(`${ESC}[>1u`)).toContain("[=0u");
    expect(undone(`${ESC}]8;;http://x`)).toContain("]8;;");
  });
});
