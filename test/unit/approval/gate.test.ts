import { describe, expect, test } from "vitest";
import { Broker } from "../../../src/approval/broker.ts";
import { Gate } from "../../../src/approval/gate.ts";
import type { GateOptions } from "../../../src/approval/gate-options.ts";
import type { DecidedCall } from "../../../src/approval/gate-result.ts";
import { BROKEN_HANDLER } from "../../../src/approval/nobody.ts";
import { approvalOf } from "../../../src/approval/not-run.ts";
import { adviceText } from "../../../src/call/tool-result.ts";
import { CallLog } from "../../../src/journal/call-log.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { Decision } from "../../../src/policy/decision.ts";
import { NOTHING_LEFT_OUT } from "../../../src/policy/redactions.ts";
import type { RuleHit } from "../../../src/policy/rule-hit.ts";
import { defaultHit } from "../../../src/policy/shell-hits.ts";
import type { Verdict } from "../../../src/policy/verdict.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { requestWith } from "../../support/approval/request.ts";

const HASH = "a".repeat(64);
const OTHER = "b".repeat(64);

const verdict = (action: Verdict["action"]): Verdict => ({
  action,
  demandsPerson: false,
  hits: [{ layer: "project", rule: "*", action, reason: "a rule" }],
  reason: "a rule",
});

/** A question that counts how often somebody made what is shown of it. */
class Counted implements DecidedCall {
  readonly verdict: Verdict;
  readonly argsHash: string;
  readonly groupId: string | null = null;
  readonly grantKey = { cacheKey: HASH, toolVersion: "", program: null, granted: null };
  shown = 0;
  presented = 0;

  constructor(action: Verdict["action"], argsHash = HASH) {
    this.verdict = verdict(action);
    this.argsHash = argsHash;
  }

  readonly summarize: DecidedCall["summarize"] = () => {
    this.shown += 1;
    return {
      risk: "write",
      description: "send a mail",
      safeArgs: {},
      redactions: NOTHING_LEFT_OUT,
      covers: "every use of send",
      granted: null,
    };
  };

  readonly preview: DecidedCall["preview"] = async () => {
    this.presented += 1;
    return { type: "text", content: "Dear Ann" };
  };
}

/** A gate, who answers at it, and what it writes. */
function setUp(handler: Asked, more: Partial<GateOptions> = {}) {
  const journal = new Written();
  let ids = 0;
  const host = { now: () => 1_900_000_000_000, id: () => `id-${ids++}` };
  const recorder = new Recorder(host, journal, "run-1");
  const broker = new Broker(host, new MemoryStore(), recorder);
  const gate = new Gate({
    broker,
    host,
    runId: "run-1",
    sessionId: "session-1",
    handlers: [handler],
    wait: { timeoutMs: null, onTimeout: "error", style: "block" },
    project: "/srv/app",
    client: null,
    maxPending: null,
    maxPendingBytes: Number.POSITIVE_INFINITY,
    sessionGrants: true,
    ...more,
  });
  const pass = async (
    prepare: () => Promise<DecidedCall>,
    groupId: string | null = null,
    approvalId: string | null = null,
    agent: string | null = null,
  ) => {
    const identity = { sessionId: "session-1", callId: host.id(), tool: "send", agent };
    const log = new CallLog(recorder, identity);
    const asker = { callId: log.callId, tool: "send", agent, groupId };
    return gate.pass(asker, await prepare(), prepare, { signal: null, approvalId, log, call: null });
  };
  return { gate, broker, journal, pass };
}

