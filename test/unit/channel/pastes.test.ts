import fc from "fast-check";
import { expect, test } from "vitest";
import { Pastes } from "../../../src/channel/pastes.ts";

const [BEGIN, END] = ["\u{1b}[200~", "\u{1b}[201~"];

/** What is taken for keys of a text that comes in these chunks. */
function keys(chunks: readonly string[]): readonly string[] {
  const pastes = new Pastes();
  return chunks.filter((chunk) => !pastes.isPart(chunk));
}

test("what is pasted is no key, however slowly it comes", () => {
  expect(keys([`${BEGIN}please read the`, "y", ` rest${END}`, "n"])).toEqual(["n"]);
  expect(keys(["y"])).toEqual(["y"]);
});

test("no chunk of a paste that is a key by itself counts, however the paste is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("y", "s", "A", "no ")), fc.array(fc.nat(40)), (texts, cuts) => {
      const paste = `${BEGIN}${texts.join("")}${END}`;
      const at = [...new Set(cuts.map((cut) => cut % paste.length))].sort((a, b) => a - b);
      const chunks = [0, ...at].map((from, index) => paste.slice(from, at[index] ?? paste.length));
      expect(keys(chunks).filter((chunk) => /^[ysA]$/.test(chunk))).toEqual([]);
      expect(keys([...chunks, "y"]).at(-1)).toBe("y");
    }),
  );
});
