import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { CofferdamError, defineTool, type Session, type Supervisor } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { configWith, LiveProject, type WrittenConfig } from "../support/live/project.ts";

vi.setConfig({ testTimeout: 600_000 });
sandboxMustWork("answers that are remembered while the config changes");

const ASKS = { shell: { default: { allowed: true, approval: true } } };
const note = defineTool({ name: "note", run: () => "ran" });
const input = z.strictObject({ text: z.string() });
const say = defineTool({ name: "say", input, command: ["printf", "%s", "{text}"] });

/** Who may answer: a person who says yes for the session, or one who says yes once. */
const forSession = () => new Asked(() => ({ approved: true, scope: "session", by: "ann" }));
const once = () => new Asked(() => ({ approved: true, by: "ann" }));
const rejecting = () => new Asked(() => ({ approved: false, by: "ann" }));

describe.skipIf(unusable !== null)("config.live: answers", () => {
  let project: LiveProject;
  let supervisor: Supervisor;

  beforeEach(() => {
    project = new LiveProject();
    project.folder("a");
  });
  afterEach(async () => {
    await supervisor.close();
    project[Symbol.dispose]();
  });

  async function begin(config: WrittenConfig, handler: Asked): Promise<Session> {
    project.apply(config);
    supervisor = await project.supervisor();
    return supervisor.session({ handler, tools: [note] });
  }
  const kindOf = async (session: Session, word = "true"): Promise<string> => {
    const cwd = `${project.place.ws}/a`;
    return (await session.call("shell", { argv: [word], cwd })).kind;
  };

  it("for the session hold while the config lets them, whoever trusts the change", async () => {
    const person = forSession();
    const config = configWith({ a: {} }, ASKS);
    const session = await begin(config, person);
    expect([await kindOf(session), await kindOf(session)]).toEqual(["done", "done"]);
    expect(person.requests).toHaveLength(1);

    const rules = [{ pattern: "shell", action: "ask", remember: false }];
    project.write({ ...config, approval: { rules } });
    expect(await kindOf(session)).toBe("done");
    expect(person.requests).toHaveLength(2);

    project.write({ ...config, approval: { mode: "strict" } });
    expect(await kindOf(session)).toBe("denied");
    project.write(config);
    expect(await kindOf(session)).toBe("done");
    expect(person.requests).toHaveLength(2);
  });

  it("for a function tool end where a changed config denies it", async () => {
    const person = forSession();
    const config = configWith({ a: {} });
    const session = await begin(config, person);
    const call = async () => (await session.call("note", {})).kind;
    expect([await call(), await call()]).toEqual(["done", "done"]);
    expect(person.requests).toHaveLength(1);
    project.write({ ...config, approval: { rules: [{ pattern: "note", action: "deny" }] } });
    expect(await call()).toBe("denied");
    project.write(config);
    expect(await call()).toBe("done");
    expect(person.requests).toHaveLength(1);
  });

  it("are not promised by the card of the shell that a change which nobody trusts may ask about", async () => {
    const config = configWith({ a: {} });
    const session = await begin(config, rejecting());
    const card = () => session.tools().find(({ name }) => name === "shell")?.description ?? "";
    expect(card()).toContain("Commands run without approval.");
    expect(card()).not.toContain("Further rules");
    project.write({ ...config, shell: { ...ASKS.shell, rules: [{ pattern: "true", allowed: false }] } });
    expect(await kindOf(session)).toBe("denied");
    expect(card()).toContain("Further rules may ask about or deny some.");
  });

  it("of a budget are asked for as soon as it is smaller, and not any more once it is larger", async () => {
    const person = once();
    const config = configWith({ a: {} });
    const session = await begin(config, person);
    for (let made = 0; made < 3; made += 1) expect(await kindOf(session)).toBe("done");
    project.write({ ...config, approval: { budget: { calls: 2 } } });
    expect(await kindOf(session)).toBe("done");
    expect(person.requests.map(({ reason }) => reason)).toEqual([expect.stringContaining("3 calls ran")]);
    project.write(config);
    for (let made = 0; made < 3; made += 1) expect(await kindOf(session)).toBe("done");
    expect(person.requests).toHaveLength(1);
  });

  it("of a reviewer don't count if the rules changed while it reviewed: a person is asked", async () => {
    const person = rejecting();
    const config = configWith({ a: {} });
    const demands = { rules: [{ pattern: "note", action: "ask", remember: false }] };
    const changes = [() => undefined, () => project.write({ ...config, approval: demands })];
    project.apply(config);
    supervisor = await project.supervisor({
      reviewer: {
        name: "own",
        only: { tools: ["note"] },
        review: ({ digest }) => {
          changes.shift()?.();
          return { digest, verdict: "allow_once" };
        },
      },
    });
    const session = supervisor.session({ handler: person, tools: [note] });
    const call = (text: string) => session.call("note", { text });
    expect(await call("unchanged")).toMatchObject({ kind: "done" });
    expect(person.requests).toEqual([]);
    expect(await call("changed")).toMatchObject({ kind: "denied", reason: "rejected by ann" });
    expect(person.requests).toHaveLength(1);
  });

  it("of a reviewer don't count either if the rules change while the call waits for others", async () => {
    const config = configWith({ a: {} }, {}, { isolate_calls: true });
    const demands = { rules: [{ pattern: "say", action: "ask", remember: false }] };
    const reviewed = Promise.withResolvers<void>();
    project.apply(config);
    supervisor = await project.supervisor({
      reviewer: {
        name: "own",
        only: { tools: ["say"] },
        review: ({ digest }) => {
          reviewed.resolve();
          return { digest, verdict: "allow_once" };
        },
      },
    });
    const session = supervisor.session({ handler: rejecting(), tools: [say] });
    const cwd = `${project.place.ws}/a`;
    const script = "touch begun; until [ -e end ]; do sleep 0.1; done";
    const first = session.call("shell", { script, cwd });
    while (!existsSync(`${cwd}/begun`)) await pause(50);
    const second = session.call("say", { text: "x" }).then(({ kind }) => kind);
    const outcome = second.catch((cause: unknown) => (cause instanceof CofferdamError ? cause.code : cause));
    await reviewed.promise;
    // It waits for the first one by now; if not, the change is noticed before.
    await pause(1_500);
    project.write({ ...config, approval: demands });
    project.place.file("ws/a/end", "");
    expect(await first).toMatchObject({ kind: "done" });
    expect(await outcome).not.toBe("done");
  });

  it("of a reviewer count only while the trusted config has it, and a change that nobody trusts as well", async () => {
    const person = rejecting();
    const url = "http://127.0.0.1:9/";
    const reviewed = (only: string): WrittenConfig =>
      configWith({ a: {} }, { approval: { reviewer: { url, only: { tools: [only] } } } });
    const session = await begin(reviewed("note"), person);
    const reviews = async (): Promise<string | null> => {
      await session.call("note", { text: String(person.requests.length) });
      return person.requests.at(-1)?.review?.name ?? null;
    };
    expect(await reviews()).toBe(url);
    project.write(reviewed("other"));
    expect(await reviews()).toBe(null);
    project.write(configWith({ a: {} }));
    expect(await reviews()).toBe(null);
    project.apply(reviewed("note"));
    expect(await reviews()).toBe(url);
  });
});
