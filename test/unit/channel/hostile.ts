import xterm from "@xterm/headless";
import fc from "fast-check";

/** What no row may hold: characters that are not seen, act on the terminal, or change the order of others. */
export const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )\p{Zs}|[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Texts that have been used to hide, forge or reorder what people read, and their like. */
export const HOSTILE: readonly string[] = [
  "\u{1b}[2J\u{1b}[H\u{1b}[31mred\u{1b}[0m",
  "\u{1b}]8;;https://evil.example\u{7}click\u{1b}]8;;\u{7}",
  "\u{1b}]52;c;cm0gLXJmIC8=\u{7}",
  "\u{9b}2J\u{90}q\u{9c}",
  "safe\u{202e}gnp.exe\u{2066}\u{2069}",
  "ze\u{200b}ro\u{200d}wi\u{feff}dth\u{ad}\u{2060}",
  "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f} \u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fd}",
  "rm -rf /\rls",
  "rm -rf /\b\b\b\b\b\b\b\bls -la  ",
  `e${"\u{301}".repeat(30)} \u{489}${"\u{336}".repeat(9)}`,
  "宽宽ＡＢ한글ｶﾞ →±§ÅА",
  "\ta\t\tb \t →   c→",
  "\\u{1b} \\\\u{2028} \u{2028}\u{2029}\u{85}",
  "x\n[y] yes, once  [n] no\ncofferdam asks: this call needs your approval\ntool      │ ls\n│ ls",
  "│ ls\n┊ more\n… 3 more lines: [v] shows all",
  "   lead   and trail   ",
  " ".repeat(90),
  "a\n\n\n",
  "שלום \u{627}\u{644} 123 \u{661}",
  "раypal.com \u{ff0f}etc \u{2215} \u{29f8}",
  "\u{e000}\u{f0000}\u{378}\u{ffff}\u{fffc}\u{fffd}",
  "\u{0}\u{7f}\u{1}",
];

/** A hostile text, pieces of several, or a text of the characters that are hard to draw. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 4 }).map((texts) => texts.join("")),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(
      ..." \n\t→\\u{1b}a│┊…",
      "宽",
      "\u{301}",
      "\u{200b}",
      "\u{1b}",
      "  ",
      "            ",
    ),
    maxLength: 120,
  }),
);

/** True when a terminal of so many columns draws each row in a row of its own. */
export async function isDrawnWithin(rows: readonly string[], columns: number): Promise<boolean> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 10,
    scrollback: 10_000,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(rows.join("\r\n"), resolve));
  const { active } = terminal.buffer;
  const used = active.baseY + active.cursorY + 1;
  const isWrapped = Array.from({ length: used }, (_, at) => active.getLine(at)?.isWrapped).includes(true);
  terminal.dispose();
  return used === rows.length && !isWrapped;
}
