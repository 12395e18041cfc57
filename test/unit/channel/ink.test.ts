import { expect, test } from "vitest";
import { columns } from "../../../src/channel/columns.ts";
import { inkFor, widthOf } from "../../../src/channel/ink.ts";

const isColoured = (isTTY: boolean, env: Record<string, string>): boolean =>
  inkFor({ isTTY }, env).bad("x") !== "x";

test.each<[isTTY: boolean, env: Record<string, string>, colours: boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  [true, { NO_COLOR: "" }, true],
  [true, { TERM: "dumb" }, false],
  [false, { FORCE_COLOR: "1" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
])("a terminal: %j, the environment %j, colours: %j", (isTTY, env, colours) => {
  expect(isColoured(isTTY, env)).toBe(colours);
});

test("columns are as wide as their widest cell, and a row's last cell may run on", () => {
  const rows = [
    ["files", "read", "/usr", "runtime"],
    ["", "write", "/home/ann/project", "root"],
    ["limits", "a long line of its own"],
    [],
  ];
  expect(columns(rows)).toEqual([
    "files   read   /usr               runtime",
    "        write  /home/ann/project  root",
    "limits  a long line of its own",
    "",
  ]);
});

test("cells are made visible before they are measured, and colours take no room", () => {
  const { bad } = inkFor({ isTTY: true }, {});
  const lines = columns(
    [
      ["a\u{1b}[2J\n", "x"],
      ["b", "y"],
    ],
    [bad],
  );
  expect(lines.map(widthOf)).toEqual([18, 18]);
  expect(lines[0]).toBe(`${bad("a\\u{1b}[2J\\u{a}")}  x`);
});
