import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSupervisor, defineTool } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { Asked, Written } from "../support/approval/asked.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the gate of a session");

const nothing = (): void => undefined;
const RULES = {
  default: { allowed: true, approval: true },
  rules: [
    { pattern: "rm", allowed: false },
    { pattern: "true", approval: false },
  ],
};

describe.skipIf(unusable !== null)("what a person edits", () => {
  const editing = (editedInput: unknown) =>
    testSession((place) => place.folder("ws/sub"), {
      settings: { shell: RULES },
      handler: new Asked(() => ({ status: "approved", scope: "session", by: "ann", editedInput })),
    });

  it("is what runs, asked about once and never remembered", async () => {
    await using at = await editing({ argv: ["pwd"], cwd: "sub" });
    expect(printed(await at.session.call("shell", { argv: ["echo", "first"] }))).toBe(`${at.place.ws}/sub`);
    expect(at.asked.requests.length).toBe(1);
    expect(await at.session.grants()).toEqual([]);
    expect(at.journal.of("approval.resolved")).toMatchObject([{ isEdited: true }]);
  });

  it("approve.deny: is judged again: what a rule denies nobody can edit in (C4)", async () => {
    await using at = await editing({ argv: ["rm", "-rf", "sub"] });
    expect(await at.session.call("shell", { argv: ["echo", "first"] })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_BLOCKED",
      reason: "blocked by rule `rm` of `shell.rules`",
    });
    expect(existsSync(`${at.place.ws}/sub`)).toBe(true);
  });

  it.each<[unknown]>([[{ argv: [] }], [{ argv: ["true"], sudo: true }], ["true"], [null]])(
    "is checked again: %j is none of the tool's inputs, and nothing runs (C12)",
    async (edited) => {
      await using at = await editing(edited);
      expect(await at.session.call("shell", { argv: ["touch", "made"] })).toMatchObject({
        kind: "failed",
        error: { code: "USAGE" },
        answer: { by: "ann", editedInput: edited },
      });
      expect(existsSync(`${at.place.ws}/made`)).toBe(false);
      expect(at.journal.of("call.ended")).toMatchObject([{ outcome: "failed" }]);
    },
  );
});

describe.skipIf(unusable !== null)("the calls of one turn", () => {
  it("are asked about as one group, each for itself, and a no keeps none of the others from running (S1-28, S0-35, C13)", async () => {
    const handler = new Asked(({ description }) => ({ approved: description !== "run echo b" }));
    await using at = await testSession(nothing, { settings: { shell: RULES }, handler });
    const inputs = [["echo", "a"], ["echo", "b"], ["true"], ["rm", "x"], ["echo", "c"]];
    const outcomes = await at.session.callAll(inputs.map((argv) => ({ tool: "shell", args: { argv } })));
    expect(outcomes.map(printed)).toEqual(["a", "APPROVAL_DENIED", "", "APPROVAL_BLOCKED", "c"]);
    const groups = new Set(handler.requests.map(({ groupId }) => groupId));
    expect([handler.requests.length, groups.size, groups.has(null)]).toEqual([3, 1, false]);
    await at.session.callAll([{ tool: "shell", args: { argv: ["echo", "d"] } }], { groupId: "turn-7" });
    expect(handler.requests.at(-1)?.groupId).toBe("turn-7");
  });

  it("can be answered in one act (S1-28, C13)", async () => {
    const handler = new Asked(async (_, { signal }) => {
      await once(signal, "abort");
      return { status: "pending" };
    });
    await using at = await testSession(nothing, { handler, session: { wait: { timeoutMs: null } } });
    const called = at.session.callAll(
      ["a", "b"].map((word) => ({ tool: "shell", args: { argv: ["echo", word] } })),
      {
        groupId: "turn-1",
      },
    );
    while (at.asked.requests.length < 2) await new Promise(setImmediate);
    expect(await at.supervisor.broker.respondAll({ groupId: "turn-1" }, { approved: true }, "ann")).toBe(2);
    expect((await called).map(printed)).toEqual(["a", "b"]);
  });
});

