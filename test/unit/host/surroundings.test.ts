import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, test } from "vitest";
import { lookAtCoreDumps } from "../../../src/host/launch/core-dumps.ts";
import { lookAtSurroundings } from "../../../src/host/launch/surroundings.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { knownPath } from "../../../src/profile/path.ts";

describe("on macOS", () => {
  test("nothing is read in /proc: there are no namespaces, and no pipe can be taken", async () => {
    using surroundings = await lookAtSurroundings(knownPath("/bin/none"), "darwin");
    expect(surroundings.namespaces.size).toBe(0);
    await expect(surroundings.pipes.take(1)).rejects.toMatchObject({ code: "INTERNAL" });
  });

  test("a crash becomes a file at most", () => {
    expect(lookAtCoreDumps({ ...thisHost(), platform: "darwin" }, [])).toEqual({ kind: "file" });
  });
});

describe.skipIf(process.platform !== "linux")("certificates that Node is told of", () => {
  const HOST = new URL("../../../src/host/launch", import.meta.url).pathname;
  const SCRIPT = `
    const { inheritedDescriptors } = await import("${HOST}/inherited.ts");
    const { lookAtSurroundings } = await import("${HOST}/surroundings.ts");
    using surroundings = process.argv[1] === "looked" ? await lookAtSurroundings("/bin/sh") : null;
    const before = new Set(surroundings?.leaked ?? inheritedDescriptors());
    process.getBuiltinModule("node:tls");
    const until = performance.now() + 300;
    let more = 0;
    while (performance.now() < until) more += inheritedDescriptors().filter((fd) => !before.has(fd)).length;
    process.stdout.write(String(more));`;

  function opened(how: "looked" | "not looked"): number {
    const folder = mkdtempSync(join(tmpdir(), "cofferdam-certificates-"));
    try {
      const file = join(folder, "more.pem");
      writeFileSync(file, `${rootCertificates.join("\n")}\n`.repeat(8));
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
      const ran = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT, how], {
        env,
        encoding: "utf8",
      });
      expect(ran.stderr).toBe("");
      return Number(ran.stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test("are read before the descriptors are listed, and leave none open for a child afterwards", () => {
    expect(opened("looked")).toBe(0);
  });

  test("would be open for one where nobody waited", () => {
    expect(opened("not looked")).toBeGreaterThan(0);
  });
});
