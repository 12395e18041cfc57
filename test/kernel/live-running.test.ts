import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConfigChange } from "../../src/call/config-watch.ts";
import type { SessionOptions } from "../../src/call/session-options.ts";
import { configUsers, listTrust } from "../../src/config/trust.ts";
import type { Event } from "../../src/event/event.ts";
import { approved, type Outcome, type Session, type Supervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { configWith, LiveProject, type WrittenConfig } from "../support/live/project.ts";

vi.setConfig({ testTimeout: 600_000 });
sandboxMustWork("what runs while the config changes");

const A = configWith({ a: {} });
const AB = configWith({ a: {}, b: {} });
const DENY = { default: { allowed: true, approval: false }, rules: [{ pattern: "touch", allowed: false }] };
const ASK = { default: { allowed: true, approval: true } };

describe.skipIf(unusable !== null)("what runs or waits while the config changes", () => {
  let project: LiveProject;
  let supervisor: Supervisor;
  let changes: ConfigChange[];
  /** Called with each event, before it takes effect. */
  let onEvent: (event: Event) => void;

  async function begin(config: WrittenConfig, options: SessionOptions = {}): Promise<Session> {
    project.apply(config);
    const journal = { write: (event: Event) => onEvent(event), [Symbol.dispose]: () => undefined };
    supervisor = await project.supervisor({ journal });
    supervisor.onConfigChange((change) => changes.push(change));
    return supervisor.session(options);
  }

  beforeEach(() => {
    project = new LiveProject();
    for (const name of ["a", "b"]) project.folder(name);
    changes = [];
    onEvent = () => undefined;
  });
  afterEach(async () => {
    await supervisor.close();
    project[Symbol.dispose]();
  });

  const cwd = (): string => join(project.place.ws, "a");
  const touch = (session: Session, name = "made"): Promise<Outcome> =>
    session.call("shell", { argv: ["touch", name], cwd: cwd() });
  const isMade = (name = "made"): boolean => existsSync(join(cwd(), name));

  describe("config.live: a question that waits", () => {
    it.each([
      ["a trusted deny", () => project.apply({ ...A, shell: DENY }), "APPROVAL_BLOCKED"],
      ["a deny that nobody trusts", () => project.write({ ...A, shell: DENY }), "APPROVAL_BLOCKED"],
      [
        "an operator's deny",
        () =>
          project.operate("deny.yaml", {
            profile: "deny",
            approval: { rules: [{ shell: "touch", action: "deny" }] },
          }),
        "APPROVAL_BLOCKED",
      ],
      ["revoked trust", () => project.revoke(), "CONFIG_UNTRUSTED"],
      ["a broken config", () => project.write("version: ["), "CONFIG_INVALID"],
    ])("is decided again after a yes: %s", async (_, change, code) => {
      const session = await begin(
        { ...A, shell: ASK },
        {
          handler: async () => {
            change();
            return approved("ann");
          },
        },
      );
      expect(await touch(session)).toMatchObject({ kind: "denied", code });
      expect(isMade()).toBe(false);
    });

    it("ends without an answer when trust is revoked, and says so", async () => {
      const session = await begin(
        { ...A, shell: ASK },
        {
          handler: () => {
            project.revoke();
            return new Promise(() => undefined);
          },
        },
      );
      expect(await touch(session)).toMatchObject({
        kind: "denied",
        code: "CONFIG_UNTRUSTED",
        reason: `no call runs now: the trust in \`${project.config}\` was revoked`,
      });
      expect(isMade()).toBe(false);
    });

    it("runs after a yes if nothing changed, or if nothing about it did", async () => {
      let change = (): void => undefined;
      const session = await begin(
        { ...A, shell: ASK },
        {
          handler: async () => {
            change();
            return approved("ann");
          },
        },
      );
      expect(await touch(session)).toMatchObject({ kind: "done" });
      change = () =>
        project.apply({ ...A, shell: { ...ASK, rules: [{ pattern: "never-run", allowed: false }] } });
      expect(await touch(session, "again")).toMatchObject({ kind: "done" });
      expect([isMade(), isMade("again")]).toEqual([true, true]);
    });
  });

  describe("config.live: a call between its decision and its start", () => {
    it.each(["call.judged", "call.planned"] as const)("does not run after a change at `%s`", async (type) => {
      const session = await begin(A);
      expect(await touch(session, "before")).toMatchObject({ kind: "done" });
      onEvent = (event) => {
        if (event.type !== type) return;
        onEvent = () => undefined;
        project.write({ ...A, shell: DENY });
      };
      const outcome = await touch(session).catch((error: unknown) => error);
      expect(outcome).toMatchObject(
        type === "call.judged" ? { kind: "denied", code: "APPROVAL_BLOCKED" } : { code: "FACTS_UNSTABLE" },
      );
      expect([isMade("before"), isMade()]).toEqual([true, false]);
    });

    it.each(["call.judged", "call.planned"] as const)(
      "runs after a change at `%s` that undoes itself",
      async (type) => {
        const session = await begin(A);
        onEvent = (event) => {
          if (event.type !== type) return;
          onEvent = () => undefined;
          project.write({ ...A, shell: DENY });
          project.write(A);
        };
        const outcome = await touch(session).catch((error: unknown) => error);
        // At the last moment, nothing is read any more.
        expect(outcome).toMatchObject(type === "call.judged" ? { kind: "done" } : { code: "FACTS_UNSTABLE" });
      },
    );

    it("file tools do no work after a change", async () => {
      const session = await begin(A);
      const write = (path: string) => session.call("write_file", { path, content: "x" });
      expect(await write("a:before")).toMatchObject({ kind: "done" });
      onEvent = (event) => {
        if (event.type !== "call.judged") return;
        onEvent = () => undefined;
        project.write(configWith({ b: {} }));
      };
      expect((await write("a:made")).kind).toBe("denied");
      expect([isMade("before"), isMade()]).toEqual([true, false]);
    });
  });

  it("config.live: revoking trust stops a running command, a broken config does not", async () => {
    const session = await begin(A);
    const proven = new Promise<void>((resolve) => {
      onEvent = ({ type }) => void (type === "walls.proven" && resolve());
    });
    const running = session.call("shell", { argv: ["sleep", "600"], cwd: cwd() });
    await proven;
    project.write("version: [");
    await expect.poll(() => changes.map(({ effect }) => effect)).toEqual(["stopped"]);
    expect(await Promise.race([running, Promise.resolve("it runs")])).toBe("it runs");
    project.write(A);
    await expect.poll(() => changes.length).toBe(2);
    project.revoke();
    const because = `no call runs now: the trust in \`${project.config}\` was revoked`;
    expect(await running).toMatchObject({ kind: "failed", denials: [{ certainty: "certain", because }] });
    expect(changes.map(({ effect }) => effect)).toEqual(["stopped", "applied", "stopped"]);
  });

  describe("config.live: a program that stays", () => {
    const spec = {
      name: "stays",
      command: ["sleep", "600"],
      needs: { roots: { a: "write", b: "write" } },
      asksToStart: false,
      description: "stay",
    } as const;

    async function started(config: WrittenConfig) {
      const session = await begin(config);
      const quiet = () => undefined;
      const program = await session.startProgram(spec, { sinks: { stdout: quiet, stderr: quiet } });
      if (program.kind !== "resident") throw new Error(JSON.stringify(program));
      return program;
    }

    it.each([
      [
        "a root became read-only",
        () => project.write(configWith({ a: {}, b: { mode: "ro" } })),
        /more access/,
      ],
      [
        "an operator denies its start",
        () =>
          project.operate("deny.yaml", {
            profile: "deny",
            approval: { rules: [{ pattern: "stays", action: "deny" }] },
          }),
        /start is denied/,
      ],
    ])("ends when %s", async (_, change, because) => {
      const program = await started(AB);
      change();
      await program.ended;
      expect(program.endedBy()).toMatch(because);
    });

    it("runs on after a change that leaves it what it has, and ends when trust is revoked", async () => {
      const program = await started(AB);
      project.folder("c");
      project.apply(configWith({ a: {}, b: {}, c: {} }));
      await expect.poll(() => changes.length).toBe(1);
      expect(program.changes()).toEqual([]);
      project.revoke();
      await program.ended;
      expect(changes.map(({ effect }) => effect)).toEqual(["applied", "stopped"]);
    });
  });

  it("config.live: every change is in the record before it takes effect, and names what only a restart applies", async () => {
    const session = await begin(A);
    const seen: Event[] = [];
    onEvent = (event) => void (event.type === "config.changed" && seen.push(event));
    project.apply({ ...A, approval: { channels: { http: {} } } });
    await touch(session);
    expect(seen).toMatchObject([
      {
        sessionId: "none",
        effect: "applied",
        config: project.config,
        isWider: false,
        restart: ["approval.channels"],
      },
    ]);
    expect(changes[0]?.message).toContain("restart to apply approval.channels");
    // What can't be recorded does not apply: no call runs by it, or by what was before.
    onEvent = (event) => {
      if (event.type === "config.changed") throw new Error("the journal is full");
    };
    project.apply({ ...A, shell: DENY });
    await expect(touch(session, "later")).rejects.toThrow("the journal is full");
    expect(isMade("later")).toBe(false);
  });

  it("config.live: `trust` knows the processes that run by a config, and whether they have seen its present state", async () => {
    const session = await begin(A);
    const users = () =>
      configUsers(project.host, project.config).map(({ pid, effect, isCurrent }) => ({
        pid,
        effect,
        isCurrent,
      }));
    const { pid } = process;
    expect(users()).toEqual([{ pid, effect: "applied", isCurrent: true }]);
    project.apply({ ...A, shell: DENY });
    expect(users()).toEqual([{ pid, effect: "applied", isCurrent: false }]);
    await touch(session);
    expect(users()).toEqual([{ pid, effect: "applied", isCurrent: true }]);
    project.write(A);
    await touch(session);
    expect(users()).toMatchObject([{ effect: "restricted" }]);
    expect(listTrust(project.host).configs[0]?.processes).toHaveLength(1);
    await supervisor.close();
    expect(users()).toEqual([]);
  });

  describe("config.live: a config that was named", () => {
    async function named(): Promise<Session> {
      const file = project.place.file("ws/named.yaml", JSON.stringify(A));
      supervisor = await project.supervisor({ config: file });
      supervisor.onConfigChange((change) => changes.push(change));
      return supervisor.session();
    }
    const inB = (): string => join(project.place.ws, "b/made");
    const rewrite = (config: WrittenConfig): string =>
      project.place.file("ws/named.yaml", JSON.stringify(config));

    it("can only restrict after a change, and applies again as it was", async () => {
      const session = await named();
      rewrite({ ...AB, shell: DENY });
      expect(await touch(session)).toMatchObject({ kind: "denied" });
      rewrite(AB);
      expect(await touch(session)).toMatchObject({ kind: "done" });
      expect((await session.call("write_file", { path: inB(), content: "" })).kind).toBe("denied");
      rewrite(A);
      expect(await touch(session, "again")).toMatchObject({ kind: "done" });
      expect(changes.map(({ effect }) => effect)).toEqual(["restricted", "restricted", "applied"]);
    });

    it("is followed by a path that goes up, and so are profiles", async () => {
      const profile = (files: readonly object[]): void => {
        project.place.file("ws/more.yaml", JSON.stringify({ profile: "more", files }));
      };
      profile([{ path: "/", access: "write" }]);
      const file = project.place.file("ws/named.yaml", JSON.stringify(A));
      supervisor = await project.supervisor({
        config: `../ws/${basename(file)}`,
        profiles: ["../ws/more.yaml"],
      });
      const session = supervisor.session();
      expect(await touch(session)).toMatchObject({ kind: "done" });
      rewrite({ ...A, shell: DENY });
      expect(await touch(session)).toMatchObject({ kind: "denied" });
      rewrite(A);
      expect(await touch(session, "again")).toMatchObject({ kind: "done" });
      profile([{ path: "/", access: "read" }]);
      expect((await session.call("write_file", { path: "a:made", content: "" })).kind).toBe("denied");
    });

    it("applies once it is trusted, and no longer once that is revoked", async () => {
      project.apply(A);
      supervisor = await project.supervisor({ config: project.config });
      const session = supervisor.session();
      const write = async () => (await session.call("write_file", { path: inB(), content: "" })).kind;
      project.write(AB);
      expect(await write()).toBe("denied");
      project.trust();
      expect(await write()).toBe("done");
      project.revoke();
      expect(await touch(session)).toMatchObject({ kind: "denied", code: "CONFIG_UNTRUSTED" });
    });
  });

  it("config.live: a trusted state that was never seen stops calls until the present one is trusted", async () => {
    const session = await begin(AB);
    // Faster than any look: nobody here knows what was trusted in between.
    project.apply(configWith({ b: {} }));
    project.write(AB);
    expect(await touch(session)).toMatchObject({
      kind: "denied",
      reason: expect.stringContaining("never saw the trusted state"),
    });
    project.trust();
    expect(await touch(session)).toMatchObject({ kind: "done" });
  });

  it("config.live: a config that appears beside a session of the built-in one can only restrict", async () => {
    supervisor = await project.supervisor();
    const session = supervisor.session({ caller: "person" });
    expect(await touch(session)).toMatchObject({ kind: "done" });
    project.write({ ...A, shell: DENY });
    expect(await touch(session, "later")).toMatchObject({ kind: "denied" });
    project.trust();
    expect(await touch(session, "later")).toMatchObject({ kind: "denied" });
    project.apply(A);
    expect(await touch(session, "later")).toMatchObject({ kind: "done" });
    expect(knownPath(project.config)).toBe(
      supervisor.shared.loaded.config.origin.kind === "trusted"
        ? supervisor.shared.loaded.config.origin.file
        : null,
    );
  });
});
