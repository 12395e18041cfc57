import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ended } from "../../src/host/launch/run-options.ts";
import { RulesPlace } from "../support/mac/rules.ts";
import { type Mode, noStandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("the start program of rules");

let place: RulesPlace;
beforeEach(() => {
  place = new RulesPlace();
});
afterEach(() => place[Symbol.dispose]());

function said({ code, stdout, stderr }: Ended): readonly [number, string, string] {
  return [code, stdout.bytes.toString(), stderr.bytes.toString()];
}

interface Try {
  readonly mode: Mode;
  readonly message: string;
  /** The line of the start program's script that finds it. */
  readonly without: RegExp;
  /** What the host sees of it. */
  readonly seen?: string;
}

const TRIES: readonly Try[] = [
  { mode: "canary readable", message: "a hidden file can be read", without: /o read/ },
  { mode: "canary writable", message: "a hidden file can be written", without: /o write/ },
  {
    mode: "made",
    message: "a file can be created in a read-only place",
    without: /o create/,
    seen: "a file was created in a read-only place",
  },
  { mode: "listed", message: "a hidden folder can be listed", without: /o list/ },
  { mode: "signals", message: "processes outside can be signalled", without: /o signal/ },
  { mode: "no signals", message: "the program can't signal itself", without: /o own/ },
  { mode: "descriptor", message: "an unexpected descriptor is open", without: /o descriptor\\n/ },
];

const ALL_SHELLS = ["/bin/dash", "/bin/bash", "/usr/bin/busybox", "/usr/bin/zsh"];
const SHELLS = ALL_SHELLS.filter((path) => existsSync(path));

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("every shell is there where it must", () => {
  expect(SHELLS).toEqual(ALL_SHELLS);
});

describe.skipIf(noStandIn !== null).each(SHELLS)("the start program in %s", (program) => {
  /** What it is called says how it reads its script. */
  let shell = "";
  beforeEach(() => {
    shell = join(place.standIn.folder, "sh");
    symlinkSync(program, shell);
  });

  const sh = (line: string, ...words: readonly string[]) => ({
    argv: ["/bin/sh", "-c", line, "sh", ...words],
    shell,
  });

  it("the program's words, status and output are its own", async () => {
    const words = ["a b", "'\"$x`\\", "", "-n"];
    const ended = await place.run(sh('printf "[%s]" "$@"; echo err >&2; exit 7', ...words));
    expect(said(ended)).toEqual([7, words.map((word) => `[${word}]`).join(""), "err\n"]);
    expect(ended).toMatchObject({ cause: "exited", shortcomings: [], mountChanges: [], reached: [] });
  });

  it("what can't be started ends with 126 and 127, and a signal with 128 and its number; the start program says nothing", async () => {
    expect((await place.run({ argv: ["/nonexistent/program"], shell })).code).toBe(127);
    expect((await place.run({ argv: ["/etc/passwd"], shell })).code).toBe(126);
    expect(said(await place.run(sh("kill -TERM $$")))).toEqual([143, "", ""]);
    expect(said(await place.run(sh("kill -KILL $$")))).toEqual([137, "", ""]);
    expect(said(await place.run(sh("kill -INT $$")))).toEqual([130, "", ""]);
  });

  it("env: the program has its variables, HOME, a place for temporary files, and nothing of the start program's", async () => {
    const ended = await place.run({ ...sh("env; echo; ls -d $HOME $TMPDIR; pwd"), env: { ONE: "1 $x\n2" } });
    const [, out] = said(ended);
    const names = [...out.matchAll(/^([A-Za-z_]+)=/gm)].map(([, name]) => name);
    expect(names.filter((name) => !["PWD", "_"].includes(name ?? "")).sort()).toEqual(
      ["CLANG_MODULE_CACHE_PATH", "HOME", "ONE", "PATH", "TMPDIR"].sort(),
    );
    expect(out).toContain("ONE=1 $x\n2\n");
    expect(out).toMatch(new RegExp(`\n${place.calls}/[^/]+/home\n${place.calls}/[^/]+/tmp\n${place.ws}\n$`));
  });

  it("env: clang keeps its modules among the call's temporary files, or where the config says", async () => {
    const kept = async (env: Readonly<Record<string, string>>): Promise<string | undefined> =>
      said(await place.run({ ...sh('echo "${CLANG_MODULE_CACHE_PATH#"$TMPDIR"}"'), env }))[1];
    expect(await kept({})).toBe("/clang-modules\n");
    expect(await kept({ CLANG_MODULE_CACHE_PATH: "/elsewhere" })).toBe("/elsewhere\n");
    expect(await kept({ CLANG_MODULE_CACHE_PATH: "" })).toBe("\n");
  });

  it("a program goes on for longer than its `TMOUT`, by which bash bounds reads", async () => {
    const ended = await place.run({ ...sh("sleep 2; echo $TMOUT"), env: { TMOUT: "1" } });
    expect(said(ended)).toEqual([0, "1\n", ""]);
    expect(ended.shortcomings).toEqual([]);
  });

  it("fd: the program has no descriptor but its three and what was covered", async () => {
    const [, out] = said(await place.run(sh("for f in /dev/fd/*; do readlink $f; done")));
    const open = out
      .split("\n")
      .filter((line) => line !== "" && line !== "/dev/null" && !line.startsWith("/proc/"));
    expect(open.every((line) => line.startsWith("socket:"))).toBe(true);
    expect(open.length).toBe(2);
    expect(await place.run(sh("echo >&3")).then(({ code }) => code)).not.toBe(0);
  });

  it("input is read to its end; without it there is none", async () => {
    const text = "x".repeat(300_000);
    const ended = await place.run(sh("wc -c"), { stdin: Readable.from([text.slice(0, 5), text.slice(5)]) });
    expect(said(ended)[1].trim()).toBe("300000");
    expect(said(await place.run(sh("wc -c")))[1].trim()).toBe("0");
  });

  it("signals that ask to end can be caught by the program: the start program takes none away", async () => {
    const line = "trap 'echo int; exit 3' INT; trap 'echo term' TERM; kill -TERM $$; kill -INT $$; exit 9";
    expect(said(await place.run(sh(line)))).toEqual([3, "term\nint\n", ""]);
  });

  it("limit: hard limits are the program's alone, and one that can't be set is told before it runs", async () => {
    const limits = { openFiles: 32, fileBytes: 1024 * 1024, cpuSeconds: 60 };
    const line = "ulimit -c; ulimit -n; ulimit -f; ulimit -H -t; ulimit -S -t";
    const [, out] = said(await place.run({ argv: ["/bin/bash", "-c", line], shell, limits }));
    expect(out.split("\n").slice(0, 2)).toEqual(["0", "32"]);
    expect(out.split("\n").slice(3, 5)).toEqual(["61", "60"]);
    const refused = place.run({ ...sh("echo ran"), limits: { openFiles: 2 ** 40 } });
    await expect(refused).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "a limit could not be set",
      hint: "lower `sandbox.limits` to what this machine allows",
    });
  });

  it("output is whole, also what comes right before the end", async () => {
    const ended = await place.run(
      sh("i=0; while [ $i -lt 3000 ]; do echo $i$1; i=$((i+1)); done; echo end >&2", "y".repeat(200)),
    );
    const lines = ended.stdout.bytes.toString().split("\n");
    expect(lines.length).toBe(3001);
    expect(lines.at(-2)).toBe(`2999${"y".repeat(200)}`);
    expect(ended.stderr.bytes.toString()).toBe("end\n");
  });

  it.each(TRIES)(
    "proof: $mode: nothing runs, by the start program's own try alone",
    async ({ mode, message, without, seen }) => {
      const marker = join(place.ws, "ran");
      place.standIn.mode = mode;
      await expect(place.run(sh(": >ran"))).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
        message: `the sandbox differs from the plan: ${message}`,
        hint: "run `cofferdam doctor`",
      });
      expect(existsSync(marker)).toBe(false);
      expect(place.left()).toEqual([]);
      // Without that line of its script it would have run.
      const cut = (script: string): string => {
        const lines = script.split("\n");
        const kept = lines.filter((line) => !without.test(line));
        expect(kept.length).toBe(lines.length - 1);
        return kept.join("\n");
      };
      const again = place.run({ ...sh(": >ran"), script: cut });
      if (seen === undefined) expect((await again).code).toBe(0);
      else await expect(again).rejects.toThrow(seen);
      expect(existsSync(marker)).toBe(seen === undefined);
    },
  );
});
