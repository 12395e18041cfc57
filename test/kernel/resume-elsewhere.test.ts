import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { type CheckResult, defineTool, type Outcome, type SupervisorOptions } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { ASKER, OTHER, PASSED, PASSES, type Variables, variablesIn } from "../support/approval/elsewhere.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { printed } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import type { Settings } from "../support/battery/place.ts";

sandboxMustWork("a yes that another process uses");

/** Each variable of the call, one a line. */
const PRINT = { argv: ["env"] };

/** Options of a process with these variables, and no other of those that calls get. */
function under(fates: Fates, env: Variables): SupervisorOptions {
  const host = fates.place.host();
  const own = Object.entries(host.env).filter(([name]) => !/^(LANG|LC_.*|TERM|TZ|PWD)$/.test(name));
  return { host: { ...host, env: { ...Object.fromEntries(own), ...env } } };
}

async function askUnder(
  fates: Fates,
  env: Variables,
  tool: string,
  input: unknown,
  settings: Settings = PASSES,
): Promise<string> {
  await using supervisor = await fates.supervisor(settings, under(fates, env));
  await using session = supervisor.session();
  const outcome = await session.call(tool, input);
  if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
  return outcome.approvalId;
}

const resumeUnder = (fates: Fates, env: Variables, id: string, settings: Settings = PASSES) =>
  fates.resume(id, settings, {}, under(fates, env));

const variables = (outcome: Outcome): Variables => variablesIn(printed(outcome) ?? "");

/** The request that a pending outcome names. */
async function requestOf(fates: Fates, outcome: Outcome | CheckResult) {
  if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
  await using supervisor = await fates.supervisor(PASSES);
  return (await supervisor.broker.find(outcome.approvalId))?.request;
}

describe.skipIf(unusable !== null)("a yes under one environment", () => {
  it("runs under another, with the variables that were planned, byte for byte", async () => {
    using fates = new Fates();
    const id = await askUnder(fates, ASKER, "shell", PRINT);
    await fates.answer(id);
    const ran = variables(await resumeUnder(fates, OTHER, id));
    expect(ran).toMatchObject(ASKER);
    expect(ran["LC_TIME"]).toBeUndefined();
    // The control: what the other process would have run by itself.
    const own = variables(await resumeUnder(fates, OTHER, await answered(fates, OTHER), PASSES));
    expect(own).toMatchObject(OTHER);
  });

  it("gives no variable that the config no longer passes, and names it", async () => {
    using fates = new Fates();
    const id = await askUnder(fates, ASKER, "shell", PRINT);
    await fates.answer(id);
    const less: Settings = { ...ASKS, sandbox: { env: { pass: ["LANG", "LC_*", "TERM", "TZ"] } } };
    const request = await requestOf(fates, await resumeUnder(fates, ASKER, id, less));
    expect(request?.earlier).toEqual({
      approvalId: id,
      changed: [
        { part: "access", name: null },
        { part: "variable", name: "FLAVOUR" },
      ],
    });
  });

  it("takes a variable that may hold a secret from the process that runs it, and holds only for an equal one", async () => {
    using fates = new Fates();
    const mine = { ...ASKER, API_TOKEN: "hunter2" };
    const id = await askUnder(fates, mine, "shell", PRINT);
    await fates.answer(id);
    for (const env of [{ ...OTHER, API_TOKEN: "hunter3" }, OTHER]) {
      const outcome = await resumeUnder(fates, env, id);
      expect(outcome).toMatchObject({
        kind: "pending",
        reason: expect.stringMatching(
          /it has changed since request [0-9a-f]{8} \(the variable `API_TOKEN`\)$/,
        ),
      });
      expect((await requestOf(fates, outcome))?.earlier?.changed).toEqual([
        { part: "variable", name: "API_TOKEN" },
      ]);
    }
    const ran = variables(await resumeUnder(fates, { ...OTHER, API_TOKEN: "hunter2" }, id));
    expect(ran).toMatchObject(mine);
  });

  it("never has a secret of the environment in the store", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor(
      PASSES,
      under(fates, { ...ASKER, API_TOKEN: "hunter2", FLAVOUR: `ghp_${"a1".repeat(18)}` }),
    );
    await using session = supervisor.session();
    const outcome = await session.call("shell", PRINT);
    if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
    const kept = await supervisor.broker.belongings(outcome.approvalId);
    expect(kept?.bound?.origin).toMatchObject({
      env: { TERM: ASKER["TERM"] },
      secrets: ["FLAVOUR", "API_TOKEN"],
    });
    const stored = JSON.stringify([kept, await supervisor.broker.find(outcome.approvalId)]);
    expect(stored).toContain(ASKER["TERM"]);
    expect(stored).not.toMatch(/hunter2|ghp_/);
  });

  it("runs in the folder that its paths started from, also for a process in another one", async () => {
    using fates = new Fates();
    const sub = `${fates.place.ws}/sub`;
    mkdirSync(sub);
    const [shell, file] = [
      await askUnder(fates, ASKER, "shell", { argv: ["touch", "here"] }),
      await askUnder(fates, ASKER, "write_file", { path: "ws:there", content: "x" }, WRITES),
    ];
    for (const id of [shell, file]) await fates.answer(id);
    const there = { ...under(fates, OTHER), cwd: knownPath(sub) };
    expect(await fates.resume(shell, PASSES, {}, there)).toMatchObject({ kind: "done" });
    expect(await fates.resume(file, WRITES, {}, there)).toMatchObject({ kind: "done" });
    expect([fates.made("here"), fates.made("sub/here"), fates.made("there")]).toEqual([true, false, true]);
  });

  it("runs a tool of the host's own, and a call that reads a stream", async () => {
    using fates = new Fates();
    const own = { tools: [defineTool({ name: "show", needs: {}, command: () => ["env"] })] };
    await using asking = await fates.supervisor(PASSES, under(fates, ASKER));
    await using session = asking.session(own);
    const [tool, stream] = [
      await session.call("show", {}),
      await session.call("shell", { script: "cat; env" }, { stdin: Readable.from(["read\n"]) }),
    ];
    if (tool.kind !== "pending" || stream.kind !== "pending") throw new Error(JSON.stringify([tool, stream]));
    for (const { approvalId } of [tool, stream]) await fates.answer(approvalId);
    expect(variables(await fates.resume(tool.approvalId, PASSES, own, under(fates, OTHER)))).toMatchObject(
      ASKER,
    );
    await using running = await fates.supervisor(PASSES, under(fates, OTHER));
    await using again = running.session();
    const ran = await again.call(
      "shell",
      { script: "cat; env" },
      { stdin: Readable.from(["read\n"]), approvalId: stream.approvalId },
    );
    expect(printed(ran)).toMatch(/^read\n/);
    expect(variables(ran)).toMatchObject(ASKER);
  });
});

