import { describe, expect, test } from "vitest";
import { AlwaysDenyHandler, AutoApproveHandler } from "../../../src/approval/handlers.ts";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import type { GuardedTools, ToolCall } from "../../../src/call/guarded-tools.ts";
import { toolResult } from "../../../src/call/tool-result.ts";
import { DENIALS, type DeniedBy } from "../../../src/policy/denied-by.ts";
import type { Risk } from "../../../src/policy/risk.ts";
import { type DefinedTool, defineTool } from "../../../src/tool/define-tool.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

/** A tool that notes that it ran. */
const noting = (ran: string[], name: string, risk?: Risk): DefinedTool =>
  defineTool({
    name,
    ...(risk === undefined ? {} : { risk }),
    run: ({ input }) => {
      ran.push(name);
      return input;
    },
  });

interface Line {
  readonly id: string;
  readonly type: string;
  readonly said: unknown;
}

/** An agent's loop around a model that says beforehand which tools it calls in each turn; what it was told of each. */
async function converse(
  tools: GuardedTools,
  turns: readonly (readonly ToolCall[])[],
): Promise<readonly Line[]> {
  const transcript: Line[] = [];
  for (const [turn, calls] of turns.entries()) {
    const results = (await tools.callAll(calls)).map(toolResult);
    for (const [index, result] of results.entries())
      transcript.push({
        id: `${turn}.${index}`,
        type: result.type,
        said: "output" in result ? result.output : "error" in result ? result.error : result.reason,
      });
  }
  return transcript;
}

const NAMES = ["search_db", "get_user", "drop_table", "delete_user", "deploy_prod", "send_mail"] as const;
const DESTRUCTIVE = new Set<string>(["drop_table", "delete_user"]);

/** A denial as the model reads it. */
function denial(reason: string, by: DeniedBy): string {
  return `Denied: ${reason}\nWhat would help: ${DENIALS[by].advice}`;
}

function noted(by: string, note: string): string {
  return `Denied: rejected by ${by}: ${note}\nWhat would help: follow the note; if it does not say what to do, ask the user. Do not repeat the call, also not in other words.`;
}

/** One turn in which every tool is called once: which ran, which were asked about, what the model was told. */
async function turnWith(settings: GateSettings, handler = new Asked()) {
  const ran: string[] = [];
  const journal = new Written();
  using gate = createGate({ handler, journal, ...settings });
  const tools = gate.guard(
    NAMES.map((name) => noting(ran, name, DESTRUCTIVE.has(name) ? "destructive" : "write")),
  );
  const transcript = await converse(tools, [NAMES.map((tool) => ({ tool, args: { for: tool } }))]);
  return {
    ran,
    asked: handler.tools,
    requested: journal.of("approval.requested").length,
    journal,
    transcript,
  };
}

const PRACTICAL = [
  { pattern: "search_*", action: "allow" },
  { pattern: "get_*", action: "allow" },
  { pattern: "drop_*", action: "deny" },
  { pattern: "delete_*", action: "deny" },
] as const;