describe.skipIf(unusable !== null)("what nobody is asked about", () => {
  it.each([
    ["a rule that allows", "interactive", ["true"], true, "rule `true` of `shell.rules`"],
    ["a rule that forbids", "interactive", ["rm", "x"], false, "blocked by rule `rm` of `shell.rules`"],
    ["a mode that approves", "approve_all", ["echo"], true, "approve-all mode"],
    [
      "a rule that forbids, where a mode approves",
      "approve_all",
      ["rm", "x"],
      false,
      "blocked by rule `rm` of `shell.rules`",
    ],
    [
      "a strict mode",
      "strict",
      ["echo"],
      false,
      "strict mode: approval required (no rule covers this command)",
    ],
    ["a rule that allows, in a strict mode", "strict", ["true"], true, "rule `true` of `shell.rules`"],
  ] as const)(
    "%s is written down with who decided (S0-31, S1-12, S1-45, C14)",
    async (_, mode, argv, approved, by) => {
      await using at = await testSession(nothing, { settings: { shell: RULES }, options: { mode } });
      const outcome = await at.session.call("shell", { argv: [...argv] });
      expect(outcome.kind).toBe(approved ? "done" : "denied");
      expect(at.journal.of("approval.auto")).toMatchObject([{ approved, by }]);
      expect([at.asked.requests, at.journal.of("approval.requested")]).toEqual([[], []]);
      if (!approved) expect(at.journal.of("call.received")).toMatchObject([{ words: [...argv] }]);
    },
  );
});

describe.skipIf(unusable !== null)("a call that does not wait for its answer", () => {
  it("is pending; called again after the yes it runs, once (S2-4, S2-9, S2-10, S2-24, C8)", async () => {
    const handler = new Asked(() => ({ status: "pending" }));
    const wait = { timeoutMs: null, onTimeout: "wait", style: "suspend" } as const;
    await using at = await testSession(nothing, { handler, session: { wait } });
    const call = (approvalId?: string) =>
      at.session.call("shell", { argv: ["echo", "ran"] }, approvalId === undefined ? {} : { approvalId });
    const pending = await call();
    if (pending.kind !== "pending") throw new Error(`it was not left pending but ${pending.kind}`);
    const { approvalId } = pending;
    expect(pending).toMatchObject({ code: "APPROVAL_PENDING", reason: "no rule covers this command" });
    expect((await call(approvalId)).kind).toBe("pending");
    await at.supervisor.broker.respond(approvalId, { approved: true }, "ann");
    expect(await at.session.call("shell", { argv: ["echo", "other"] }, { approvalId })).toMatchObject({
      kind: "pending",
    });
    expect(printed(await call(approvalId))).toBe("ran");
    expect(await call(approvalId)).toMatchObject({
      kind: "denied",
      reason: "this approval was used already",
    });
    expect(at.journal.of("walls.proven").length).toBe(1);
  });
});

/** The seed's practical rules and a policy of one agent's, as a config says them. */
const YAML = (root: string): string => `
version: 1
sandbox:
  paths: { ws: { root: ${JSON.stringify(root)}, mode: rw } }
approval:
  rules:
    - { pattern: "search_*", action: allow }
    - { pattern: "get_*", action: allow }
    - { pattern: "drop_*", action: deny }
    - { pattern: "delete_*", action: deny }
  risk_defaults: { read_only: allow, write: ask, destructive: deny }
  agents:
    deploy_agent:
      order: first-match
      rules:
        - { pattern: "deploy_*", action: ask, reason: a deployment is seen by everybody }
        - { pattern: "*", action: allow }
`;

