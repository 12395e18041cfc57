import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSupervisor, defineTool } from "../../src/index.ts";
import type { ApprovalRequest } from "../../src/policy/request.ts";
import { knownPath } from "../../src/profile/path.ts";
import { askHere } from "../support/approval/ask-here.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { type Given, hostIn, type Place, place, terminalProblem } from "../unit/cli/command-line.ts";

sandboxMustWork("several approvals from the command line");

vi.setConfig({ testTimeout: 300_000 });

const PATIENT = { timeout: 120_000, interval: 200 } as const;

const configOf = (approval = ""): string => `version: 1
sandbox:
  runtimes: [system]
  env: { pass: [LANG, LC_*, TERM, TZ] }
  paths: { workspace: { root: ., mode: rw, write_approval: false } }
shell: { default: { allowed: true, approval: true } }
approval:
  wait: suspend${approval}
`;
const HTTP = '\n  channels: { http: { listen: "127.0.0.1:0" } }';
const ASKER = { TERM: "xterm-256color", TZ: "Asia/Tokyo", LC_TIME: "C.UTF-8" };
const OTHER = { TERM: "dumb", TZ: "UTC", LANG: "C" };

const shell = (...argv: readonly string[]) => ["shell", JSON.stringify({ argv })] as const;

/** Asks, and leaves it open; the id of the request. */
async function suspended(at: Place, words: readonly string[], given: Given = {}): Promise<string> {
  const { exit, stderr } = await at.cofferdam(["call", "--quiet", "--suspend", ...words], given);
  expect([exit, stderr]).toEqual([75, expect.any(String)]);
  const [id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stderr) ?? [];
  return id;
}

async function json(at: Place, ...words: readonly string[]): Promise<unknown> {
  return JSON.parse((await at.here([...words, "--json"])).stdout);
}

const made = (at: Place, name: string): boolean => existsSync(join(at.project, name));
const short = (id: string): string => id.slice(0, 8);

/** A supervisor of this process over the same store, for calls of one turn and tools of the host's own. */
async function supervisorAt(at: Place) {
  const supervisor = await createSupervisor({
    config: join(at.project, "cofferdam.yaml"),
    cwd: knownPath(at.project),
    host: hostIn(at),
  });
  onTestFinished(() => supervisor.close());
  return supervisor;
}

