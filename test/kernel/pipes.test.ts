import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { CofferdamError } from "../../src/errors.ts";
import { Pipes } from "../../src/host/launch/pipes.ts";
import { knownPath } from "../../src/profile/path.ts";
import { checkoutFor, ORDINARY } from "../support/battery/people.ts";

/** Every shell of this machine that may be somebody's `sh`. */
const SHELLS = ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/ash"].filter((path) => existsSync(path));

/** Runs a module where 200 descriptors may be open, with none that was inherited but the one. */
function withFewDescriptors(node: string, module: string, inherited?: number) {
  const script = `
    for fd in /proc/self/fd/*; do [ "\${fd##*/}" -le 2 ] || eval "exec \${fd##*/}>&-"; done
    ${inherited === undefined ? "" : `exec ${inherited}</dev/null`}
    ulimit -n 200
    exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"`;
  return spawnSync("/bin/bash", ["--norc", "-c", script, node, module], {
    ...ORDINARY.runAs,
    cwd: "/",
    encoding: "utf8",
  });
}

const open = (): number => readdirSync("/proc/self/fd").length;

describe.skipIf(process.platform !== "linux")("pipes", () => {
  it.each(SHELLS)("made by %s are empty, new, and work in one direction each", async (shell) => {
    const before = open();
    {
      using pipes = await Pipes.madeBy(knownPath(shell));
      const taken = [...(await pipes.take(40)), ...(await pipes.take(40))];
      expect(new Set(taken.map((fd) => readlinkSync(`/proc/self/fd/${fd}`))).size).toBe(80);
      expect(taken.every((fd) => fstatSync(fd).isFIFO() && fstatSync(fd).nlink === 1)).toBe(true);
      for (const fd of taken) expect(() => readSync(fd, Buffer.alloc(1))).toThrow("EAGAIN");
      const [pipe = -1] = taken;
      const [reading, writing] = [
        openSync(`/proc/self/fd/${pipe}`, "r"),
        openSync(`/proc/self/fd/${pipe}`, "w"),
      ];
      for (const fd of taken) closeSync(fd);
      const got = Buffer.alloc(8);
      writeSync(writing, "text");
      closeSync(writing);
      expect([readSync(reading, got), got.toString("utf8", 0, 4), readSync(reading, got)]).toEqual([
        4,
        "text",
        0,
      ]);
      closeSync(reading);
    }
    await vi.waitFor(() => expect(open()).toBe(before), 20_000);
  });

  it("many who want some at once all get their own", async () => {
    using pipes = await Pipes.madeBy(knownPath("/bin/sh"));
    const all = (await Promise.all(Array.from({ length: 60 }, () => pipes.take(3)))).flat();
    expect(new Set(all.map((fd) => readlinkSync(`/proc/self/fd/${fd}`))).size).toBe(180);
    for (const fd of all) closeSync(fd);
  });

  it("are not to be had of a shell whose here-documents are files, or of none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cofferdam-pipes-"));
    try {
      for (const [name, text] of [
        ["files", "#!/bin/sh\nprintf r\nread -r _\n"],
        ["silent", "#!/bin/sh\nexit 0\n"],
      ] as const) {
        const shell = join(folder, name);
        writeFileSync(shell, text);
        chmodSync(shell, 0o755);
        const refused = await Pipes.madeBy(knownPath(shell)).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(CofferdamError);
        expect(refused).toMatchObject({
          code: "SANDBOX_UNAVAILABLE",
          message: `${shell} can't create pipes for the program's output`,
          hint: `install dash, busybox, or bash 5.1 or newer as ${shell}`,
        });
      }
      const none = await Pipes.madeBy(knownPath(join(folder, "none"))).catch((error: unknown) => error);
      expect(none).toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("that this process inherited are none of them, and no shell stays", async () => {
    const { node, folder } = checkoutFor(ORDINARY);
    const line = `
      const { readlinkSync, readdirSync } = await import("node:fs");
      const { Pipes } = await import(${JSON.stringify(`${folder}/src/host/launch/pipes.ts`)});
      using pipes = await Pipes.madeBy("/bin/sh");
      const taken = await pipes.take(10);
      const inherited = readlinkSync("/proc/self/fd/9");
      console.log(inherited.startsWith("pipe:"), taken.some((fd) => readlinkSync("/proc/self/fd/" + fd) === inherited));
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { readFileSync } = await import("node:fs");
      console.log(JSON.stringify(readFileSync("/proc/self/task/" + process.pid + "/children", "utf8")));`;
    const script =
      'printf kept | { exec 9<&0; "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"; cat <&9; }';
    const { stdout, stderr } = spawnSync("/bin/sh", ["-c", script, node, line], {
      ...ORDINARY.runAs,
      cwd: "/",
      encoding: "utf8",
    });
    expect([stdout, stderr]).toEqual(['true false\n""\nkept', ""]);
  });

  it("that can't be opened for want of descriptors are refused, and nothing stays open", async () => {
    const { node, folder } = checkoutFor(ORDINARY);
    const line = `
      const { openSync, closeSync, readdirSync } = await import("node:fs");
      const { Pipes } = await import(${JSON.stringify(`${folder}/src/host/launch/pipes.ts`)});
      await import("node:net");
      using first = await Pipes.madeBy("/bin/sh");
      await new Promise((resolve) => setTimeout(resolve, 200));
      const before = readdirSync("/proc/self/fd").length;
      for (const free of [0, 3, 12, 30]) {
        const held = [];
        try { for (;;) held.push(openSync("/dev/null")); } catch {}
        for (let n = 0; n < free; n += 1) closeSync(held.pop());
        const end = await Pipes.madeBy("/bin/sh").then(() => "made", (error) => error.code);
        for (const fd of held) closeSync(fd);
        await new Promise((resolve) => setTimeout(resolve, 200));
        console.log(end, readdirSync("/proc/self/fd").length - before);
      }`;
    const { stdout, stderr } = withFewDescriptors(node, line);
    expect([stdout, stderr]).toEqual(["SANDBOX_UNAVAILABLE 0\n".repeat(4), ""]);
  });

  it("are refused when an inherited descriptor lies above what may be opened, so that nothing can cover it", async () => {
    const { node, folder } = checkoutFor(ORDINARY);
    const line = `
      const { Pipes } = await import(${JSON.stringify(`${folder}/src/host/launch/pipes.ts`)});
      console.log(await Pipes.madeBy("/bin/sh").then(() => "made", (error) => error.code));`;
    const inherited = (fd: number) => withFewDescriptors(node, line, fd);
    expect([inherited(150), inherited(250)].map(({ stdout, stderr }) => stdout + stderr)).toEqual([
      "made\n",
      "SANDBOX_UNAVAILABLE\n",
    ]);
  });
});
