import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import type { ProgramTool } from "../../../src/tool/program-tool.ts";

/** The words of one use of a template. */
function wordsOf(command: ProgramTool["command"], args: Json) {
  return defineTool({ name: "t", command }).use(args, { signal: null, metadata: {} }).argv?.();
}

describe("the template of a program", () => {
  it("has its program fixed: no argument chooses what is started", () => {
    for (const first of ["{program}", "/usr/bin/{program}", "x{a}y"])
      expect(() => defineTool({ name: "t", command: [first, "-v"] })).toThrow("choose the program");
    expect(wordsOf(["/usr/bin/printf", "{program}"], { program: "id" })).toEqual(["/usr/bin/printf", "id"]);
  });

  it("takes what an argument says as one word, and never as a template", () => {
    const words = wordsOf(["printf", "--", "{a}", "x{a}y", "{list}"], {
      a: "{list} $(b)\n",
      list: ["", "{a}"],
    });
    expect(words).toEqual(["printf", "--", "{list} $(b)\n", "x{list} $(b)\ny", "", "{a}"]);
  });
});
