import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FILE_TOOLS } from "../../../../src/tool/files/all.ts";
import { spoken } from "../../../../src/tool/files/file-tool.ts";

describe("a path in a sentence", () => {
  it("is as it is shown where it can be nothing else", () => {
    for (const shown of ["notes:report.md", "ws:", "/etc/passwd", "ws:src/grün_2+3@x~"])
      expect(spoken({ shown })).toBe(shown);
  });

  it("stands in quotes where a name could pass for words of the sentence, or for another root", () => {
    expect(spoken({ shown: "ws:a to notes:b" })).toBe('"ws:a to notes:b"');
    expect(spoken({ shown: 'ws:a", "notes:b' })).toBe('"ws:a\\", \\"notes:b"');
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (shown) => {
        const said = spoken({ shown });
        expect(said === shown ? /^[^\s"',]*$/u.test(said) : JSON.parse(said) === shown).toBe(true);
      }),
    );
  });

  it("can't be told by what is looked for: that stands in quotes", () => {
    const wanted = "x in ws: alone";
    const said = FILE_TOOLS.flatMap((tool) => {
      if (tool.name === "find_files") return tool.read({ pattern: wanted }, []).describe([]);
      return tool.name === "search_files" ? tool.read({ text: wanted }, []).describe([]) : [];
    });
    expect(said).toEqual([`find "${wanted}" in `, `search  for "${wanted}"`]);
  });
});
