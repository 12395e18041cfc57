import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { TerminalWindow } from "../../src/host/launch/window.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { LOOKS, NONE, Seat, sh, TERMINAL, WINDOW } from "../support/battery/own-terminal.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("a terminal of a program's own");

describe.skipIf(unusable !== null).each(PEOPLE)("for $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  it("tty: without one there is none, whoever asks", async () => {
    place.file("ceiling.yaml", "profile: ceiling\nterminal: false\n");
    const calls = [{ argv: LOOKS }, { argv: LOOKS, typed: "" }];
    const said = { kind: "ran", stdout: expect.stringMatching(/^not a tty\n/) };
    const fds = place.file("ws/fds", "");
    await place.run({ job: { calls: [{ argv: LOOKS, typed: "" }] }, settings: TERMINAL });
    const own = readFileSync(fds, "utf8");
    const [, none, refused] = await place.run({ job: { calls }, settings: NONE });
    expect(none).toMatchObject(said);
    // Of what makes a terminal, the program has no descriptor.
    expect(readFileSync(fds, "utf8")).toBe(own);
    expect(refused).toMatchObject({
      kind: "denied",
      code: "DENIED",
      message: "the config does not allow a terminal",
    });
    const profiles = [join(place.top, "ceiling.yaml")];
    const [, cut, cutOff] = await place.run({ job: { calls, profiles }, settings: TERMINAL });
    expect(cut).toMatchObject(said);
    expect(cutOff).toMatchObject({
      kind: "denied",
      code: "DENIED",
      message: "operator profiles do not allow a terminal",
    });
  });
});

