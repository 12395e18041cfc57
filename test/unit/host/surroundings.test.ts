import { describe, expect, test } from "vitest";
import { lookAtCoreDumps } from "../../../src/host/core-dumps.ts";
import { thisHost } from "../../../src/host/host.ts";
import { lookAtSurroundings } from "../../../src/host/surroundings.ts";
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