describe.skipIf(unusable !== null)("functions behind the gate of a supervisor", () => {
  const NAMES = ["search_db", "get_user", "drop_table", "deploy_prod", "send_mail"];

  async function turnOf(
    session: { readonly agent?: string; readonly caller?: "person" },
    rules: readonly object[] = [],
  ) {
    using place = new Place(CALLER);
    const handler = new Asked(() => ({ approved: true, scope: "session", by: "ann" }));
    const journal = new Written();
    const profile = place.file(
      "operator.yaml",
      JSON.stringify({ profile: "operator", approval: { rules } }),
      0o600,
    );
    await using supervisor = await createSupervisor({
      config: place.file("config.yaml", YAML(place.ws)),
      profiles: [profile],
      cwd: knownPath(place.ws),
      host: place.host(),
      journal,
    });
    const made = supervisor.session({ handler, ...session });
    const tools = made.guard(NAMES.map((name) => defineTool({ name, run: () => name })));
    const outcomes = await tools.callAll(NAMES.map((tool) => ({ tool, args: {} })));
    const asked = [...handler.tools];
    await tools.callAll(NAMES.map((tool) => ({ tool, args: {} })));
    const again = handler.tools.slice(asked.length);
    return {
      asked,
      again,
      types: journal.types,
      kinds: outcomes.map(({ kind }) => kind),
      grants: await made.grants(),
      handler,
    };
  }

  it("obey the rules of its config, by layer and by agent (S0-4, S0-12, S0-13, S0-34)", async () => {
    const anyone = await turnOf({});
    expect(anyone.kinds).toEqual(["done", "done", "denied", "done", "done"]);
    expect(anyone.asked).toEqual(["deploy_prod", "send_mail"]);
    const agent = await turnOf({ agent: "deploy_agent" });
    expect(agent.kinds).toEqual(["done", "done", "denied", "done", "done"]);
    expect(agent.asked).toEqual(["deploy_prod"]);
    expect(agent.handler.requests[0]).toMatchObject({
      agent: "deploy_agent",
      reason: "a deployment is seen by everybody",
      granted: null,
    });
  });

  it("are in one record with the rest, and their grants are the session's (S1-42, S0-D1)", async () => {
    const { types, grants, again, asked } = await turnOf({});
    expect(types[0]).toBe("session.started");
    expect(types.filter((type) => type === "approval.requested").length).toBe(asked.length);
    expect(grants.map(({ tool }) => tool).toSorted()).toEqual(["deploy_prod", "send_mail"]);
    expect(again).toEqual([]);
  });

  it("obey operators first: a deny is final, and an ask demands a person each time (C4, C5)", async () => {
    const operators = [
      { pattern: "send_*", action: "deny" },
      { pattern: "search_*", action: "ask" },
    ];
    const { kinds, asked, again, grants } = await turnOf({ agent: "deploy_agent" }, operators);
    expect(kinds).toEqual(["done", "done", "denied", "done", "denied"]);
    expect(asked.toSorted()).toEqual(["deploy_prod", "search_db"]);
    expect(again).toEqual(["search_db"]);
    expect(grants.map(({ tool }) => tool)).toEqual(["deploy_prod"]);
  });

  it("are no typing of the caller's: a function that is asked about is asked about (S1-11)", async () => {
    expect((await turnOf({ caller: "person" })).asked).toEqual(["deploy_prod", "send_mail"]);
  });
});

describe.skipIf(unusable !== null)("a function of the host", () => {
  it.each(["before the end, approved after it", "after the end"])(
    "is not called once its session has ended: %s",
    async (when) => {
      await using at = await testSession(() => ({}));
      const ran: string[] = [];
      const tool = defineTool({ name: "late", risk: "write", run: () => ran.push("ran") });
      const yes = Promise.withResolvers<{ readonly approved: true; readonly by: string }>();
      const session = at.supervisor.session({ handler: () => yes.promise });
      const guarded = session.guard([tool]);
      if (when === "after the end") await session.close();
      const call = guarded.call("late", {}).catch((error: unknown) => error);
      await session.close();
      yes.resolve({ approved: true, by: "ann" });
      expect(await call).not.toMatchObject({ kind: "done" });
      expect([ran, await session.grants()]).toEqual([[], []]);
      await using other = at.supervisor.session({ handler: () => ({ approved: true, by: "ann" }) });
      expect(await other.guard([tool]).call("late", {})).toMatchObject({ kind: "done" });
    },
  );
});
