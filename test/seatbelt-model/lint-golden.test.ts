import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CALL_PARAMETERS } from "../support/mac/mac-case.ts";
import { lint } from "./lint.ts";

const FOLDER = new URL("../golden/seatbelt/", import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".sb"));

describe("no lint finds anything in a golden text", () => {
  it("of which there are some", () => {
    expect(FILES).toContain("workspace.sb");
  });

  it.each(FILES)("%s", (name) => {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    expect(lint(text, CALL_PARAMETERS)).toEqual([]);
    // The same text with one rule too many is found out.
    expect(lint(`${text}(allow file-read* file-read-data)\n`, CALL_PARAMETERS)).not.toEqual([]);
  });
});
