import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Given, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";

sandboxMustWork("roots in roots");

/** A diary that asks, deep in a workspace that does not. */
function nested(options: Given["options"] = {}) {
  const prepare = ({ ws }: Place): void => {
    mkdirSync(`${ws}/deep/diary`, { recursive: true });
    mkdirSync(`${ws}/deep/empty`);
    writeFileSync(`${ws}/deep/diary/a`, "private\n");
  };
  const settings = ({ ws }: Place) => ({
    sandbox: {
      paths: {
        ws: { root: ws, mode: "rw", write_approval: false },
        diary: { root: `${ws}/deep/diary`, mode: "rw", read_approval: true, write_approval: false },
        empty: { root: `${ws}/deep/empty`, mode: "rw", write_approval: true },
      },
    },
  });
  return testSession(prepare, { settings, options });
}

describe.skipIf(unusable !== null)("a root that lies in another", () => {
  it("stays where it is, and so does what holds it: what it says of its files would hold for them no more", async () => {
    for (const mode of ["interactive", "approve_all"] as const) {
      await using at = await nested({ mode });
      const { session, place } = at;
      for (const from of ["diary:", "ws:deep/diary", "ws:deep", "ws:deep/../deep"])
        expect(await session.call("move_file", { from, to: "ws:moved" })).toMatchObject({
          kind: "denied",
          code: "APPROVAL_BLOCKED",
        });
      expect((await session.call("delete_file", { path: "empty:" })).kind).toBe("denied");
      expect(existsSync(`${place.ws}/deep/diary/a`)).toBe(true);
      expect(existsSync(`${place.ws}/deep/empty`)).toBe(true);
      expect(at.asked.requests).toEqual([]);
    }
  });

  it("is asked about for what is in it, which may be moved and deleted after a yes", async () => {
    await using at = await nested();
    const { session } = at;
    expect((await session.call("move_file", { from: "diary:a", to: "diary:b" })).kind).toBe("done");
    expect((await session.call("delete_file", { path: "ws:deep/diary/b" })).kind).toBe("done");
    expect(at.asked.tools).toEqual(["move_file", "delete_file"]);
  });
});
