import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { BoundedLook, leadsTo, wayOf } from "../../../src/host/look/leads.ts";
import { knownPath, ROOT } from "../../../src/profile/path.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-look-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const deep = `${top}${"/a".repeat(100)}`;
mkdirSync(deep, { recursive: true });
symlinkSync("a/".repeat(100), `${top}/link`);

test("a look with a bound follows a path as one without it does, as long as the bound lasts", () => {
  for (const written of [deep, `${top}/link`, `${top}/link/none`, `${top}/none/x`]) {
    const look = new BoundedLook(1_000_000);
    expect(wayOf(written, ROOT, look.at)).toEqual(wayOf(written, ROOT));
    expect(leadsTo(written, ROOT, () => true, look.at)).toEqual(leadsTo(written, ROOT, () => true));
    expect(look.isOver).toBe(false);
  }
});

test("where the bound ends it sees nothing, and says so, whether the path or a link on it is long", () => {
  for (const written of [deep, `${top}/link`]) {
    const look = new BoundedLook(5_000);
    expect(wayOf(written, ROOT, look.at).end).toBeNull();
    expect(look.isOver).toBe(true);
    expect(look.at(knownPath(top))).toBeNull();
  }
});
