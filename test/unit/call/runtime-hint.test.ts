import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addRuntimeNamed, addRuntimeOf } from "../../../src/call/runtime-hint.ts";
import { yamlText } from "../../../src/host/look/runtimes/written.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const NONE = { runtimes: [] };
const PLAIN =
  /^[^`]*`sandbox\.runtimes`(?:[^`]*`\{ name: (?:[A-Za-z][\w.-]*|"[\w.-]+"), read: \[\/its\/folder\] \}`)?$/;

describe("what to add for a program", () => {
  test.each(["$(id>PWNED)", "a;b", "a}b", "a b", "x`y", "a\u202eb", "x,y:[z", "'"])(
    "whose name is %j has no name of the call's choice in it",
    (name) => {
      expect(addRuntimeNamed(name, NONE)).toBe(
        "check its spelling; if this machine has it, add its folder under `sandbox.runtimes`",
      );
      expect(addRuntimeOf(absolutePath(`/opt/tool/${name}`), NONE)).toBe(
        "if you trust that program, add its folder under `sandbox.runtimes`",
      );
    },
  );

  test.each(["own-tool", "7z", "true", "null", "1e3", "system", "g++", "-x", "@a", "..."])(
    "whose name is %j is a line that reads as it is written",
    (name) => {
      const hints = [
        addRuntimeNamed(name, NONE),
        addRuntimeOf(absolutePath(`/opt/a,/etc/x],y:[/${name}x`), NONE),
      ];
      for (const hint of hints) {
        expect(hint).toMatch(PLAIN);
        const line: unknown = parse(/`(\{.*\})`/.exec(hint)?.[1] ?? "null");
        expect(line).toEqual({ name: expect.any(String), read: ["/its/folder"] });
      }
    },
  );

  test("that comes with a language names the language, and no folder", () => {
    expect(addRuntimeNamed("npm", NONE)).toBe("add `node` under `sandbox.runtimes`");
    const hint = addRuntimeOf(absolutePath("/home/ann/.ssh/python3.9"), NONE);
    expect(hint).toMatch(
      /^add `python` under `sandbox.runtimes`; .*`\{ name: python3\.9, read: \[\/its\/folder\] \}`$/,
    );
    expect(hint).not.toContain("/root");
  });
});

test.each([
  "/a,/b",
  "/x],y:[/z",
  "/a b",
  "/a#b",
  "/a: b",
  "true",
  "null",
  "12",
  "0x1f",
  "~",
  "- a",
  "it's",
  'a"b',
  "",
])("%j in a line of YAML is one text", (text) => {
  expect(parse(`[${yamlText(text)}]`)).toEqual([text]);
});

test("what needs no quotes has none", () => {
  for (const text of ["/opt/tool-1.2/bin", "python3.9", "a@b+c"]) expect(yamlText(text)).toBe(text);
});
