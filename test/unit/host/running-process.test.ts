import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const MODULE = new URL("../../../src/host/look/running-process.ts", import.meta.url).href;

/** What a program that starts with these lines is told. */
function toldTo(lines: string, env: Readonly<Record<string, string>> = {}): unknown {
  const { NODE_COMPILE_CACHE: _, ...others } = process.env;
  const program = `${lines}
    const { thisRunningProcess } = await import(${JSON.stringify(MODULE)});
    const { compileCache } = thisRunningProcess({ env: {}, cwd: "/", homes: [] });
    console.log(JSON.stringify(compileCache));`;
  const words = ["--input-type=module", "--no-warnings", "--eval", program];
  const said = execFileSync(process.execPath, words, { env: { ...others, ...env }, encoding: "utf8" });
  return JSON.parse(said);
}

test("own: the folder in which Node keeps compiled code is known, however Node came to keep any", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-compiled-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cache = join(folder, "cc");
  const line = `import m from "node:module"; m.enableCompileCache(${JSON.stringify(cache)});`;
  expect(toldTo("", { NODE_COMPILE_CACHE: cache })).toBe(cache);
  expect(toldTo(line)).toBe(cache);
  expect(toldTo("")).toBeNull();
});
