import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ReviewDocument } from "../../../src/approval/review.ts";
import type { FunctionReviewer } from "../../../src/call/function-reviewer.ts";
import { createGate, type GateSettings, type ToolGate } from "../../../src/entry/gate.ts";
import { defineTool } from "../../../src/index.ts";
import { Asked, Written } from "../../support/approval/asked.ts";

const only = { tools: ["notes/*", "note"] };
const note = defineTool({
  name: "note",
  input: z.strictObject({ text: z.string() }),
  run: ({ input }) => input.text,
});

type Review = FunctionReviewer["review"];
const answering =
  (verdict: unknown): Review =>
  ({ digest }) => ({ digest, verdict });

interface Trial extends AsyncDisposable {
  readonly gate: ToolGate;
  readonly asked: Asked;
  readonly journal: Written;
  readonly documents: ReviewDocument[];
  readonly call: (text?: string) => Promise<string>;
}

/** A gate with a reviewer and a person who says yes. */
function trial(
  review: Review,
  {
    settings = {},
    tools = [note],
    person = () => ({ approved: true, by: "ann" }),
    ...reviewer
  }: {
    readonly settings?: GateSettings;
    readonly tools?: readonly ReturnType<typeof defineTool>[];
    readonly person?: ConstructorParameters<typeof Asked>[0];
  } & Partial<Omit<FunctionReviewer, "review">> = {},
): Trial {
  const asked = new Asked(person);
  const journal = new Written();
  const documents: ReviewDocument[] = [];
  const gate = createGate({
    handler: asked,
    journal,
    reviewer: {
      name: "rules",
      only,
      may: ["allow_once", "deny"],
      ...reviewer,
      review: (document, around) => {
        documents.push(document);
        return review(document, around);
      },
    },
    ...settings,
  });
  const guarded = gate.guard(tools);
  return {
    gate,
    asked,
    journal,
    documents,
    call: async (text = "hello") => {
      const outcome = await guarded.call(tools[0]?.name ?? "", { text });
      return outcome.kind === "denied" ? `denied: ${outcome.reason}` : outcome.kind;
    },
    [Symbol.asyncDispose]: () => gate.close(),
  };
}

const verdicts = ({ journal }: Trial) =>
  journal.of("approval.reviewed").map(({ review }) => review.because ?? review.verdict);

