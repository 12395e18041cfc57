import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAY_BE_LEFT, NOT_BY_NUMBER } from "../../src/backend/seatbelt/start-program.ts";
import type { Host } from "../../src/host/look/host.ts";
import { knownPath } from "../../src/profile/path.ts";
import type { Supervisor } from "../../src/session/supervisor.ts";
import { notRoot } from "../support/battery/needs.ts";
import { CALLER, ORDINARY } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { processesWith } from "../support/battery/processes.ts";
import { noStandIn, StandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("a supervisor on macOS");

/** What is demanded by default does not hold for root, whose tools may do more than rules say. */
const AS_ROOT = { require_os_sandbox: false };
const SANDBOX = process.getuid?.() === 0 ? AS_ROOT : {};

describe.skipIf(noStandIn !== null)("a supervisor on macOS", () => {
  let place: Place;
  let standIn: StandIn;
  let calls = "";
  beforeEach(() => {
    place = new Place(CALLER);
    standIn = new StandIn();
    calls = join(place.state, "cofferdam/calls");
  });
  afterEach(() => {
    place[Symbol.dispose]();
    standIn[Symbol.dispose]();
  });

  const host = (overrides: Partial<Host> = {}): Partial<Host> => ({
    platform: "darwin",
    helperFolders: [standIn.folder, knownPath("/usr/bin"), knownPath("/bin")],
    ...overrides,
  });
  const made = (sandbox: object = SANDBOX, overrides: Partial<Host> = {}): Promise<Supervisor> =>
    place.supervisor({ sandbox: { ...sandbox } }, host(overrides));

  it("runs a call in a sandbox: what is granted works, what is not does not", async () => {
    await using supervisor = await made();
    place.file("outside/secret", "secret");
    const script = `cat ${place.outside}/secret; echo x >${place.outside}/made; echo x >made && cat made; exit 7`;
    const outcome = await supervisor.session({ caller: "person" }).call("shell", { script });
    expect(outcome).toMatchObject({ kind: "failed", code: 7 });
    if (!("stdout" in outcome)) throw new Error("it did not run");
    expect(outcome.stdout.bytes.toString()).toBe("x\n");
    expect(outcome.receipt).toMatchObject({ backend: "seatbelt", version: "unknown", mountChanges: [] });
    expect(readdirSync(place.outside)).toEqual(["secret"]);
    expect(readdirSync(place.ws)).toEqual(["made"]);
    expect(readdirSync(calls)).toEqual([]);
  });

  it("tries every attack in a real sandbox, with a control that succeeds outside, and remembers that", async () => {
    await using supervisor = await made();
    const { sandbox } = supervisor.shared;
    if (sandbox.kind !== "available") throw sandbox.error;
    const { findings } = sandbox.machine.selfCheckResult;
    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
    expect(findings.filter(({ control }) => !control)).toEqual([]);
    expect([...new Set(findings.map(({ protection }) => protection))].sort()).toEqual([
      "files",
      "network",
      "processes",
      "sockets",
    ]);
    await using again = await made();
    const other = again.shared.sandbox;
    expect(other.kind === "available" && other.machine.selfCheckResult.at).toBe(
      sandbox.machine.selfCheckResult.at,
    );
    expect(readdirSync(join(place.state, "cofferdam")).filter((name) => name.startsWith("attest."))).toEqual(
      [],
    );
  });

  it("a sandbox that lets a connection through is found by the battery, and no call runs in it", async () => {
    standIn.mode = "network";
    await using supervisor = await made();
    const { sandbox } = supervisor.shared;
    if (sandbox.kind !== "available") throw sandbox.error;
    const open = sandbox.machine.selfCheckResult.findings.filter(({ holds }) => !holds);
    expect(open.map(({ name }) => name)).toEqual(["reach a unix socket of the host"]);
    rmSync(join(place.state, "cofferdam/attestation.json"));
    await expect(made({ os_sandbox_fallback: "fail_fast" })).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "the sandbox fails on this machine: a process in it could reach a unix socket of the host",
    });
  });

  it.each([
    [
      "inside of another sandbox",
      "exit 71 sandbox-exec: sandbox_apply: Operation not permitted",
      /already runs in one/,
    ],
    ["with a sandbox that does not hold", "none", /a hidden file can be read/],
  ] as const)("does not start %s", async (_, mode, message) => {
    standIn.mode = mode;
    await expect(made({ os_sandbox_fallback: "fail_fast" })).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  it("helper: without a sandbox program of root's own there is no sandbox, and the error says so", async () => {
    const helperFolders = [knownPath("/usr/bin"), knownPath("/bin")];
    await expect(made({ os_sandbox_fallback: "fail_fast" }, { helperFolders })).rejects.toMatchObject({
      message: "sandbox-exec is not installed; searched: /usr/bin, /bin",
      hint: "it is part of macOS: use a macOS that has it",
    });
  });

  it("file tools work by a worker behind the same rules, which ends with the supervisor", async () => {
    const word = randomBytes(8).toString("hex");
    writeFileSync(join(place.ws, `${word}.txt`), "text\n");
    {
      await using supervisor = await made();
      const session = supervisor.session({ caller: "person" });
      const outcome = await session.call("read_file", { path: `${word}.txt` });
      expect(JSON.stringify(outcome)).toContain("text");
      const written = await session.call("write_file", { path: "new.txt", content: "new" });
      expect(written.kind).toBe("done");
      expect(readFileSync(join(place.ws, "new.txt"), "utf8")).toBe("new");
      expect(readdirSync(calls).length).toBeGreaterThan(0);
    }
    expect(readdirSync(calls)).toEqual([]);
    expect(processesWith(place.top)).toEqual([]);
  });

  it("fs.residue: what a killed supervisor left is swept by the next", async () => {
    const left = join(calls, "999999.1-0123456789abcdef");
    mkdirSync(join(left, "home/deep"), { recursive: true, mode: 0o700 });
    await using _supervisor = await made();
    expect(readdirSync(calls)).toEqual([]);
  });
});

describe.skipIf(noStandIn !== null || notRoot !== null)("root on the tree of another user, on macOS", () => {
  it("has everything that is demanded: tools run as that user, in folders of calls that they can reach, whatever its umask", async () => {
    using place = new Place(CALLER);
    chownSync(place.ws, ORDINARY.uid, ORDINARY.gid);
    using standIn = new StandIn();
    const helperFolders = [standIn.folder, knownPath("/usr/bin"), knownPath("/bin")];
    const calls = `${realpathSync("/var/run")}/cofferdam/${ORDINARY.uid}`;
    const umask = process.umask(0o077);
    try {
      await using supervisor = await place.supervisor({}, { platform: "darwin", helperFolders });
      const { sandbox } = supervisor.shared;
      if (sandbox.kind !== "available") throw sandbox.error;
      // What was attacked is that user's: outside, as that user, every attack succeeds.
      const { findings } = sandbox.machine.selfCheckResult;
      expect(findings.filter(({ holds, control }) => !holds || !control)).toEqual([]);
      const script =
        "id -u; echo x >made; echo y >$TMPDIR/made && cat $TMPDIR/made; setsid sleep 600 & exit 3";
      const outcome = await supervisor.session({ caller: "person" }).call("shell", { script });
      if (!("stdout" in outcome)) throw new Error(JSON.stringify(outcome));
      expect(outcome).toMatchObject({ kind: "failed", code: 3, receipt: { runAs: ORDINARY.uid } });
      expect(outcome.stdout.bytes.toString()).toBe(`${ORDINARY.uid}\ny\n`);
      expect(statSync(join(place.ws, "made")).uid).toBe(ORDINARY.uid);
      const { enforcement } = outcome.receipt;
      expect(enforcement.files.kind).toBe("tighter");
      expect({ ...enforcement, files: { kind: "tighter" } }).toEqual({
        files: { kind: "tighter" },
        network: { kind: "enforced" },
        sockets: { kind: "enforced" },
        processes: { kind: "partial", reason: MAY_BE_LEFT },
        capabilities: { kind: "enforced" },
        syscalls: { kind: "partial", reason: NOT_BY_NUMBER },
        terminal: { kind: "enforced" },
        environment: { kind: "enforced" },
        descriptors: { kind: "enforced" },
        limits: { kind: "enforced" },
      });
      expect(readdirSync(calls)).toEqual([]);
      expect(statSync(calls)).toMatchObject({ uid: 0 });
    } finally {
      process.umask(umask);
      spawnSync("/bin/rmdir", [calls, dirname(calls)]);
    }
  });
});
