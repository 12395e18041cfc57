import { describe, expect, it } from "vitest";
import { readLine } from "../../../src/mcp/wrap/wire.ts";
import { Scripted, textOf } from "../../support/mcp/scripted.ts";

const PAGE = { mode: "url", elicitationId: "e", url: "https://example.org/", message: "Sign in" };

describe("a question of a wrapped server's", () => {
  it.each(["-32042", "-32042.0", "-3.2042e4", "-32042.00000000000000001", "-320420E-1"])(
    "mcp.gate: that is an error is denied where the config says nothing, also with its code as %s",
    async (code) => {
      let answer = (_: string): void => undefined;
      using at = new Scripted({
        server: ({ id, method }) => {
          if (method === "initialize") return { id, result: {} };
          if (id !== undefined) answer(JSON.stringify(id));
          return null;
        },
      });
      await at.initialize({ elicitation: { url: {} } });
      answer = (id) =>
        at.server(
          `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"m","data":{"elicitations":[${JSON.stringify(PAGE)}]}}}\n`,
        );
      expect(textOf(await at.call(1, "write"))).toContain("Denied");
      expect(JSON.stringify(at.clientSaw)).not.toContain("example.org");
    },
  );

  it.each([
    ["-32042.5", '"code":-32042.5,"message":"m"'],
    ["1e400", '"code":1e400,"message":"m"'],
    ["two codes that some readers take for one", '"code":1,"message":"m","Code":-32042'],
  ])("mcp.gate: is no error with %s", (_claim, members) => {
    expect(readLine(`{"jsonrpc":"2.0","id":1,"error":{${members}}}`)).toMatchObject([{ kind: "fault" }]);
  });
});
