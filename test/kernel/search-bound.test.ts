import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { explainCall } from "../../src/decide/explain.ts";
import { knownPath } from "../../src/profile/path.ts";
import { createDraft } from "../../src/session/draft.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what is told of a search that came to its bound");

describe.skipIf(unusable !== null)("a root with more entries than are searched", () => {
  let place: Place;
  beforeEach(() => {
    place = new Place(CALLER);
    for (let at = 0; at < 30; at += 1) place.file(`ws/${at}`, "");
  });
  afterEach(() => place[Symbol.dispose]());

  const why = (max: number): string =>
    `${place.ws} contains more than ${max} entries, too many to search for protected files`;

  it("is read-only where the config says so: the receipt, the file tools and `explain` tell", async () => {
    const sandbox = { search: { entries: 20, over: "read-only" } };
    const told = { name: "search-bound", path: place.ws, reason: `${why(20)}, so it is read-only` };
    await using supervisor = await place.supervisor({ sandbox });
    await using session = supervisor.session({ caller: "person" });
    const outcome = await session.call("shell", { argv: ["sh", "-c", "echo x > new"] });
    expect(outcome).toMatchObject({ kind: "failed", receipt: { approximations: [told] } });
    expect(await session.call("read_file", { path: "7" })).toMatchObject({ kind: "done" });
    expect(await session.call("write_file", { path: "7", content: "x" })).toMatchObject({
      kind: "denied",
      reason: expect.stringContaining(told.reason),
    });
    const draft = createDraft({
      config: place.config({ sandbox }),
      cwd: knownPath(place.ws),
      host: place.host(),
    });
    const explained = explainCall(await draft.prepare({ argv: ["true"] }), {
      ask: "write",
      path: knownPath(`${place.ws}/7`),
      facts: { kind: "file", bornInside: false },
    });
    expect(explained.onYes).toMatchObject({ allowed: false, decidedBy: { because: told.reason } });
    expect(explained.clause).toMatchObject({ args: ["--ro-bind", place.ws, place.ws] });
  });

  it("that a call made so large hides nothing that it made there", async () => {
    await using supervisor = await place.supervisor({ sandbox: { search: { entries: 100 } } });
    await using session = supervisor.session({ caller: "person" });
    const call = async (count: number) => {
      const line = `mkdir in${count}; : > in${count}/.envrc; i=0; while [ $i -lt ${count} ]; do : > made$i; i=$((i+1)); done`;
      return session.call("shell", { argv: ["sh", "-c", line] });
    };
    for (const count of [10, 80])
      expect(await call(count)).toMatchObject({
        kind: "done",
        receipt: {
          appeared: {
            found: [{ path: join(place.ws, `in${count}/.envrc`), fate: { kind: "quarantined" } }],
            unknown: null,
          },
        },
      });
  });

  it("refuses calls without that, and file tools too; with a higher bound they go through", async () => {
    await using tight = await place.supervisor({ sandbox: { search: { entries: 20 } } });
    await using refused = tight.session({ caller: "person" });
    expect(await refused.call("shell", { argv: ["true"] })).toMatchObject({
      kind: "denied",
      code: "NOT_ENFORCEABLE",
      reason: why(20),
      hint: "narrow the root, raise `sandbox.search.entries`, or write `over: read-only` there",
    });
    expect(await refused.call("write_file", { path: "7", content: "x" })).not.toMatchObject({ kind: "done" });
    expect(place.read("ws/7")).toBe("");
    await using wide = await place.supervisor({ sandbox: { search: { entries: 30 } } });
    await using through = wide.session({ caller: "person" });
    expect(await through.call("shell", { argv: ["true"] })).toMatchObject({ kind: "done" });
    expect(await through.call("write_file", { path: "7", content: "x" })).toMatchObject({ kind: "done" });
    expect(place.read("ws/7")).toBe("x");
  });
});