describe.skipIf(unusable !== null)("a call that was approved under one environment", () => {
  test("is resumed under another, with the variables that were planned", async () => {
    const at = await place(configOf());
    const id = await suspended(at, shell("env"), { env: ASKER });
    expect((await at.cofferdam(["approvals", "approve", short(id)])).exit).toBe(0);
    const ran = await at.cofferdam(["resume", "--quiet", short(id)], { env: OTHER });
    expect([ran.exit, ran.stderr]).toEqual([0, ""]);
    for (const [name, value] of Object.entries({ ...ASKER, LANG: "C.UTF-8" }))
      expect(ran.stdout.split("\n")).toContain(`${name}=${value}`);
  });

  test("is asked about again if a program has changed: that is named, also by the list", async () => {
    const at = await place(configOf());
    const tool = (says: string) =>
      writeFileSync(join(at.project, "tool"), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    tool("shown");
    const id = await suspended(at, shell("./tool"), { env: ASKER });
    await at.here(["approvals", "approve", short(id)]);
    tool("other");
    const again = await at.cofferdam(["resume", "--quiet", short(id)], { env: OTHER });
    const changed = `it has changed since request ${short(id)} (the program \`./tool\`)`;
    expect([again.exit, again.stderr]).toEqual([75, expect.stringContaining(changed)]);
    const list = await at.cofferdam(["approvals", "list"]);
    expect(list.stdout).toContain("asked again: the program `./tool` changed");
    const [request]: ApprovalRequest[] = JSON.parse((await at.here(["approvals", "list", "--json"])).stdout);
    if (request === undefined) throw new Error("no request is listed");
    expect(request.earlier).toEqual({ approvalId: id, changed: [{ part: "program", name: "./tool" }] });
    const shown = await at.here(["approvals", "show", short(request.approvalId)]);
    expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(`instead of request ${id}: the program`);
    // The twin: as it was shown, it runs.
    tool("shown");
    const ran = await at.cofferdam(["resume", "--quiet", short(id)], { env: OTHER });
    expect([ran.exit, ran.stdout]).toEqual([0, "shown\n"]);
  });

  test("is run by the `resume` that is advised, also after the process that waited was killed", async () => {
    const at = await place(configOf(HTTP).replace("wait: suspend", "wait: block"));
    const { broker } = await supervisorAt(at);
    const waiting = at.start(["call", "--quiet", ...shell("touch", "made")], { env: ASKER });
    const id = await vi.waitFor(async () => {
      const [request] = await broker.pending();
      if (request === undefined) throw new Error("nothing waits");
      return request.approvalId;
    }, PATIENT);
    waiting.kill("SIGKILL");
    await once(waiting, "exit");
    await vi.waitFor(
      async () => {
        expect((await at.here(["approvals", "list"])).stdout).toContain("its process is gone");
        // That is known when it has said nothing for half a minute.
      },
      { ...PATIENT, interval: 5_000 },
    );
    const approved = await at.here(["approvals", "approve", short(id)]);
    expect(approved.stderr).toContain(`run the call with \`cofferdam resume ${short(id)}\``);
    expect((await at.cofferdam(["resume", "--quiet", short(id)], { env: OTHER })).exit).toBe(0);
    expect(made(at, "made")).toBe(true);
  });

  test("is not advised to be resumed where `resume` has no such tool", async () => {
    const at = await place(configOf());
    const supervisor = await supervisorAt(at);
    const deploy = defineTool({ name: "deploy", run: () => "done" });
    const outcome = await supervisor.session({ tools: [deploy] }).call("deploy", {});
    if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
    const approved = await at.here(["approvals", "approve", short(outcome.approvalId)]);
    expect(approved.stderr).toContain("only the program that asked can make the call");
    expect(approved.stderr).not.toContain("cofferdam resume");
  });
});

describe.skipIf(unusable !== null)("`cofferdam approvals`", () => {
  test("lists each request with project, folder, session and agent, and a suspended one as such", async () => {
    const at = await place(configOf());
    mkdirSync(join(at.project, "packages"));
    const id = await askHere(at, ["shell", JSON.stringify({ argv: ["true"], cwd: "packages" })]);
    const supervisor = await supervisorAt(at);
    await supervisor.session({ agent: "writer" }).call("shell", { argv: ["true"] });
    const [first, second] = (await at.here(["approvals", "list"])).stdout.split("\n");
    expect(first).toMatch(
      new RegExp(
        `^${short(id)}  \`${at.project}\` .* suspended +in packages +session [0-9a-f]{8} .*run true$`,
      ),
    );
    expect(second).toMatch(/ suspended .* session [0-9a-f]{8} .*shell \(writer\) {2}run true$/);
    expect(`${first}${second}`).not.toContain("gone");
  });

  test("answers several at once, and tells the result of each; none if one id is unknown", async () => {
    const at = await place(configOf());
    const ids = [await askHere(at, shell("touch", "a")), await askHere(at, shell("touch", "b"))] as const;
    const wrong = await at.here(["approvals", "approve", short(ids[0]), "nowhere"]);
    expect([wrong.exit, wrong.stdout]).toEqual([64, ""]);
    expect(await json(at, "approvals", "list")).toHaveLength(2);
    const approved = await at.here(["approvals", "approve", ...ids.map(short)]);
    expect([approved.exit, approved.stdout]).toEqual([
      0,
      ids
        .map((id, at) => `${short(id)}  approved: \`shell\` \`run touch ${at === 0 ? "a" : "b"}\`\n`)
        .join(""),
    ]);
    for (const id of ids) expect((await at.cofferdam(["resume", "--quiet", short(id)])).exit).toBe(0);
    expect([made(at, "a"), made(at, "b")]).toEqual([true, true]);
    const third = await askHere(at, shell("touch", "c"));
    const late = await at.here(["approvals", "reject", short(ids[0]), short(third)]);
    expect(late).toMatchObject({
      exit: 77,
      stdout: `${short(third)}  rejected: \`shell\` \`run touch c\`\n`,
    });
    expect(late.stderr).toContain("this answer came too late");
  });

  test("answers all of the project after it was confirmed, and those of other projects only if asked to", async () => {
    const at = await place(configOf());
    const other = join(dirname(at.project), "other");
    mkdirSync(other);
    writeFileSync(join(other, "cofferdam.yaml"), configOf());
    expect((await at.here(["trust", "--yes"], { cwd: other })).exit).toBe(0);
    await askHere(at, shell("touch", "there"), { cwd: other });
    for (const name of ["a", "b"]) await askHere(at, shell("touch", name));
    // Without a terminal, nothing is answered that nobody confirmed.
    const unasked = await at.cofferdam(["approvals", "approve", "--all"]);
    expect([unasked.exit, unasked.stderr]).toEqual([
      64,
      expect.stringContaining("no terminal to confirm on"),
    ]);
    expect((await at.here(["approvals", "approve", "--all", "--json"])).exit).toBe(64);
    expect(await json(at, "approvals", "list")).toHaveLength(3);
    const own = await at.here(["approvals", "reject", "--all", "--yes"]);
    expect(own.stdout.match(/rejected/g)).toHaveLength(2);
    expect(own.stderr).toContain("1 request of another project is left out");
    expect(await json(at, "approvals", "list")).toMatchObject([{ project: other }]);
    const older = await at.here(["approvals", "reject", "--all-projects", "--older-than", "1h", "--yes"]);
    expect([older.exit, older.stderr]).toEqual([0, "no unanswered requests\n"]);
    const all = await json(at, "approvals", "reject", "--all-projects", "--yes");
    expect(all).toMatchObject([{ resolution: "accepted", status: "rejected", project: other }]);
    expect(await json(at, "approvals", "list")).toEqual([]);
  });

  test.skipIf(terminalProblem() !== null)("shows at a terminal what it is about to approve", async () => {
    const at = await place(configOf());
    const id = await askHere(at, shell("touch", "a"));
    const no = await at.inTerminal(["approvals", "approve", "--all"], [["[y/N]", "n\r"]]);
    for (const text of [id, at.project, "run touch a", "approve this request? [y/N]"])
      expect(no.stdout).toContain(text);
    expect(await json(at, "approvals", "list")).toHaveLength(1);
    const yes = await at.inTerminal(["approvals", "approve", "--all"], [["[y/N]", "y\r"]]);
    expect([yes.exit, yes.stdout]).toEqual([0, expect.stringContaining(`${short(id)}  approved:`)]);
  });

  test("answers the requests of one turn by their group", async () => {
    const at = await place(configOf());
    const supervisor = await supervisorAt(at);
    const session = supervisor.session();
    const calls = ["a", "b"].map((name) => ({ tool: "shell", args: { argv: ["touch", name] } }));
    await session.callAll(calls, { groupId: "turn 1" });
    await session.call("shell", { argv: ["touch", "c"] });
    expect((await at.here(["approvals", "reject", "--group", "turn 2", "--yes"])).exit).toBe(64);
    const group = await at.here(["approvals", "reject", "--group", "turn 1", "--yes"]);
    expect([group.exit, group.stdout.match(/rejected/g)?.length]).toEqual([0, 2]);
    expect(await json(at, "approvals", "list")).toMatchObject([{ description: "run touch c" }]);
  });

  test("refuses selections that contradict each other, and options of answers elsewhere", async () => {
    const at = await place(configOf());
    for (const words of [
      ["approve", "x", "--all"],
      ["reject", "--all", "--group", "x"],
      ["reject", "x", "--older-than", "1d"],
      ["reject", "--all", "--yes", "--older-than", "soon"],
      ["list", "--all"],
      ["show", "x", "y"],
    ])
      expect([words, (await at.here(["approvals", ...words])).exit]).toEqual([words, 64]);
  });
});
