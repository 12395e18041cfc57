import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HAS_PS, psMustBeThere } from "../../support/own-ps.ts";
import { IN_A_RELAYED_TERMINAL } from "../../support/screen/pty.ts";

const SITS = [process.execPath, join(import.meta.dirname, "../../support/screen/sits.ts")];
psMustBeThere();

/** What a process of these words says of how it sits: by `/proc`, and by `ps`. */
function told(words: readonly string[]): readonly string[] {
  const [file = "", ...rest] = words;
  const options = { encoding: "utf8", stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] } as const;
  const env = { ...process.env, ROWS: "24", COLUMNS: "80" };
  const { stdout } = spawnSync(file, rest, { ...options, stdio: [...options.stdio], env });
  return stdout.split(/\r?\n/).filter((line) => line.startsWith("[true") || line.startsWith("[false"));
}

describe.skipIf(process.platform !== "linux" || !HAS_PS)("by /proc and by ps the same is told", () => {
  test("of a process in the foreground of a terminal that is all its streams", () => {
    const [byProc = "", byPs] = told([...IN_A_RELAYED_TERMINAL, ...SITS]);
    expect(byProc).toMatch(/^\[true,\{"group":\d+,"foreground":\d+,"terminals":\[1280,\d+\]\}\]$/);
    expect(byPs).toBe(byProc);
  });

  test("of one in the background, and of one whose input comes from elsewhere", () => {
    const shell = (line: string): readonly string[] => ["/bin/sh", "-c", line, "sh", ...SITS];
    for (const line of ['set -m; "$@" & wait', '"$@" < /dev/null'])
      expect(told([...IN_A_RELAYED_TERMINAL, ...shell(line)]).map((one) => one.split(",", 1)[0])).toEqual([
        "[false",
        "[false",
      ]);
  });

  test("of one that has no terminal", () => {
    expect(told(["setsid", "-w", ...SITS]).map((one) => one.split(",", 1)[0])).toEqual(["[false", "[false"]);
  });
});