const WRITES: Settings = {
  ...PASSES,
  approval: { wait: "suspend", rules: [{ pattern: "write_file", action: "ask" }] },
};

async function answered(fates: Fates, env: Variables): Promise<string> {
  const id = await askUnder(fates, env, "shell", PRINT);
  await fates.answer(id);
  return id;
}

describe.skipIf(unusable !== null)("a yes that can't be used", () => {
  /** Asks, approves, changes something, and resumes: the parts that the new question names. */
  async function changed(
    fates: Fates,
    tool: string,
    input: unknown,
    change: () => void,
    settings: readonly [then: Settings, now: Settings] = [PASSES, PASSES],
  ) {
    const id = await askUnder(fates, ASKER, tool, input, settings[0]);
    await fates.answer(id);
    change();
    const outcome = await resumeUnder(fates, ASKER, id, settings[1]);
    const request = await requestOf(fates, outcome);
    expect(request?.earlier?.approvalId).toBe(id);
    expect("reason" in outcome && outcome.reason).toContain(`it has changed since request ${id.slice(0, 8)}`);
    return request?.earlier?.changed;
  }

  it("names a program that was rebuilt, also one that a script starts", async () => {
    using fates = new Fates();
    const tool = (says: string) =>
      writeFileSync(`${fates.place.ws}/tool`, `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    tool("shown");
    const named = [{ part: "program", name: "./tool" }];
    expect(await changed(fates, "shell", { argv: ["./tool"] }, () => tool("other"))).toEqual(named);
    expect(await changed(fates, "shell", { script: "true && ./tool" }, () => tool("third"))).toEqual(named);
  });

  it("names a file that was edited, and one that was made", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    writeFileSync(`${ws}/notes`, "one\n");
    const edit = { path: "ws:notes", edits: [{ old_text: "one", new_text: "two" }] };
    const rules = [{ pattern: "*_file", action: "ask" }];
    const asks: Settings = { ...PASSES, approval: { wait: "suspend", rules } };
    const both = [asks, asks] as const;
    expect(
      await changed(fates, "edit_file", edit, () => writeFileSync(`${ws}/notes`, "one\nmore\n"), both),
    ).toEqual([{ part: "file", name: "ws:notes" }]);
    const write = { path: "ws:new", content: "x" };
    expect(await changed(fates, "write_file", write, () => writeFileSync(`${ws}/new`, "y"), both)).toEqual([
      { part: "file", name: "ws:new" },
    ]);
  });

  it("names a root that was replaced, and the config", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    const replace = () => {
      renameSync(ws, `${ws}.old`);
      mkdirSync(ws);
    };
    const root = await changed(fates, "shell", { argv: ["true"] }, replace);
    rmSync(`${ws}.old`, { recursive: true });
    expect(root).toEqual([{ part: "root", name: ws }]);
    const limited: Settings = { ...PASSES, sandbox: { env: { pass: PASSED }, limits: { memory: "3GiB" } } };
    expect(await changed(fates, "shell", { argv: ["true"] }, () => undefined, [PASSES, limited])).toEqual([
      { part: "access", name: null },
    ]);
    const sets: Settings = { ...PASSES, sandbox: { env: { pass: PASSED, set: { CI: "1" } } } };
    const set = await changed(fates, "shell", { argv: ["true"] }, () => undefined, [PASSES, sets]);
    expect(set).toContainEqual({ part: "variable", name: "CI" });
  });

  it("names the folder and the definition of a function, and where nothing changed it runs", async () => {
    using fates = new Fates();
    const deploy = (version: string) => ({
      tools: [defineTool({ name: "deploy", version, run: () => version })],
    });
    const id = await fates.ask("deploy", {}, deploy("1"));
    await fates.answer(id);
    expect(await fates.resume(id, ASKS, deploy("2"))).toMatchObject({
      kind: "pending",
      reason: expect.stringMatching(/\(the definition of the tool\)$/),
    });
    const sub = `${fates.place.ws}/sub`;
    mkdirSync(sub);
    expect(await fates.resume(id, ASKS, deploy("1"), { cwd: knownPath(sub) })).toMatchObject({
      kind: "pending",
      reason: expect.stringMatching(/\(the folder it starts in\)$/),
    });
    expect(await fates.resume(id, ASKS, deploy("1"))).toMatchObject({ kind: "done" });
  });

  it("is named by the denial where nobody can be asked again, and where no new question may be put", async () => {
    using fates = new Fates();
    const { ws } = fates.place;
    const tool = (says: string) => writeFileSync(`${ws}/tool`, `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    tool("shown");
    const ask = async (mayAsk: boolean) => {
      await using supervisor = await fates.supervisor();
      await using session = supervisor.session();
      return await session.ask("shell", { argv: ["./tool"] }, { toolCallId: "call 1", mayAsk });
    };
    const first = await ask(true);
    if (first.kind !== "pending") throw new Error(JSON.stringify(first));
    // The twin: an unchanged call is found again, and no second question is put.
    expect([await ask(true), await ask(false)]).toMatchObject([first, first]);
    tool("other");
    expect(await ask(false)).toMatchObject({
      kind: "denied",
      reason: expect.stringMatching(/it has changed since request [0-9a-f]{8} \(the program `\.\/tool`\)$/),
    });
    // Its answer could not be used: it is no longer open.
    const second = await ask(true);
    expect(second).toMatchObject({ kind: "pending" });
    await using supervisor = await fates.supervisor();
    expect(await supervisor.broker.find(first.approvalId)).toMatchObject({
      status: "rejected",
      decision: { by: "nobody", note: "the call has changed: the program `./tool`" },
    });
    const blocking = await fates.resume(await answeredTool(fates, tool), {
      ...ASKS,
      approval: { wait: "block" },
    });
    expect(blocking).toMatchObject({
      kind: "denied",
      reason: expect.stringContaining("the program `./tool`"),
    });
    expect(readFileSync(`${ws}/tool`, "utf8")).toContain("last");
  });

  async function answeredTool(fates: Fates, tool: (says: string) => void): Promise<string> {
    const id = await fates.ask("shell", { argv: ["./tool"] });
    await fates.answer(id);
    tool("last");
    return id;
  }
});
