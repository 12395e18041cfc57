import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { type Block, blocksOf, markOf, PAGES, pageText, ROOT } from "../support/docs/pages.ts";
import { Stage } from "../support/docs/stage.ts";

/** The oldest Node of `engines`, which reads neither `using` nor enums. */
const OLDEST = join(ROOT, ".cofferdam-node/22.18.0/bin/node");

const isProgram = (block: Block): boolean => block.language === "ts" && markOf(block, "file") !== null;
const pages = PAGES.filter((page) => blocksOf(pageText(page)).some(isProgram));

sandboxMustWork("the programs of the docs");

test("the docs show programs", () => {
  expect(pages.length).toBeGreaterThan(1);
});

test.each(pages)("the programs of %s are of the right types, as a project of its own checks them", (page) => {
  const folder = mkdtempSync(join(homedir(), ".cofferdam-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const block of blocksOf(pageText(page)))
    if (isProgram(block)) writeFileSync(join(folder, markOf(block, "file") ?? ""), block.text);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: COMPILER, include: ["*.ts"] }),
  );
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(ROOT, join(folder, "node_modules/cofferdam"));
  for (const name of ["zod", "@types/node"])
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  expect(spawnSync(tsc, ["-p", folder], { encoding: "utf8" }).stdout).toBe("");
});

describe.skipIf(unusable !== null).each(pages)("the programs of %s", (page) => {
  itNeeds([OLDEST], "print the same on the oldest Node", async () => {
    const text = pageText(page);
    await using stage = new Stage({ node: OLDEST });
    expect(await stage.play(text, blocksOf(text))).toBe(text);
  });
});

const COMPILER = {
  target: "es2024",
  module: "nodenext",
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: ["node"],
};
