import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConfigChange } from "../../src/call/config-watch.ts";
import type { Outcome, Session, Supervisor } from "../../src/index.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { configWith, LiveProject, type WrittenConfig } from "../support/live/project.ts";

vi.setConfig({ testTimeout: 600_000 });
sandboxMustWork("a config that changes while sessions run");

const A = configWith({ a: {} });
const ECHO = { argv: ["echo", "hello"] } as const;

describe.skipIf(unusable !== null)("config.live: a config that changes while sessions run", () => {
  let project: LiveProject;
  let supervisor: Supervisor;
  let session: Session;
  const changes: ConfigChange[] = [];

  async function begin(config: WrittenConfig = A): Promise<void> {
    project.apply(config);
    supervisor = await project.supervisor();
    changes.length = 0;
    supervisor.onConfigChange((change) => changes.push(change));
    session = supervisor.session();
  }

  beforeEach(() => {
    project = new LiveProject();
    for (const name of ["a", "b"]) project.folder(name);
  });
  afterEach(async () => {
    await supervisor.close();
    project[Symbol.dispose]();
  });

  const shell = (argv: readonly [string, ...string[]]): Promise<Outcome> =>
    session.call("shell", { argv: [...argv], cwd: `${project.place.ws}/a` });
  const kindOf = async (outcome: Promise<Outcome>): Promise<string> => (await outcome).kind;
  const write = (path: string): Promise<string> => kindOf(session.call("write_file", { path, content: "x" }));

  it("runs on as before if nothing changes, or if a file is only touched", async () => {
    await begin();
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
    project.write(A);
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
    expect(changes).toEqual([]);
  });

  it("a new deny of a trusted config holds for the next call, and a removed one no longer", async () => {
    await begin();
    const rules = [{ pattern: "echo", allowed: false }];
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
    project.apply({ ...A, shell: { ...SHELL, rules } });
    expect(await shell(ECHO.argv)).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(await kindOf(shell(["true"]))).toBe("done");
    project.apply(A);
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
    expect(changes.map(({ effect }) => effect)).toEqual(["applied", "applied"]);
  });

  it("a new deny of a config that nobody trusts holds for the next call as well", async () => {
    await begin();
    project.write({ ...A, shell: { ...SHELL, rules: [{ pattern: "echo", allowed: false }] } });
    expect(await shell(ECHO.argv)).toMatchObject({ kind: "denied", code: "APPROVAL_BLOCKED" });
    expect(await kindOf(shell(["true"]))).toBe("done");
    expect(changes).toMatchObject([{ effect: "restricted", isWider: false }]);
  });

  it("a removed deny counts only once it is trusted", async () => {
    const rules = [{ pattern: "echo", allowed: false }];
    await begin({ ...A, shell: { ...SHELL, rules } });
    project.write(A);
    expect(await kindOf(shell(ECHO.argv))).toBe("denied");
    project.trust();
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
  });

  it("a root is narrowed at once, and widened once trusted: commands and file tools", async () => {
    const both = configWith({ a: {}, b: {} });
    await begin(both);
    expect([await write("b:one"), await kindOf(shell(["touch", "../b/two"]))]).toEqual(["done", "done"]);
    project.write(A);
    expect([await write("b:three"), await kindOf(shell(["touch", "../b/three"]))]).toEqual([
      "denied",
      "failed",
    ]);
    expect(await write("a:one")).toBe("done");
    project.trust();
    expect(await write("a:two")).toBe("done");
    project.write(both);
    expect([
      await kindOf(shell(["touch", "../b/four"])),
      existsSync(join(project.place.ws, "b/four")),
    ]).toEqual(["failed", false]);
    project.trust();
    expect([await write("b:five"), await kindOf(shell(["touch", "../b/six"]))]).toEqual(["done", "done"]);
    expect(existsSync(join(project.place.ws, "b/three"))).toBe(false);
  });

  it("a root that is made to ask for writes asks at once, whoever trusts it", async () => {
    await begin();
    project.write(configWith({ a: { write_approval: true } }));
    expect(await write("a:one")).toBe("denied");
    expect(await kindOf(shell(["touch", "one"]))).toBe("failed");
    project.trust();
    expect(await write("a:one")).toBe("denied");
    project.write(A);
    expect(await write("a:one")).toBe("denied");
    project.trust();
    expect(await write("a:one")).toBe("done");
  });

  it("an operator profile applies as soon as it is there, and no longer once it is gone", async () => {
    await begin();
    const mask = { profile: "keys", masks: [{ pattern: `${project.place.ws}/a/**/*.key`, at_most: "none" }] };
    writeFileSync(join(project.place.ws, "a/one.key"), "secret\n");
    const read = () => kindOf(shell(["cat", "one.key"]));
    expect(await read()).toBe("done");
    project.operate("keys.yaml", mask);
    expect(await read()).toBe("failed");
    expect(changes).toMatchObject([{ effect: "applied", isWider: false }]);
    project.unoperate("keys.yaml");
    expect(await read()).toBe("done");
    expect(changes).toMatchObject([{}, { effect: "applied", isWider: true }]);
  });

  it("an operator profile that is tightened holds for the next call", async () => {
    await begin();
    const deny = (shellRule: string) => ({
      profile: "rules",
      approval: { rules: [{ shell: shellRule, action: "deny" }] },
    });
    project.operate("rules.yaml", deny("never-run"));
    expect(await kindOf(shell(ECHO.argv))).toBe("done");
    project.operate("rules.yaml", deny("echo"));
    expect(await kindOf(shell(ECHO.argv))).toBe("denied");
    expect(await kindOf(shell(["true"]))).toBe("done");
  });

  describe("no call runs", () => {
    const stops: readonly (readonly [string, () => void, () => void])[] = [
      ["after trust was revoked", () => project.revoke(), () => project.trust()],
      ["while the config is broken", () => project.write("version: ["), () => project.write(A)],
      ["while it is gone", () => rmSync(project.config), () => project.write(A)],
      [
        "while a link is in its place",
        () => {
          renameSync(project.config, `${project.config}.old`);
          symlinkSync(`${project.config}.old`, project.config);
        },
        () => project.write(A),
      ],
      [
        "while a pipe is in its place",
        () => {
          rmSync(project.config);
          fifo(project.config);
        },
        () => project.write(A),
      ],
      [
        "while an operator profile is broken",
        () => project.operate("broken.yaml", "version: ["),
        () => project.unoperate("broken.yaml"),
      ],
      [
        "while others may write an operator profile",
        () => {
          project.operate("open.yaml", { profile: "open" });
          chmodSync(join(project.operators, "open.yaml"), 0o666);
        },
        () => chmodSync(join(project.operators, "open.yaml"), 0o644),
      ],
      [
        "while the operators' folder may be written by others",
        () => chmodSync(project.operators, 0o777),
        () => chmodSync(project.operators, 0o755),
      ],
    ];
    it.each(stops)("%s, and calls run again afterwards", async (_, stop, restore) => {
      await begin();
      const tools = (): Promise<readonly string[]> =>
        Promise.all([
          kindOf(shell(ECHO.argv)),
          write("a:one"),
          kindOf(session.call("read_file", { path: "a:two" })),
        ]);
      writeFileSync(join(project.place.ws, "a/two"), "two\n");
      expect(await tools()).toEqual(["done", "done", "done"]);
      stop();
      expect(await shell(ECHO.argv)).toMatchObject({
        kind: "denied",
        reason: expect.stringContaining("no call runs now: "),
      });
      expect(await tools()).toEqual(["denied", "denied", "denied"]);
      expect(changes.map(({ effect }) => effect)).toEqual(["stopped"]);
      restore();
      expect(await tools()).toEqual(["done", "done", "done"]);
    });
  });
});

const SHELL = { default: { allowed: true, approval: false } };

function fifo(path: string): void {
  spawnSync("mkfifo", [path]);
}