test.each<[RuleHit["layer"], string, RegExp]>([
  ["operator", "APPROVAL_BLOCKED", /^only the author of the operator profile/],
  ["project", "APPROVAL_BLOCKED", /^no approval can allow it; change rule `\*` of the config$/],
  [
    "agent",
    "APPROVAL_BLOCKED",
    /^no approval can allow it; change rule `\*` of the agent's rules in the config$/,
  ],
  ["tool", "APPROVAL_BLOCKED", /^no approval can allow it; change the arguments$/],
  ["risk", "APPROVAL_BLOCKED", /^add a rule to the config that allows it/],
  ["mode", "APPROVAL_DENIED", /^use `mode: interactive` without `--strict`/],
])("whom the %s denies is told what would have to change", async (layer, code, hint) => {
  const allowed: RuleHit = { layer: "project", rule: "other", action: "allow", reason: null };
  const hits = [allowed, { layer, rule: "*", action: "deny", reason: "a rule" }];
  const question = Object.assign(new Counted("deny"), { verdict: { ...verdict("deny"), hits } });
  const { pass } = setUp(new Asked());
  expect(await pass(async () => question)).toMatchObject({
    kind: "denied",
    code,
    reason: "a rule",
    hint: expect.stringMatching(hint),
  });
});

describe("what is shown", () => {
  test("is made for nobody: not where a rule, a grant or a mode answers (S1-10, S1-31, S1-35)", async () => {
    for (const action of ["allow", "deny"] as const) {
      const question = new Counted(action);
      const { journal, pass } = setUp(new Asked());
      expect((await pass(async () => question)).kind).toBe(action === "allow" ? "approved" : "denied");
      expect([question.shown, question.presented]).toEqual([0, 0]);
      expect(journal.types).toEqual(["approval.auto"]);
    }
  });

  test("is presented only when somebody looks, and once however often and by how many (S1-10, S1-35)", async () => {
    const blind = new Counted("ask");
    await setUp(new Asked()).pass(async () => blind);
    expect([blind.shown, blind.presented]).toEqual([1, 0]);
    const looking = new Asked(async (_, asking) => {
      const [a, b] = await Promise.all([asking.present(), asking.present()]);
      expect(a).toBe(b);
      return { approved: true };
    });
    const question = new Counted("ask");
    await setUp(looking, { handlers: [looking, looking] }).pass(async () => question);
    expect([question.shown, question.presented]).toEqual([1, 1]);
  });
});

describe("a group", () => {
  test("is the one that the host names, else the tool's own, else none (S1-28, C13)", async () => {
    const handler = new Asked();
    const { pass } = setUp(handler);
    const grouped: DecidedCall = { ...new Counted("ask"), groupId: "of the tool" };
    await pass(async () => grouped, "of the host");
    await pass(async () => grouped);
    await pass(async () => new Counted("ask"));
    expect(handler.requests.map(({ groupId }) => groupId)).toEqual(["of the host", "of the tool", null]);
  });
});

describe("a yes", () => {
  test("holds for what was shown: what changed meanwhile is asked about anew (C12)", async () => {
    const handler = new Asked();
    const { journal, pass } = setUp(handler);
    const prepared = [HASH, OTHER, OTHER, OTHER];
    let at = 0;
    const result = await pass(async () => new Counted("ask", prepared[at++] ?? OTHER));
    expect(result).toMatchObject({ kind: "approved", isApproved: true, decided: { argsHash: OTHER } });
    expect(handler.requests.map(({ argsHash }) => argsHash)).toEqual([HASH, OTHER]);
    expect(journal.of("approval.resolved").map(({ argsHash }) => argsHash)).toEqual([HASH, OTHER]);
  });

  test("to what keeps changing is given up after three questions (C12)", async () => {
    const handler = new Asked();
    const { pass } = setUp(handler);
    let at = 0;
    const result = await pass(async () => new Counted("ask", String(at++).padStart(64, "0")));
    expect(result).toMatchObject({ kind: "denied", code: "FACTS_UNSTABLE" });
    expect(handler.requests.length).toBe(3);
  });

  test("to what is denied by now does not let it pass (C4)", async () => {
    const handler = new Asked();
    const { journal, pass } = setUp(handler);
    const actions = ["ask", "deny"] as const;
    let at = 0;
    const result = await pass(async () => new Counted(actions[at++] ?? "deny"));
    expect(result).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(journal.types).toEqual(["approval.requested", "approval.resolved", "approval.auto"]);
  });
});