describe("a turn of a scripted model", () => {
  test("under the practical rules: reads run, drops and deletes never, the rest is asked about, each once (S0-12, S0-D1)", async () => {
    const turn = await turnWith({ approval: { rules: [...PRACTICAL] } });
    expect(turn.asked).toEqual(["deploy_prod", "send_mail"]);
    expect(turn.requested).toBe(2);
    expect(turn.ran.toSorted()).toEqual(["deploy_prod", "get_user", "search_db", "send_mail"]);
    expect(turn.transcript.filter(({ type }) => type !== "success")).toEqual([
      { id: "0.2", type: "denied", said: denial("rule `drop_*` of the config", "rule") },
      { id: "0.3", type: "denied", said: denial("rule `delete_*` of the config", "rule") },
    ]);
  });

  test("autonomous: everything runs and nobody is asked (S0-12, S0-31)", async () => {
    const turn = await turnWith({ approval: { rules: [{ pattern: "*", action: "allow" }] } });
    expect(turn.ran).toEqual([...NAMES]);
    expect([turn.asked, turn.requested]).toEqual([[], 0]);
  });

  test("strict rules ask about everything, also what its risk would deny (S0-12)", async () => {
    const turn = await turnWith({ approval: { rules: [{ pattern: "*", action: "ask" }] } });
    expect(turn.asked.toSorted()).toEqual(NAMES.toSorted());
    expect(turn.ran.toSorted()).toEqual(NAMES.toSorted());
  });

  test("without rules the risk decides; a tool that says nothing of it is asked about (S0-7, S0-11, S1-2, C10)", async () => {
    const ran: string[] = [];
    const handler = new Asked();
    using gate = createGate({ handler });
    const tools = gate.guard([
      noting(ran, "look", "read_only"),
      noting(ran, "edit", "write"),
      noting(ran, "wipe", "destructive"),
      noting(ran, "bare"),
    ]);
    const transcript = await converse(tools, [
      ["look", "edit", "wipe", "bare"].map((tool) => ({ tool, args: {} })),
    ]);
    expect(handler.requests.map(({ tool, risk }) => [tool, risk])).toEqual([
      ["edit", "write"],
      ["bare", "write"],
    ]);
    expect(ran.toSorted()).toEqual(["bare", "edit", "look"]);
    expect(transcript[2]).toMatchObject({
      type: "denied",
      said: denial("no rule covers `wipe`, and its risk is destructive", "risk"),
    });
  });

  test("one no, and one tool that fails, keep no other call of the batch from running (S0-29, S0-38, S2-D4, C13)", async () => {
    const ran: string[] = [];
    const handler = new Asked(({ tool }) => ({ approved: tool !== "b", reason: "not this one" }));
    const journal = new Written();
    using gate = createGate({ handler, journal });
    const tools = gate.guard([
      noting(ran, "a"),
      noting(ran, "b"),
      defineTool({
        name: "breaks",
        run: () => {
          throw new Error("out of order");
        },
      }),
      noting(ran, "c"),
    ]);
    const transcript = await converse(tools, [
      ["a", "b", "breaks", "no_such_tool", "c"].map((tool) => ({ tool, args: {} })),
      [{ tool: "a", args: { again: true } }],
    ]);
    expect(transcript.map(({ id, type, said }) => [id, type, said])).toEqual([
      ["0.0", "success", {}],
      ["0.1", "denied", noted("the handler", "not this one")],
      ["0.2", "error", "Error: out of order\nNote of `the handler`: not this one"],
      ["0.3", "error", "Error: tool `no_such_tool` not found\nWhat would help: use one of: a, b, breaks, c"],
      ["0.4", "success", {}],
      ["1.0", "success", { again: true }],
    ]);
    const groups = handler.requests.map(({ groupId }) => groupId);
    expect(new Set(groups.slice(0, 4)).size).toBe(1);
    expect(groups[0]).not.toBeNull();
    expect(groups[4]).not.toBe(groups[0]);
    expect(
      journal
        .of("call.ended")
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(["denied", "done", "done", "done", "failed", "failed"]);
  });

  test("asks about a whole batch at once, before any answer (S0-35, C13)", async () => {
    const ran: string[] = [];
    let max = 0;
    const handler = new Asked(async (_, asking) => {
      while (max < 3) {
        max = Math.max(max, asking.waiting().length);
        await new Promise(setImmediate);
      }
      return { approved: true };
    });
    using gate = createGate({ handler });
    const tools = gate.guard(["a", "b", "c"].map((name) => noting(ran, name)));
    await converse(tools, [["a", "b", "c"].map((tool) => ({ tool, args: {} }))]);
    expect(ran.toSorted()).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["yes to everything", new AutoApproveHandler(), "success", "auto"],
    ["no to everything", new AlwaysDenyHandler("Read-only mode"), "denied", "auto"],
  ] as const)(
    "before somebody who says %s is answered so (S0-20, S0-21, S3-4)",
    async (_, handler, type, by) => {
      const ran: string[] = [];
      const journal = new Written();
      using gate = createGate({ handler, journal });
      const [line] = await converse(gate.guard([noting(ran, "a")]), [[{ tool: "a", args: {} }]]);
      expect([line?.type, ran.length]).toEqual(type === "success" ? ["success", 1] : ["denied", 0]);
      if (type === "denied") expect(line?.said).toBe(noted("auto", "Read-only mode"));
      expect(journal.of("approval.resolved")).toMatchObject([{ by, approved: type === "success" }]);
    },
  );

  test("before nobody is answered no: nothing that needs a yes runs (S3-D2, C10)", async () => {
    const ran: string[] = [];
    using gate = createGate();
    const [line, ok] = await converse(gate.guard([noting(ran, "a"), noting(ran, "look", "read_only")]), [
      [
        { tool: "a", args: {} },
        { tool: "look", args: {} },
      ],
    ]);
    expect(line).toMatchObject({
      type: "denied",
      said: denial(
        "no rule covers `a`, and its risk is write, but no handler was available to ask",
        "nobody",
      ),
    });
    expect([ok?.type, ran]).toEqual(["success", ["look"]]);
  });

  test("runs bare tools as ever where the host says so, and still asks for those that ask, and denies what is destructive (S1-2, S3-8, S3-15, S0-26)", async () => {
    const ran: string[] = [];
    using gate = createGate({
      legacyBareTools: "run",
      approval: { rules: [{ pattern: "drop_*", action: "deny" }] },
    });
    const asks = defineTool({
      name: "asks",
      checkApproval: () => ({ description: "may I?" }),
      run: () => ran.push("asks"),
    });
    const tools = gate.guard([
      noting(ran, "a"),
      noting(ran, "wipe", "destructive"),
      noting(ran, "drop_x"),
      asks,
    ]);
    const transcript = await converse(tools, [
      ["a", "wipe", "drop_x", "asks"].map((tool) => ({ tool, args: {} })),
    ]);
    expect(transcript.map(({ type }) => type)).toEqual(["success", "denied", "denied", "denied"]);
    expect(ran).toEqual(["a"]);
  });
});

describe("policies of agents", () => {
  const AGENTS = {
    deploy_agent: {
      order: "first-match",
      rules: [
        { pattern: "deploy_*", action: "ask" },
        { pattern: "*", action: "allow" },
      ],
    },
  } as const;
  const approval = (order: "first-match" | "last-match"): NonNullable<GateSettings["approval"]> => ({
    agents: { deploy_agent: { order, rules: [...AGENTS.deploy_agent.rules] } },
  });

  test("hold for that agent alone: the same tools, another agent, another answer (S0-13, S0-34)", async () => {
    const own = await turnWith({ approval: approval("first-match"), agent: "deploy_agent" });
    expect(own.asked).toEqual(["deploy_prod"]);
    expect(own.ran.length).toBe(NAMES.length);
    for (const more of [{ agent: "writer" }, {}]) {
      const other = await turnWith({ approval: approval("first-match"), ...more });
      expect(other.asked).toEqual(["search_db", "get_user", "deploy_prod", "send_mail"]);
      expect(other.ran).not.toContain("drop_table");
    }
  });

  test("where the last match decides, a general allow at the end swallows the ask before it, as written (S0-10, S0-13)", async () => {
    const own = await turnWith({ approval: approval("last-match"), agent: "deploy_agent" });
    expect([own.asked, own.ran.length]).toEqual([[], NAMES.length]);
  });

  test("are told who asks: the handler, the event and the rules see one name (S0-15, S0-17)", async () => {
    const handler = new Asked();
    const turn = await turnWith({ agent: "writer" }, handler);
    expect(new Set(handler.requests.map(({ agent }) => agent))).toEqual(new Set(["writer"]));
    expect(turn.journal.of("call.received").every(({ agent }) => agent === "writer")).toBe(true);
  });

  test("can't be relaxed by the project's, nor the project's by them: the strictest of both decides (S0-4, C5)", async () => {
    const rules = [{ pattern: "*", action: "allow" }] as const;
    const strictAgent = await turnWith({
      agent: "a",
      approval: { rules: [...rules], agents: { a: { rules: [{ pattern: "send_*", action: "deny" }] } } },
    });
    const strictProject = await turnWith({
      agent: "a",
      approval: { rules: [{ pattern: "send_*", action: "deny" }], agents: { a: { rules: [...rules] } } },
    });
    for (const { ran } of [strictAgent, strictProject]) expect(ran).not.toContain("send_mail");
    expect(strictAgent.ran.length).toBe(NAMES.length - 1);
  });
});
