import { describe, expect, test } from "vitest";
import { positionAt, readYaml } from "../../../src/config/yaml.ts";
import { refusalOf } from "./machine.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) => readYaml(bytes(text), "/x/cofferdam.yaml", "CONFIG_INVALID");

describe("config.strict: YAML that could be read in two ways is refused", () => {
  /** Text, where it is refused and what is said; the twin that means the same and is read. */
  const refused: readonly (readonly [
    claim: string,
    text: string,
    at: string,
    message: string,
    twin: string,
  ])[] = [
    [
      "a key written twice",
      "a: 1\nb: 2\na: 3\n",
      "3:1",
      "the key `a` is written twice, first on line 1",
      "a: 1\nb: 2\n",
    ],
    [
      "a key written twice in two spellings",
      'a: 1\n"a": 3\n',
      "2:1",
      "the key `a` is written twice, first on line 1",
      'a: 1\n"b": 3\n',
    ],
    [
      "a key written twice further down",
      "a:\n  - { b: 1, b: 2 }\n",
      "2:13",
      "the key `b` is written twice, first on line 2",
      "a:\n  - { b: 1, c: 2 }\n",
    ],
    ["a tab as indentation", "a:\n\tb: 1\n", "2:1", "the file is indented with a tab", "a:\n  b: 1\n"],
    [
      "a second document",
      "a: 1\n---\nb: 2\n",
      "2:1",
      "the file contains more than one document",
      "---\na: 1\n",
    ],
    [
      "a document after an end",
      "a: 1\n...\nb: 2\n",
      "3:1",
      "the file contains more than one document",
      "a: 1\n...\n",
    ],
    ["an anchor", "a: &x 1\n", "1:7", "the file has the anchor `&x`", "a: 1\n"],
    ["an anchor on a key", "&x a: 1\n", "1:4", "the file has the anchor `&x`", "a: 1\n"],
    ["an alias", "a: 1\nb: *x\n", "2:4", "the file has the alias `*x`", "a: 1\nb: '*x'\n"],
    ["a merge key", "a:\n  <<: { b: 1 }\n", "2:3", "the file has the merge key `<<`", "a:\n  b: 1\n"],
    ["a tag", "a: !secret x\n", "1:4", "the file has a tag", "a: x\n"],
    ["a core tag", "a: !!str 1\n", "1:10", "the file has the tag `tag:yaml.org,2002:str`", 'a: "1"\n'],
    [
      "another YAML",
      "%YAML 1.1\n---\na: yes\n",
      "1:1",
      "the file declares YAML `1.1`",
      "%YAML 1.2\n---\na: yes\n",
    ],
    ["a number as a key", "1: x\n", "1:1", "a key is not a string", '"1": x\n'],
    ["nothing as a key", "? \n: x\n", "1:3", "a key is not a string", '"": x\n'],
    ["a list as a key", "? [a]\n: x\n", "1:3", "a key is not a string", "a: x\n"],
    [
      "a key that zod would step over",
      "a:\n  __proto__: { b: 1 }\n",
      "2:3",
      "`__proto__` cannot be a key",
      "a:\n  proto: { b: 1 }\n",
    ],
    ["a file without anything", "", "1:1", "the file is empty", "a: 1\n"],
    ["a file of comments", "# version: 1\n", "1:1", "the file is empty", "a: 1 # version: 1\n"],
    ["a file that says null", "~\n", "1:1", "the file is empty", "a: ~\n"],
    ["a NUL", "a: x\0y\n", "1:5", "the file contains the invisible character `\\u{0}`", 'a: "x\\0y"\n'],
    [
      "a carriage return alone",
      "a: 1 # \rb: 2\n",
      "1:8",
      "the file contains the invisible character `\\u{d}`",
      "a: 1\r\nb: 2\r\n",
    ],
    [
      "text that runs backwards",
      "a: 1\nb: 2 # \u202e\n",
      "2:8",
      "the file contains the invisible character `\\u{202e}`",
      'b: "\\u202e"\n',
    ],
    [
      "a byte order mark within",
      "a: 1\n\ufeffb: 2\n",
      "2:1",
      "the file contains the invisible character `\\u{feff}`",
      "\ufeffa: 1\nb: 2\n",
    ],
    [
      "an open bracket",
      "a: [1, 2\n",
      "2:1",
      "the YAML is malformed: flow sequence in block collection must be sufficiently indented and end with a ]",
      "a: [1, 2]\n",
    ],
    [
      "33 levels",
      `a: ${"[".repeat(32)}${"]".repeat(32)}\n`,
      "1:35",
      "the file is nested more than 32 levels deep",
      `a: ${"[".repeat(31)}${"]".repeat(31)}\n`,
    ],
    ["a tower of brackets", `a: ${"[".repeat(200_000)}`, "", "the file is nested too deeply", "a: []\n"],
  ];

  test.each(refused)("%s", (_claim, text, at, message, twin) => {
    const refusal = refusalOf(() => read(text));
    expect(refusal).toMatchObject({ exit: 65, code: "CONFIG_INVALID", message });
    expect(refusal.at).toContain(`/x/cofferdam.yaml:${at}`);
    expect(refusal.hint).toMatch(/./);
    expect(read(twin).data).toBeTypeOf("object");
  });

  test("an alias of an anchor is refused at the anchor", () => {
    expect(refusalOf(() => read("a: &x {}\nb: *x\n"))).toMatchObject({
      message: "the file has the anchor `&x`",
    });
  });

  test("what is not UTF-8", () => {
    const refusal = refusalOf(() =>
      readYaml(Uint8Array.of(0x61, 0x3a, 0x20, 0xff), "/p.yaml", "PROFILE_INVALID"),
    );
    expect(refusal).toMatchInlineSnapshot(`
      {
        "at": "/p.yaml:1:1",
        "code": "PROFILE_INVALID",
        "exit": 65,
        "hint": "save it as UTF-8",
        "message": "the file is not UTF-8",
      }
    `);
  });

  test("more than 1 MiB, and not 1 MiB itself", () => {
    const text = (size: number): string => `a: ${"x".repeat(size - 3)}`;
    expect(refusalOf(() => read(text(1024 * 1024 + 1))).message).toBe("the file has 1048577 bytes");
    expect(read(text(1024 * 1024)).data).toBeTypeOf("object");
  });

  test("50,000 keys are read without taking all day", () => {
    read(Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join(""));
  });
});

