import { expect, test } from "vitest";
import { testSession } from "../support/approval/test-session.ts";

test("an operator's budget holds under a config that asks for a larger one, for programs and files", async () => {
  await using at = await testSession(() => undefined, {
    settings: {
      shell: { default: { approval: false } },
      approval: { budget: { calls: 100 }, rules: [{ pattern: "write_file", action: "allow" }] },
    },
    profile: { approval: { budget: { calls: 2 } } },
  });
  const write = (path: string) => at.session.call("write_file", { path, content: "x" });
  expect((await at.session.call("shell", { argv: ["true"] })).kind).toBe("done");
  expect((await write("a.txt")).kind).toBe("done");
  expect(at.asked.tools).toEqual([]);
  expect((await at.session.call("list_dir", { path: "." })).kind).toBe("done");
  expect((await at.session.call("shell", { argv: ["true"] })).kind).toBe("done");
  // It was asked about, and the answer began a new budget.
  expect(at.asked.requests.map(({ tool, reason }) => [tool, reason])).toEqual([
    ["shell", "2 calls ran without a question; an approval of this call lets the session continue"],
  ]);
  expect((await write("b.txt")).kind).toBe("done");
  expect(at.asked.tools).toEqual(["shell"]);
});