describe.skipIf(unusable !== null)("a terminal of a program's own", () => {
  let seat: Seat;
  beforeEach(async () => {
    seat = await Seat.take();
  });
  afterEach(() => seat[Symbol.asyncDispose]());

  it.each([
    ["its status", "exit 7", 7],
    ["a signal", "kill -SEGV $$", 139],
    ["SIGKILL", "kill -KILL $$", 137],
    ["what can't be run", "exec /etc/passwd", 126],
    ["what is not there", "exec /nonexistent", 127],
    ["a program that leaves its terminal", "exec <&- >&- 2>&-; sleep 0.3; exit 3", 3],
    ["a program that leaves others behind", "(trap '' HUP; sleep 600; echo late) & exit 4", 4],
  ])("tells %s as without one", async (_claim, line, code) => {
    expect((await seat.call(sh(line))).code).toBe(code);
  });

  it("passes on all that is said before the end, in order", async () => {
    const { shown } = await seat.call(sh("seq 1 30000; printf end"));
    const rows = Array.from({ length: 30_000 }, (_, at) => `${at + 1}\r\n`);
    expect(shown === `${rows.join("")}end`).toBe(true);
  });

  it("takes what is typed while more is said than anybody reads, and the other way round", async () => {
    const line =
      "stty raw -echo; echo on; sleep 0.2; head -c 300000 /dev/zero | tr '\\0' y; head -c 200000 | wc -c";
    const stdin = new PassThrough();
    let shown = "";
    const stdout = (chunk: Buffer): void => {
      if (shown === "") stdin.write("x".repeat(200_000));
      shown += chunk.toString("latin1");
    };
    await seat.call(sh(line), { window: WINDOW, stdin, sinks: { stdout, stderr: stdout } });
    expect([shown.length, shown.slice(-8)]).toEqual([300_010, "y200000\n"]);
  });

  it("follows the size of its window", async () => {
    let [size, changed] = [{ columns: 91, rows: 33 }, (): void => undefined];
    const shown: string[] = [];
    const window: TerminalWindow = {
      size: () => size,
      onResize: (listener) => {
        changed = listener;
        return () => shown.push("unheard");
      },
    };
    const stdout = (chunk: Buffer): void => {
      shown.push(
        ...chunk
          .toString()
          .split("\r\n")
          .filter((row) => row !== ""),
      );
      if (!shown.includes("ready")) return;
      size = { columns: 132, rows: 50 };
      changed();
    };
    const line = "trap 'stty size; exit' WINCH; stty size; echo ready; while :; do sleep 0.05; done";
    const stdin = new PassThrough();
    await seat.call(sh(line), { window, stdin, sinks: { stdout, stderr: stdout } });
    expect(shown).toEqual(["33 91", "ready", "50 132", "unheard"]);
    size = { columns: 0, rows: 50 };
    await expect(seat.call(["touch", "made"], { window })).rejects.toMatchObject({ code: "USAGE" });
    expect(existsSync(join(seat.place.ws, "made"))).toBe(false);
  });

  it("limit: its time is bounded, and what a shell ignores when asked, it hears when the terminal hangs up", async () => {
    const late = await seat.call(sh("trap 'echo asked' TERM; echo on; while :; do sleep 0.05; done"), {
      timeoutMs: 300,
    });
    expect(late).toMatchObject({ outcome: { kind: "timed-out" }, shown: "on\r\nasked\r\n" });
    const stop = new AbortController();
    const stdout = (chunk: Buffer): void => void (chunk.includes("in>") && stop.abort());
    const ended = await seat.call(["env", "PS1=in> ", "bash", "--norc", "-i"], {
      window: WINDOW,
      stdin: new Readable({ read: () => undefined }),
      sinks: { stdout, stderr: stdout },
      signal: stop.signal,
    });
    expect(ended).toMatchObject({ code: 129 });
  });

  it("limit: what somebody looks at is not cut off, which the receipt says; all else is", async () => {
    await using bounded = await seat.place.supervisor({
      ...TERMINAL,
      sandbox: { limits: { output: "1KiB" } },
    });
    const other = bounded.session({ caller: "person" });
    let shown = 0;
    const stdout = (chunk: Buffer): void => {
      shown += chunk.length;
    };
    const input = { argv: ["seq", "1", "5000"] };
    const seen = await other.call("shell", input, { window: WINDOW, sinks: { stdout, stderr: stdout } });
    expect([shown > 20_000, seen]).toMatchObject([
      true,
      {
        kind: "done",
        stdout: { droppedBytes: 0 },
        receipt: {
          enforcement: {
            limits: {
              kind: "partial",
              reason: "output on the program's own terminal has no limit",
            },
          },
        },
      },
    ]);
    for (const options of [{ window: WINDOW }, { sinks: { stdout, stderr: stdout } }, {}])
      expect(await other.call("shell", input, options)).toMatchObject({
        stdout: { takenBytes: 1024 },
        receipt: { enforcement: { limits: { kind: "enforced" } } },
      });
    await using strict = await seat.place.supervisor({
      ...TERMINAL,
      sandbox: { limits: { output: "1KiB", strict: true } },
    });
    const refused = await strict
      .session({ caller: "person" })
      .call("shell", input, { window: WINDOW, sinks: { stdout, stderr: stdout } });
    expect(refused).toMatchObject({ kind: "denied", code: "SANDBOX_UNAVAILABLE" });
  });

  it("limit: what makes it is not counted among its processes", async () => {
    const user = new Place(PEOPLE.at(-1) ?? CALLER);
    onTestFinished(() => user[Symbol.dispose]());
    const calls = [{ argv: sh(":") }, { argv: sh("/bin/true; :") }];
    for (const shell of [TERMINAL, NONE]) {
      const settings = { ...shell, sandbox: { limits: { processes: 1 } } };
      const [, alone, two] = await user.run({ job: { calls }, settings });
      expect([alone, two]).toMatchObject([{ code: 0 }, { code: 2 }]);
    }
  });

  it("says nothing of its own, in whatever language", async () => {
    const env = { ...process.env, LANG: "xx_YY.UTF-8", LC_ALL: "xx_YY.UTF-8" };
    await using supervisor = await seat.place.supervisor(TERMINAL, { env });
    const outcome = await supervisor.session().call("shell", { argv: ["true"] });
    expect(outcome).toMatchObject({ kind: "done", stdout: { takenBytes: 0 }, stderr: { takenBytes: 0 } });
  });

  it("what the sandbox refuses is also reported for a program at a terminal", async () => {
    const { outcome } = await seat.call(["cat", "/etc/shadow"]);
    expect(outcome).toMatchObject({ kind: "failed", denials: [{ target: "/etc/shadow" }] });
  });

  it("helper: perl is the system's own or there is no terminal, and then nothing runs", async () => {
    const planted = seat.place.folder("ws/bin");
    for (const name of ["perl", "bwrap", "sh"])
      seat.place.file(`ws/bin/${name}`, `#!/bin/sh\necho planted > ${seat.place.ws}/planted\n`, 0o755);
    const folder = seat.place.folder("helpers");
    for (const name of ["bwrap", "sh"]) seat.place.plainly(`ln -s /usr/bin/${name} ${folder}/${name}`);
    const helperFolders = [planted, folder].map(absolutePath);
    await using without = await seat.place.supervisor(TERMINAL, { helperFolders }).catch(() => null);
    // Links of an ordinary user are nobody's helpers: then there is not even a launcher.
    if (without !== null) {
      const denied = await without.session({ caller: "person" }).call("shell", { argv: ["touch", "made"] });
      expect(denied).toMatchObject({
        kind: "denied",
        code: "NOT_ENFORCEABLE",
        reason: "a terminal needs perl, and the system's perl is missing",
      });
    }
    expect(["made", "planted"].filter((name) => existsSync(join(seat.place.ws, name)))).toEqual([]);
  });

  it("the config leaves it open: a person's host may give one, and take the config's away", async () => {
    const is = async (terminal: boolean | undefined, shell: Record<string, unknown>): Promise<unknown> => {
      const { createSupervisor } = await import("../../src/session/supervisor.ts");
      await using made = await createSupervisor({
        config: seat.place.config({ shell: { default: { approval: false }, ...shell } }),
        cwd: absolutePath(seat.place.ws),
        host: seat.place.host(),
        ...(terminal === undefined ? {} : { terminal }),
      });
      const outcome = await made.session().call("shell", { argv: ["test", "-t", "1"] });
      return "code" in outcome && outcome.code === 0;
    };
    expect([
      [await is(undefined, {}), await is(true, {}), await is(false, {})],
      [
        await is(undefined, { terminal: true }),
        await is(true, { terminal: true }),
        await is(false, { terminal: true }),
      ],
      [await is(undefined, { terminal: false }), await is(true, { terminal: false })],
    ]).toEqual([
      [false, true, false],
      [true, true, false],
      [false, false],
    ]);
  });
});