describe("a yes that was given to one agent", () => {
  test("is no other's, and still its own (S0-13, C16)", async () => {
    const handler = new Asked(() => ({ status: "pending" }));
    const { broker, pass } = setUp(handler, {
      wait: { timeoutMs: null, onTimeout: "wait", style: "suspend" },
    });
    const question = async () => new Counted("ask");
    const first = await pass(question, null, null, "ann");
    if (first.kind !== "pending") throw new Error("it was not left pending");
    await broker.respond(first.approvalId, { approved: true }, "eve");
    for (const agent of [null, "bob"])
      expect(await pass(question, null, first.approvalId, agent)).toMatchObject({ kind: "denied" });
    expect(await pass(question, null, first.approvalId, "ann")).toMatchObject({ kind: "approved" });
  });
});

describe("a no that is read again", () => {
  test("counts once; three noes, and nobody is asked any more", async () => {
    const handler = new Asked(() => ({ status: "pending" }));
    const { broker, pass } = setUp(handler, {
      wait: { timeoutMs: null, onTimeout: "wait", style: "suspend" },
    });
    const question = async () => new Counted("ask");
    const first = await pass(question);
    if (first.kind !== "pending") throw new Error("it was not left pending");
    await broker.respond(first.approvalId, { approved: false }, "ann");
    for (let times = 0; times < 5; times += 1)
      expect(await pass(question, null, first.approvalId)).toMatchObject({ reason: "rejected by ann" });
    expect((await pass(question)).kind).toBe("pending");
  });
});

describe("the denial of a call that was asked about", () => {
  const answered = async (answer: unknown, hit: RuleHit, tool = "shell") => {
    const request = { ...requestWith({ tool, reason: hit.reason ?? "", why: [hit] }) };
    const decision = Decision.parse(answer);
    const stop = approvalOf({ request, decision, status: "rejected" }, "error");
    if (stop.kind !== "denied") throw new Error("it was not denied");
    return { ...stop, told: adviceText(stop) };
  };
  const rule = { layer: "tool", rule: "git push", action: "ask", reason: "Publish commits" } as const;
  const nobody = { status: "rejected", by: "nobody", note: "no person could be asked: no terminal" };

  test("has the person and the note, and advises to follow that; twin: without a note, to ask the user", async () => {
    const noted = await answered({ status: "rejected", by: "ann", note: "use a script file" }, rule);
    expect(noted.reason).toBe("rejected by ann: use a script file");
    expect(noted.told).toMatch(/^What would help: follow the note;/);
    const plain = await answered({ status: "rejected", by: "ann" }, rule);
    expect(plain.reason).toBe("rejected by ann");
    expect(plain.told).toMatch(/^What would help: ask the user what to do instead/);
  });

  test("names the rule whose description is the reason", async () => {
    expect((await answered(nobody, rule)).reason).toBe(
      "`git push` needs approval (Publish commits), but no person could be asked: no terminal",
    );
    const byDefault = defaultHit({ allowed: true, approval: true }, null);
    expect((await answered(nobody, byDefault)).reason).toMatch(/^no rule covers this command, but/);
  });

  test("proposes no rule if approval adds access: that would add none; twin: for any other ask", async () => {
    const beyond = { allowed: true, approval: "beyond" } as const;
    const gains = defaultHit(beyond, "it may write in `a`, where writing needs approval");
    for (const hit of [gains, { ...gains, rule: "unasked" }]) {
      const { hint, told } = await answered(nobody, hit);
      expect(hint).toContain("set `write_approval: false`");
      expect(told).toContain("set `write_approval: false`");
      expect(`${hint} ${told}`).not.toContain("by a rule");
    }
    const { hint } = await answered(nobody, defaultHit({ allowed: true, approval: true }, null));
    expect(hint).toContain("add a rule to the config that allows it");
  });

  test("by a broken handler is the program's fault: no user can open a way", async () => {
    const { told } = await answered({ ...nobody, note: `${BROKEN_HANDLER}invalid answer` }, rule);
    expect(told).toContain("the program which asks for approvals has an error");
    expect(told).not.toContain("open a way");
  });
});
