import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { cofferdamTools, sandboxSession } from "../../src/adapters/ai-sdk.ts";
import { createDesk } from "../../src/index.ts";
import { mcpHttp, serveMcp } from "../../src/mcp/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the end by `close()`");

const RUNS = { shell: { default: { allowed: true, approval: false } } };
const ENDED = { code: "USAGE", message: "this session has ended" };
const NOBODY_READS = { stdout: () => undefined, stderr: () => undefined };

describe.skipIf(unusable !== null)("`close()` ends, without `await using`,", () => {
  it("a session: it makes no more calls", async () => {
    using place = new Place(CALLER);
    const supervisor = await place.supervisor(RUNS);
    const session = supervisor.session();
    expect(await session.call("shell", { argv: ["true"] })).toMatchObject({ kind: "done" });
    await session.close();
    await expect(session.call("shell", { argv: ["true"] })).rejects.toMatchObject(ENDED);
    await supervisor.close();
  });

  it("a supervisor, with its sessions and a program that goes on", async () => {
    using place = new Place(CALLER);
    const supervisor = await place.supervisor(RUNS);
    const session = supervisor.session();
    const call = session.call("shell", { argv: ["sleep", "60"] });
    await supervisor.close();
    await call.catch(() => undefined);
    const ended = { ...ENDED, message: "this supervisor has ended" };
    await expect(session.call("shell", { argv: ["true"] })).rejects.toMatchObject(ended);
  });

  it("a program that is held", async () => {
    using place = new Place(CALLER);
    const supervisor = await place.supervisor(RUNS);
    const program = { name: "cat", command: ["cat"], needs: {}, asksToStart: false, description: "cat" };
    const held = await supervisor.session().startProgram(program, { sinks: NOBODY_READS });
    if (held.kind !== "resident") throw new Error(held.kind);
    await held.close();
    expect(held.changes()).toEqual(["its process has ended"]);
    await supervisor.close();
  });

  it("a desk, services of MCP, and tools of the AI SDK with the sessions that they made", async () => {
    using place = new Place(CALLER);
    const supervisor = await place.supervisor(RUNS);
    const desk = await createDesk({ config: place.config(RUNS), host: place.host() });
    const tools = cofferdamTools(supervisor);
    const sandbox = sandboxSession(supervisor);
    const [input, output] = [new PassThrough(), new PassThrough()];
    for (const one of [desk, serveMcp(supervisor, { input, output }), mcpHttp(supervisor), tools, sandbox])
      await expect(one.close()).resolves.toBeUndefined();
    await expect(tools.session.call("shell", { argv: ["true"] })).rejects.toMatchObject(ENDED);
    await supervisor.close();
  });
});