describe("positions", () => {
  const yaml = read("\ufeffa:\r\n  b.c: [x, { d: 1 }]\r\ne:\r\n  - f\r\n");

  test("data is plain, keys in order", () => {
    expect(yaml.data).toEqual({ a: { "b.c": ["x", { d: 1 }] }, e: ["f"] });
  });

  test("a key with a dot in it is told apart from two keys", () => {
    expect([...yaml.keys].map(([key, { line, column }]) => `${key} ${line}:${column}`)).toEqual([
      "a 1:1",
      'a."b.c" 2:3',
      'a."b.c".0 2:9',
      'a."b.c".1 2:12',
      'a."b.c".1.d 2:14',
      "e 3:1",
      "e.0 4:5",
    ]);
  });

  test("a value has a place of its own, and what is not written that of what holds it", () => {
    expect(positionAt(yaml, ["a", "b.c"], "value")).toMatchObject({ line: 2, column: 8 });
    expect(positionAt(yaml, ["a", "z", "y"], "value")).toMatchObject({ line: 1, column: 1 });
    expect(positionAt(yaml, ["a", "b.c", 1, "z"])).toMatchObject({ line: 2, column: 12 });
  });

  test("YAML 1.2: no is a text, and so is 012", () => {
    expect(read("a: no\nb: 0o12\nc: 1_000\n").data).toEqual({ a: "no", b: 10, c: "1_000" });
  });
});
