import { describe, expect, it } from "vitest";
import { ToolList } from "../../../src/mcp/wrap/tool-list.ts";
import { Asked } from "../../support/approval/asked.ts";
import { plainServer, Scripted, textOf } from "../../support/mcp/scripted.ts";

const listOf = (): ToolList => new ToolList("fs", "untrusted", () => undefined);
const kept = (list: ToolList, tools: readonly unknown[], isFirst = true): number => {
  const { tools: all }: { readonly tools?: unknown } = list.filter({ tools }, isFirst) ?? {};
  return Array.isArray(all) ? all.length : -1;
};

describe("what is known of a wrapped server's tools", () => {
  it("is what its last listing said: what it lists no more is forgotten", () => {
    const list = listOf();
    expect(kept(list, [{ name: "a" }, { name: "b" }, { name: "b" }])).toBe(1);
    expect(list.refusal("b")).toBe("it is listed twice");
    expect(kept(list, [{ name: "b" }])).toBe(1);
    expect(list.refusal("b")).toBe(null);
    expect(list.find("a").version).toBe("unlisted");
    expect(kept(list, [{ name: "c" }], false)).toBe(1);
    expect(list.find("b").version).not.toBe("unlisted");
  });

  it("is bounded over all pages of a listing, and over all listings", () => {
    const list = listOf();
    let count = 0;
    for (let page = 0; page < 30; page += 1) {
      const tools = Array.from({ length: 500 }, (_, index) => ({ name: `t${page}-${index}` }));
      count += kept(list, tools, page === 0);
    }
    expect(count).toBe(10_000);
    expect(kept(list, [{ name: "new" }], false)).toBe(0);
    expect(kept(list, [{ name: "new" }])).toBe(1);
  });

  it("is bounded in the names of arguments, of one tool and of all", () => {
    const withNames = (name: string, count: number, length: number): unknown => ({
      name,
      inputSchema: {
        properties: Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`${index}-${"n".repeat(length)}`, {}]),
        ),
      },
    });
    const list = listOf();
    expect(kept(list, [withNames("a", 1_001, 1), withNames("b", 1_000, 1)])).toBe(1);
    expect(kept(list, [withNames("a", 3, 1024 ** 2), withNames("b", 3, 1024 ** 2)])).toBe(1);
  });

  it("has nothing of names that nobody can call", () => {
    const list = listOf();
    const name = "x".repeat(1024 ** 2);
    expect(kept(list, [{ name }, { name }])).toBe(0);
    expect(list.refusal(name)).toBe("its name is too long");
  });
});

describe("what goes on of a call", () => {
  it("mcp.gate: is what a call has, and no member that nobody was shown", async () => {
    using at = new Scripted({
      server: plainServer(),
      asked: new Asked(() => ({ approved: true, by: "ann" })),
    });
    const params = {
      name: "a",
      arguments: { p: 1 },
      _meta: { m: 1 },
      task: { ttl: 1 },
      inputResponses: {},
      requestState: "s",
    };
    await at.ask(1, "tools/call", { ...params, x: { cmd: "rm" }, params: {} });
    await at.ask(2, "tools/call", { name: "a", x: 1 });
    expect(at.serverSaw.map((one) => one["params"])).toEqual([params, { name: "a" }]);
  });

  it.each([
    ["an object of it", { o: { path: "a", Path: "b" } }],
    ["a list in it", { l: [1, [{ path: "a", PATH: "b" }]] }],
  ])("mcp.gate: can't be read in two ways in %s", async (_claim, args) => {
    using at = new Scripted({ server: plainServer() });
    expect(textOf(await at.call(1, "a", args))).toContain("could be taken for");
    expect([at.asked.tools, at.serverSaw]).toEqual([[], []]);
  });

  it.each(["Task", "_META", "RequestState"])(
    "mcp.gate: has no member that could be taken for another: %s",
    async (name) => {
      using at = new Scripted({ server: plainServer() });
      expect(textOf(await at.ask(1, "tools/call", { name: "a", [name]: {} }))).toContain(
        "could be taken for",
      );
      expect(at.serverSaw).toEqual([]);
    },
  );
});
