import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookingOnce } from "../../../src/host/look/leads.ts";
import { NodeLooker } from "../../../src/host/look/node-looker.ts";
import { absolutePath } from "../../../src/profile/path.ts";

test("a placeholder counts as missing, what is in it too, and the folder around it as what it is", () => {
  const top = mkdtempSync(join(tmpdir(), "cofferdam-nodes-"));
  try {
    mkdirSync(join(top, "deep/held"), { recursive: true });
    writeFileSync(join(top, "deep/held/x"), "");
    const at = (name: string) => absolutePath(join(top, name));
    const looker = new NodeLooker(lookingOnce(new Set([at("deep/held")])));
    expect(["deep/held/x", "deep/held"].map((name) => looker.look(at(name)).kind)).toEqual([
      "missing",
      "missing",
    ]);
    expect(looker.found.get(at("deep"))?.kind).toBe("folder");
    expect(new NodeLooker(lookingOnce()).look(at("deep/held/x")).kind).toBe("file");
  } finally {
    rmSync(top, { recursive: true });
  }
});