describe("a reviewer", () => {
  it("that allows a call once answers for the person, and is recorded by name and digest", async () => {
    await using at = trial(answering("allow_once"));
    const outcome = await at.gate.guard([note]).call("note", { text: "a" });
    const [event] = at.journal.of("approval.reviewed");
    expect(outcome).toEqual({ kind: "done", value: "a", review: event?.review });
    expect(event?.review).toMatchObject({
      verdict: "allow_once",
      name: "rules",
      by: expect.stringMatching(/^reviewer:[0-9a-f]{64}$/),
      input: at.documents[0]?.digest,
      because: null,
    });
    expect(at.journal.of("approval.resolved")).toMatchObject([
      { approved: true, by: event?.review.by, scope: "once" },
    ]);
    expect(at.asked.requests).toEqual([]);
    expect(await at.gate.grants()).toEqual([]);
  });

  it("gets the input, the rules and the counts, and nothing else", async () => {
    await using at = trial(answering("allow_once"));
    await at.call("a");
    expect(at.documents).toEqual([
      {
        version: 1,
        request: {
          id: at.journal.of("approval.reviewed")[0]?.approvalId,
          tool: "note",
          risk: "write",
          input: { text: "a" },
          cwd: ".",
          commands: [],
          why: [
            {
              layer: "risk",
              rule: "write",
              action: "ask",
              reason: "no rule covers `note`, and its risk is write",
            },
          ],
          granted: null,
        },
        session: { agent: null, reviews: 1, allowed: 0, denied: 0 },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it("that denies a call leaves its request to be approved, and nobody is asked", async () => {
    await using at = trial(answering("deny"));
    expect(await at.call()).toBe(
      "denied: no rule covers `note`, and its risk is write, and the reviewer denied it",
    );
    expect(at.asked.requests).toEqual([]);
    expect(await at.gate.broker.pending()).toMatchObject([{ tool: "note", review: { verdict: "deny" } }]);
  });

  it("is overruled by a person who approves the denied request: the same call then runs once", async () => {
    await using at = trial(answering("deny"));
    await at.call();
    const [request] = await at.gate.broker.pending();
    await at.gate.broker.respond(request?.approvalId ?? "", { approved: true }, "ann");
    expect(await at.call("another")).toContain("the reviewer denied it");
    expect(await at.call()).toBe("done");
    // Used: from then on a person is asked about this call.
    expect(await at.call()).toBe("done");
    expect(at.asked.tools).toEqual(["note"]);
  });

  it("is not asked again about a call that it denied: a person is, and its first request is closed", async () => {
    await using at = trial(answering("deny"));
    await at.call();
    expect(await at.call()).toBe("done");
    expect(at.asked.requests).toMatchObject([
      { review: { verdict: "none", because: "the reviewer denied this call before" } },
    ]);
    expect(await at.gate.broker.pending()).toEqual([]);
    expect(at.documents).toHaveLength(1);
  });

  it("may leave the answer to a person, who then sees that", async () => {
    await using at = trial(answering("person"));
    expect(await at.call()).toBe("done");
    expect(at.asked.requests).toMatchObject([{ review: { verdict: "person", because: null } }]);
  });

  it.each<readonly [string, Review, string]>([
    ["throws", () => Promise.reject(new Error("no key")), "no key"],
    [
      "throws at once",
      () => {
        throw new Error("broken");
      },
      "broken",
    ],
    ["answers nothing", () => undefined, "its answer is not valid JSON"],
    ["answers an unknown verdict", answering("allow"), "its answer is not `{ digest, verdict }`"],
    ["answers a wider verdict", answering("allow_session"), "its answer is not `{ digest, verdict }`"],
    ["leaves out the digest", () => ({ verdict: "allow_once" }), "its answer is not `{ digest, verdict }`"],
    [
      "answers another digest",
      () => ({ digest: "0".repeat(64), verdict: "allow_once" }),
      "its answer is to another request",
    ],
    [
      "adds a key",
      ({ digest }) => ({ digest, verdict: "allow_once", scope: "session" }),
      "its answer is not `{ digest, verdict }`",
    ],
    [
      "edits the input",
      ({ digest }) => ({ digest, verdict: "allow_once", editedInput: {} }),
      "its answer is not `{ digest, verdict }`",
    ],
    [
      "writes a key twice",
      ({ digest }) => `{"verdict":"deny","digest":"${digest}","verdict":"allow_once"}`,
      "its answer is not valid JSON",
    ],
    [
      "answers twice",
      ({ digest }) => `{"digest":"${digest}","verdict":"allow_once"}`.repeat(2),
      "its answer is not valid JSON",
    ],
    ["answers in words", () => "APPROVE", "its answer is not valid JSON"],
    [
      "answers more than 64 KiB",
      ({ digest }) => `{"digest":"${digest}","verdict":"allow_once"}${" ".repeat(65_536)}`,
      "its answer is longer than 64 KiB",
    ],
    [
      "inherits its answer",
      ({ digest }) => Object.create({ digest, verdict: "allow_once" }),
      "its answer is not valid JSON",
    ],
    [
      "computes its answer",
      ({ digest }) => ({
        digest,
        get verdict() {
          return "allow_once";
        },
      }),
      "its answer is not valid JSON",
    ],
  ])("that %s is no review: a person is asked, and told why", async (_, review, because) => {
    await using at = trial(review);
    expect(await at.call()).toBe("done");
    expect(at.asked.requests).toMatchObject([{ review: { verdict: "none", because } }]);
    expect(verdicts(at)).toEqual([because]);
    // The control: the same request with a proper answer.
    await using proper = trial(({ digest }) => `{"digest":"${digest}","verdict":"allow_once"}\n`);
    expect(await proper.call()).toBe("done");
    expect(proper.asked.requests).toEqual([]);
  });

  it("that may not deny leaves a call that it denies to a person", async () => {
    await using at = trial(answering("deny"), { may: ["allow_once"] });
    expect(await at.call()).toBe("done");
    expect(verdicts(at)).toEqual(["it answered `deny`, which its `may` does not list"]);
  });

  it("that never answers is given up, also while its answer comes later", async () => {
    const late = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    await using at = trial(
      async ({ digest }, { signal }) => {
        signals.push(signal);
        await late.promise;
        return { digest, verdict: "allow_once" };
      },
      { budget: { timeout: "50ms" }, person: () => ({ approved: false, by: "ann" }) },
    );
    expect(await at.call()).toBe("denied: rejected by ann");
    late.resolve();
    expect(verdicts(at)).toEqual(["the reviewer did not answer within 50ms"]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("that gives the answers of two concurrent requests to each other answers neither", async () => {
    const documents: ReviewDocument[] = [];
    const both = Promise.withResolvers<void>();
    await using at = trial(async (document) => {
      documents.push(document);
      if (documents.length === 2) both.resolve();
      await both.promise;
      const other = documents.find(({ digest }) => digest !== document.digest);
      return { digest: other?.digest, verdict: "allow_once" };
    });
    expect(await Promise.all([at.call("a"), at.call("b")])).toEqual(["done", "done"]);
    expect(verdicts(at)).toEqual(["its answer is to another request", "its answer is to another request"]);
    expect(at.asked.requests).toHaveLength(2);
  });

  it("is nobody's answer if no person can be reached: the usual denial follows, not one of the reviewer", async () => {
    await using at = trial(() => "broken", { settings: { handler: [] } });
    expect(await at.call()).toBe(
      "denied: no rule covers `note`, and its risk is write, but no handler was available to ask",
    );
  });
});

describe("a budget", () => {
  it("of reviews of a session sends every further request to a person", async () => {
    await using at = trial(answering("allow_once"), { budget: { calls: 2 } });
    for (const text of ["a", "b", "c"]) expect(await at.call(text)).toBe("done");
    expect(verdicts(at)).toEqual(["allow_once", "allow_once", "this session has had 2 reviews"]);
    expect(at.asked.requests).toHaveLength(1);
  });

  it("in a row ends with an answer of a person, and begins again", async () => {
    await using at = trial(answering("allow_once"), { budget: { in_a_row: 2 } });
    for (const text of ["a", "b", "c", "d", "e", "f"]) await at.call(text);
    const spent = "the reviewer allowed 2 calls since a person answered";
    expect(verdicts(at)).toEqual(["allow_once", "allow_once", spent, "allow_once", "allow_once", spent]);
  });

  it("in a row holds for a flood of concurrent calls too", async () => {
    await using at = trial(answering("allow_once"), { budget: { in_a_row: 3 } });
    const many = Array.from({ length: 40 }, (_, index) => at.call(`call ${index}`));
    expect(await Promise.all(many)).toEqual(
      many.map(() => expect.stringMatching(/^done$|^denied: 20 requests/)),
    );
    const allowed = verdicts(at).filter((one) => one === "allow_once");
    // Each answer of a person lets three more be reviewed.
    expect(allowed.length).toBeLessThanOrEqual(3 * (at.asked.requests.length + 1));
    expect(verdicts(at)).toHaveLength(40);
  });

  it("of denials sends requests to a person until one has answered", async () => {
    await using at = trial(answering("deny"), { budget: { deny_stop: 2 } });
    for (const text of ["a", "b", "c", "d"]) await at.call(text);
    const spent = "the reviewer denied 2 calls since a person answered";
    expect(verdicts(at)).toEqual(["deny", "deny", spent, "deny"]);
  });

  it("counts reviews that failed as well", async () => {
    await using at = trial(() => "nonsense", { budget: { calls: 1 } });
    for (const text of ["a", "b"]) await at.call(text);
    expect(verdicts(at)).toEqual(["its answer is not valid JSON", "this session has had 1 reviews"]);
  });
});

describe("a request is for a person alone", () => {
  const withRule = (action: "ask" | "allow" | "deny", more: object = {}): GateSettings => ({
    approval: { rules: [{ pattern: "note", action, ...more }] },
  });
  const tool = (more: object) => defineTool(Object.assign({ name: "note", run: () => "ran" }, more));

  it.each<readonly [string, Parameters<typeof trial>[1]]>([
    ["if a rule asks", { settings: withRule("ask") }],
    ["if a rule asks each time", { settings: withRule("ask", { remember: false }) }],
    [
      "if a rule of the agent asks",
      {
        settings: { agent: "a", approval: { agents: { a: { rules: [{ pattern: "n*", action: "ask" }] } } } },
      },
    ],
    ["if the tool is not listed", { only: { tools: ["other"] } }],
    ["if its risk is not listed", { only: { ...only, risk: ["read_only"] } }],
    [
      "if the tool is destructive",
      {
        tools: [tool({ risk: "destructive" })],
        settings: { approval: { risk_defaults: { destructive: "ask" } } },
      },
    ],
    [
      "if the tool asks each time",
      { tools: [tool({ requireApproval: { required: true, reason: "r", remember: false } })] },
    ],
    [
      "if the tool's check asks each time",
      { tools: [tool({ checkApproval: () => ({ description: "d", remember: false }) })] },
    ],
  ])("%s", async (_, given) => {
    await using at = trial(answering("allow_once"), given);
    expect(await at.call()).toBe("done");
    expect(at.asked.requests).toMatchObject([{ tool: "note" }]);
    expect(at.asked.requests[0]).not.toHaveProperty("review");
    expect(at.journal.of("approval.reviewed")).toEqual([]);
    expect(at.documents).toEqual([]);
  });

  it.each<readonly [string, string]>([
    ["was cut", "x".repeat(60_000)],
    ["hides a secret", `key ${"ghp_"}${"A1b2C3d4E5".repeat(4)}`],
  ])("if its input %s", async (_, text) => {
    await using at = trial(answering("allow_once"));
    expect(await at.call(text)).toBe("done");
    expect(at.documents).toEqual([]);
    expect(at.asked.requests).toHaveLength(1);
  });

  it("if the call changed while it was reviewed", async () => {
    let version = 1;
    const unstable = defineTool({
      name: "note",
      input: z.any().transform(() => ({ version })),
      run: ({ input }) => `ran ${input.version}`,
    });
    await using at = trial(
      ({ digest }) => {
        version = 2;
        return { digest, verdict: "allow_once" };
      },
      { tools: [unstable] },
    );
    expect(await at.gate.guard([unstable]).call("note", {})).toEqual({ kind: "done", value: "ran 2" });
    expect(at.documents).toMatchObject([{ request: { input: { version: 1 } } }]);
    expect(at.asked.requests).toMatchObject([{ safeArgs: { version: 2 } }]);
    // The control: a call that stays as it was reviewed.
    await using stable = trial(answering("allow_once"), { tools: [unstable] });
    expect(await stable.call()).toBe("done");
    expect(stable.asked.requests).toEqual([]);
  });

  it("and not asked at all if a rule denies or allows it", async () => {
    for (const [action, outcome] of [
      ["deny", "denied"],
      ["allow", "done"],
    ] as const) {
      await using at = trial(answering("allow_once"), { settings: withRule(action) });
      expect(await at.call()).toContain(outcome);
      expect(at.documents).toEqual([]);
    }
  });
});

it("a reviewer for every tool, or one that needs a sandbox, is refused", () => {
  const review = answering("person");
  expect(() => createGate({ reviewer: { name: "r", review, only: { tools: ["*"] } } })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("name the tools") }),
  );
  expect(() => createGate({ approval: { reviewer: { command: ["r"], only } } })).toThrow(
    expect.objectContaining({ code: "CONFIG_INVALID", hint: expect.stringContaining("pass a function") }),
  );
});
