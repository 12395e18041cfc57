import { expect, test } from "vitest";
import { inEnglish } from "../../../src/call/in-english.ts";

const SAID = "rm: cannot remove 'a': Device or resource busy\n";

test("what English programs say stays as it is, whatever language is asked for", () => {
  for (const LANG of ["", "C", "C.UTF-8", "en_GB.UTF-8", "de_DE.UTF-8", "../../etc", "de_DE"])
    expect([LANG, inEnglish(SAID, { LANG })]).toEqual([LANG, SAID]);
});

test("a language without a catalog, and a locale that is none, change nothing", () => {
  const said = "rm: Das Gerät oder die Ressource ist belegt";
  for (const env of [
    {},
    { LANG: "xx_XX.UTF-8" },
    { LANG: "C", LANGUAGE: "de" },
    { LANG: "de_DE.UTF-8", LC_ALL: "C.UTF-8" },
  ])
    expect(inEnglish(said, env)).toBe(said);
});
