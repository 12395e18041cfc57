import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { expect, it } from "vitest";
import type { Expectation } from "../../src/backend/plan.ts";
import { discrepancies, observe } from "../../src/host/launch/proof.ts";

/** What is found of a process's descriptors where these are planned, and this covers others. */
function foundIn(pid: number, descriptors: readonly number[], cover: string | null = null) {
  const expects: Expectation = {
    ...{ mounts: [], namespaces: [], hasSeccomp: false, environment: [] },
    descriptors,
  };
  const found = discrepancies(expects, observe(pid, expects, cover), new Map(), []);
  return found.filter(({ protection }) => protection === "descriptors").map(({ message }) => message);
}

it("fd: a descriptor that nobody planned is found, and told with what it leads to", async () => {
  const fd = openSync("/dev/zero", "r");
  const stdio = ["ignore", "ignore", "ignore", fd] as const;
  const child = spawn("/bin/sleep", ["60"], { stdio: [...stdio] });
  closeSync(fd);
  try {
    await once(child, "spawn");
    const { pid = 0 } = child;
    const told = "descriptor 3 is open: `/dev/zero`";
    expect(foundIn(pid, [0, 1, 2])).toContain(told);
    expect(foundIn(pid, [0, 1, 2, 3])).not.toContain(told);
    expect(foundIn(pid, [0, 1, 2], "/dev/zero")).not.toContain(told);
  } finally {
    child.kill("SIGKILL");
  }
});
