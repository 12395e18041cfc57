import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { itUnless } from "../support/battery/needs.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/kernels");

/** `scripts/kernels` says the same; where it can't run, that is no fault of the product. */
const elsewhere =
  process.arch === "x64" && existsSync("/usr/bin/apt-get") ? null : "it needs Debian's kernels for x86-64";

itUnless(
  elsewhere,
  "under Debian's kernels 6.1 and 6.12 with cgroup v2 all holds, as root and as an ordinary user",
  () => {
    const { status, stdout, stderr } = spawnSync(SCRIPT, { encoding: "utf8" });
    console.log(stdout);
    expect(status === 0 ? "" : `${stdout}\n${stderr}`).toBe("");
  },
  3 * 3_600_000,
);
