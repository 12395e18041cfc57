import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Place } from "../support/battery/place.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("reading where nobody is asked");

/** One root in which nothing asks: what is to be read is read in one breath with the look at it. */
function standing(rules: readonly object[] = [], handler = new Asked()) {
  return testSession(
    (place: Place) => {
      place.folder("open");
      place.file("open/a", "one\ntwo\nthree\n");
      place.file("open/secret", "untold\n");
      place.file("beside", "outside\n");
      symlinkSync("a", `${place.top}/open/link`);
      symlinkSync("../beside", `${place.top}/open/out`);
    },
    {
      handler,
      settings: (place) => ({
        sandbox: { paths: { open: { root: `${place.top}/open`, mode: "rw", write_approval: false } } },
        approval: { rules },
      }),
    },
  );
}

describe.skipIf(unusable !== null)("a file that is read where nobody is asked", () => {
  it("is told as it is now, the lines that were wanted, wherever a link in the root leads", async () => {
    await using at = await standing();
    const read = async (input: object) => toldOf(await at.session.call("read_file", input));
    expect(await read({ path: "open:a" })).toMatchObject({ text: "one\ntwo\nthree\n" });
    expect(await read({ path: "open:link", first_line: 2, lines: 1 })).toMatchObject({
      path: "open:a",
      text: "two\n",
    });
    writeFileSync(`${at.place.top}/open/a`, "changed\n");
    expect(await read({ path: "open:a" })).toMatchObject({ text: "changed\n" });
    expect(at.asked.requests).toEqual([]);
  });

  it("is told of by the fault that it has, and the next is told as ever", async () => {
    await using at = await standing();
    const read = async (path: string) => toldOf(await at.session.call("read_file", { path }));
    expect(await read("open:none")).toBe("FILE_NOT_FOUND");
    expect(await read("open:")).toBe("FILE_WRONG_KIND");
    expect(await read("open:out")).toBe("DENIED");
    expect(await read("open:a")).toMatchObject({ text: "one\ntwo\nthree\n" });
    rmSync(`${at.place.top}/open/a`);
    expect(await read("open:link")).toBe("FILE_NOT_FOUND");
  });

  it("is told in calls at once each to its own", async () => {
    await using at = await standing();
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    for (const name of names) at.place.file(`open/${name}`, `${name}\n`);
    const told = await Promise.all(
      names.map((name) => at.session.call("read_file", { path: `open:${name}` })),
    );
    expect(told.map(toldOf)).toMatchObject(names.map((name) => ({ text: `${name}\n` })));
  });

  it("is nowhere in what a rule denies: not in the outcome, and not in the record", async () => {
    const deny = { pattern: "read_file", args: { path: "open:secret" }, action: "deny" };
    await using at = await standing([deny]);
    const outcome = await at.session.call("read_file", { path: "open:secret" });
    expect(outcome.kind).toBe("denied");
    expect(JSON.stringify([outcome, at.journal.events])).not.toContain("untold");
    expect(toldOf(await at.session.call("read_file", { path: "open:a" }))).toMatchObject({ lines: 3 });
  });

  it("is read after the yes where a rule asks, not before", async () => {
    let changed = "";
    const handler = new Asked(() => {
      writeFileSync(changed, "as it is after the yes\n");
      return { approved: true };
    });
    await using at = await standing([{ pattern: "read_file", action: "ask" }], handler);
    changed = `${at.place.top}/open/secret`;
    expect(toldOf(await at.session.call("read_file", { path: "open:secret" }))).toMatchObject({
      text: "as it is after the yes\n",
    });
    expect(handler.requests.length).toBe(1);
  });
});
