import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { personAt } from "../support/approval/person-at.ts";
import {
  CONFIG,
  endOf,
  exitOf,
  type Place,
  place,
  processesWith,
  soon,
  uniqueWord,
} from "../unit/cli/command-line.ts";

const unusable = await whyUnusable();
if (unusable !== null) console.warn(`the command line is not tried in real sandboxes: ${unusable}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a sandbox works where it must", () => {
  expect(unusable).toBeNull();
});

/** Asked before any test is known, so it can't be a test's own place. */
async function whyUnusable(): Promise<string | null> {
  if (!existsSync("/usr/bin/bwrap")) return "bubblewrap is not installed";
  const child = spawn("/usr/bin/bwrap", [
    "--unshare-user",
    "--ro-bind",
    "/",
    "/",
    "--",
    "/bin/sh",
    "-c",
    ":",
  ]);
  const { exit, stderr } = await endOf(child);
  return exit === 0 ? null : stderr.trim();
}

describe.skipIf(unusable !== null)("the exit status", () => {
  const withWall = `${CONFIG.replace("20s", "2s")}shell:\n  rules: [{ pattern: "rm", allowed: false }]\n`;
  test.each<[exit: number, words: readonly string[], talk: RegExp | null, isHere?: boolean]>([
    [0, ["run", "--", "true"], /^cofferdam: config: .*cofferdam.yaml \(trusted\); profiles: protected/],
    [7, ["run", "--quiet", "--", "sh", "-c", "exit 7"], null],
    [143, ["run", "--quiet", "--", "sh", "-c", "kill -TERM $$"], null],
    [
      127,
      ["run", "--quiet", "--", "no-such-program"],
      /^cofferdam: command not found in the sandbox: `no-such-program`\n {2}do: check its spelling; if this machine has it, add its folder under `sandbox.runtimes`.*; searched: \/usr/,
    ],
    [
      124,
      ["run", "--quiet", "--", "sleep", "9"],
      /^cofferdam: time limit exceeded: the command was stopped\n/,
    ],
    [
      77,
      ["run", "--quiet", "--", "rm", "x"],
      /^cofferdam: denied: blocked by rule `rm` of `shell.rules`\n {2}do: no approval can allow it; change rule `rm` of `shell.rules` \(\S+\/cofferdam\.yaml:\d+:\d+\)$/m,
    ],
    [77, ["run", "--quiet", "--strict", "--", "true"], /^cofferdam: denied: strict mode/, true],
    [77, ["run", "--quiet", "--ask", "--", "true"], /there is no terminal to ask on/],
    [64, ["run", "ls", "-la"], /do: write `cofferdam run -- ls -la`/],
    [64, ["run", "--ask", "--strict", "--", "true"], /cannot be combined/, true],
    [64, ["rnu"], /do: did you mean `run`\?/, true],
    [64, ["explain", "reda", "x"], /do: did you mean `read`\?/, true],
    [
      64,
      ["explain", "command", "rm", "x"],
      /unknown access `command`\n {2}do: use one of: read, .*, port; for a command, run `cofferdam run --dry-run -- COMMAND`\n$/,
      true,
    ],
    [65, ["run", "--config", "nowhere.yaml", "--", "true"], /`.*nowhere.yaml` does not exist/, true],
    [65, ["check", "--profile", "strikt"], /do: write `strict`;/],
  ])("is %i for %j", async (exit, words, talk, isHere = false) => {
    const { cofferdam, here } = await place(withWall);
    const ended = await (isHere ? here : cofferdam)(words);
    expect([ended.exit, ended.stderr]).toEqual([exit, talk === null ? "" : expect.stringMatching(talk)]);
  });

  test("of a call that a rule denies comes with the rule and its line, also if the rule has a reason of its own", async () => {
    const rules = [
      "approval:",
      "  rules:",
      "    - { pattern: list_dir, action: allow }",
      "    - { pattern: list_dir, action: deny, reason: no lists }",
      "  agents: { a.b: { rules: [{ pattern: list_dir, action: deny }] } }",
      "shell:",
      "  rules: [{ pattern: rm, allowed: false, description: nothing is removed here }]",
    ];
    const { here } = await place(`${CONFIG}${rules.join("\n")}\n`);
    const line = CONFIG.split("\n").length - 1;
    const told = async (...words: readonly string[]) => (await here(words)).stderr.replace(/\/\S*\//, "");
    expect(await told("run", "--quiet", "--", "rm", "x")).toBe(
      `cofferdam: denied: nothing is removed here\n  do: no approval can allow it; change rule \`rm\` of \`shell.rules\` (cofferdam.yaml:${line + 7}:11)\n`,
    );
    expect(await told("call", "--quiet", "list_dir", '{"path":"."}')).toContain(
      `denied: no lists\n  do: no approval can allow it; change rule \`list_dir\` of the config (cofferdam.yaml:${line + 4}:7)\n`,
    );
  });

  test("of a file that is no program is what shells say", async () => {
    const { cofferdam, write, project } = await place();
    write("tool", "#!/no/such/interpreter\n");
    chmodSync(join(project, "tool"), 0o755);
    expect([126, 127]).toContain((await cofferdam(["run", "--", join(project, "tool")])).exit);
  });
});

describe.skipIf(unusable !== null)("input and output", () => {
  test("what is piped in is the command's input", async () => {
    const { cofferdam } = await place();
    expect(await cofferdam(["run", "--quiet", "--", "cat"], { input: "hello\n" })).toEqual({
      exit: 0,
      stdout: "hello\n",
      stderr: "",
    });
  });

  test("an open folder is no input: everything around it could be reached from it", async () => {
    const { project } = await place();
    const main = new URL("../../dist/cli/main.js", import.meta.url).pathname;
    const child = spawn(process.execPath, [main, "run", "--", "ls", "/proc/self/fd/0/.."], {
      cwd: project,
      stdio: [openSync("/", "r"), "pipe", "pipe"],
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(64);
  });

  test("output and errors are kept apart, and come as they are", async () => {
    const { cofferdam } = await place();
    const ended = await cofferdam([
      "run",
      "--quiet",
      "--",
      "sh",
      "-c",
      "printf '\\033]0;t\\007out'; printf err >&2",
    ]);
    expect(ended).toEqual({ exit: 0, stdout: "\u{1b}]0;t\u{7}out", stderr: "err" });
  });

  test("fifty megabytes pass through, at the pace of a reader that takes its time", async () => {
    const { start } = await place();
    const child = start(["run", "--quiet", "--", "cat"]);
    spawn("head", ["-c", "50M", "/dev/zero"]).stdout.pipe(child.stdin);
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      child.stdout.pause();
      setTimeout(() => child.stdout.resume(), bytes < 1024 ** 2 ? 20 : 0);
    });
    expect([await exitOf(child), bytes]).toEqual([0, 50 * 1024 ** 2]);
  });

  test("a reader that goes away ends the command without a word", async () => {
    const { start } = await place();
    const word = uniqueWord();
    const child = start(["run", "--quiet", "--", "sh", "-c", `while :; do echo ${word}; done`]);
    child.stdout.once("data", () => child.stdout.destroy());
    let talk = "";
    child.stderr.on("data", (chunk: Buffer) => (talk += chunk.toString("utf8")));
    expect([await exitOf(child), talk]).toEqual([141, ""]);
    expect(await soon(() => processesWith(word).length === 0)).toBe(true);
  });

  test("dropped output is told", async () => {
    const { cofferdam } = await place(CONFIG.replace("wall: 20s", "output: 4KiB"));
    const { stdout, stderr } = await cofferdam(["run", "--quiet", "--", "head", "-c", "10000", "/dev/zero"]);
    const told = "cofferdam: 5904 bytes of output were dropped\n  do: raise `sandbox.limits.output`\n";
    // What is no text has no last lines.
    expect([stdout.length, stderr]).toEqual([4096, told]);
    const letters = await cofferdam([
      "run",
      "--quiet",
      "--",
      "sh",
      "-c",
      "yes | head -c 10000 | tr -d '\\n'",
    ]);
    expect(letters.stderr).toContain(`\n  …${"y".repeat(160)}\n`);
    const lines = await cofferdam(["run", "--quiet", "--", "seq", "1", "5000"]);
    expect(
      lines.stderr.endsWith(
        "  the last lines of stdout:\n  4991\n  4992\n  4993\n  4994\n  4995\n  4996\n  4997\n  4998\n  4999\n  5000\n",
      ),
    ).toBe(true);
  });

  test("JSON holds the outcome, the output and the receipt", async () => {
    const { cofferdam, here } = await place();
    const { exit, stdout } = await cofferdam([
      "run",
      "--json",
      "--",
      "sh",
      "-c",
      "echo out; printf '\\377' >&2; exit 3",
    ]);
    expect(exit).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: { kind: "failed", code: 3 },
      exit: 3,
      stdout: { encoding: "utf8", data: "out\n", droppedBytes: 0 },
      stderr: { encoding: "base64", data: "/w==", droppedBytes: 0 },
      receipt: { backend: "bubblewrap", enforcement: { files: { kind: "enforced" } } },
    });
    const denied = await here(["run", "--json", "--strict", "--", "true"]);
    expect([denied.exit, JSON.parse(denied.stdout).outcome.kind]).toEqual([77, "denied"]);
    for (const word of ["", ".", "..", "no/such"]) {
      const missing = await here(["run", "--json", "--", word]);
      expect([missing.exit, JSON.parse(missing.stdout).outcome.kind]).toEqual([127, "not-found"]);
    }
  });
});

describe.skipIf(unusable !== null)("signals", () => {
  test.each<[NodeJS.Signals, number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGKILL", 137],
  ])("%s ends everything, with %i", async (signal, exit) => {
    const { start, here } = await place();
    const word = uniqueWord();
    const child = start([
      "run",
      "--quiet",
      "--",
      "sh",
      "-c",
      `mkdir made; touch made/.envrc; trap '' INT TERM HUP; echo started; while :; do sleep 0.1; done; : ${word}`,
    ]);
    let talk = "";
    child.stderr.on("data", (chunk: Buffer) => (talk += chunk.toString()));
    child.stdout.once("data", () => child.kill(signal));
    expect(await exitOf(child)).toBe(exit);
    // Of a supervisor that is killed nobody learns it, until the next one starts.
    if (signal !== "SIGKILL")
      expect(talk).toMatch(/made\/\.envrc`, obeyed by direnv .*: it was moved to the quarantine/);
    expect(await soon(() => processesWith(word).length === 0)).toBe(true);
    const { stdout } = await here(["journal", "show"]);
    if (signal !== "SIGKILL") expect(stdout).toMatch(/failed\s+cancelled/);
  });

  test("one that comes while a reader does not read is not kept waiting", async () => {
    const { start } = await place();
    const child = start(["run", "--quiet", "--", "yes"]);
    child.stdout.once("data", () => {
      child.stdout.pause();
      setTimeout(() => child.kill("SIGTERM"), 300);
    });
    const exit = await new Promise((resolve) => child.once("exit", resolve));
    child.stdout.destroy();
    expect(exit).toBe(143);
  });
});

describe.skipIf(unusable !== null)("a config that was found", () => {
  test("is refused before it is trusted, and nothing is made", async () => {
    const { here, write, inventory } = await place(null);
    write("cofferdam.yaml", CONFIG);
    const before = inventory();
    for (const words of [
      ["run", "--", "touch", "made"],
      ["run", "--dry-run", "--", "true"],
      ["explain", "read", "x"],
      ["profile", "show"],
    ]) {
      const { exit, stdout, stderr } = await here(words);
      expect([words, exit, stdout, stderr]).toEqual([
        words,
        65,
        "",
        expect.stringMatching(
          /is not trusted yet\n {2}at: .*cofferdam\.yaml:1:1\n {2}do: run `cofferdam trust`/,
        ),
      ]);
    }
    expect(inventory()).toEqual(before);
  });

  test("is checked before it is trusted, which is told, and nothing is made", async () => {
    const { cofferdam, here, write, inventory } = await place(null);
    write("cofferdam.yaml", `${CONFIG}shell: { rules: [{ pattern: "./tool", approval: false }] }\n`);
    const before = inventory();
    const { exit, stdout } = await cofferdam(["check"]);
    expect([exit, stdout]).toEqual([65, expect.stringMatching(/cofferdam\.yaml \(not trusted\)\n/)]);
    expect(stdout).toMatch(/^error: .* is not trusted yet\n {2}do: run `cofferdam trust`/m);
    expect(stdout).toMatch(/^warning: the rule `\.\/tool` never allows a call/m);
    expect(stdout).toMatch(/^1 error, 1 warning$/m);
    expect(inventory()).toEqual(before);
    expect((await here(["trust", "--yes"])).exit).toBe(0);
    expect((await here(["check"])).stdout).toMatch(/^no errors, 1 warning$/m);
  });

  test("prints nothing of a file that it names, before it is trusted", async () => {
    const { here, write, project } = await place(null);
    write("token", "xoxb-12345");
    write("cofferdam.yaml", CONFIG.replace("sandbox:\n", `sandbox:\n  os_profile: [${project}/token]\n`));
    const before = await here(["check"]);
    expect([before.exit, before.stderr]).toEqual([65, expect.stringContaining("is not trusted yet")]);
    expect(`${before.stdout}${before.stderr}`).not.toContain("xoxb");
    // Named by a person, the same config is checked with all that it names.
    expect((await here(["check", "--config", "cofferdam.yaml"])).stderr).toContain("xoxb");
  });

  test("is not trusted where nobody can be asked", async () => {
    const { cofferdam, write, inventory } = await place(null);
    write("cofferdam.yaml", CONFIG);
    const before = inventory();
    const { exit, stdout, stderr } = await cofferdam(["trust"]);
    expect([exit, stdout, stderr]).toEqual([
      77,
      expect.stringMatching(/allows\n {2}roots {5,}workspace rw/),
      expect.stringMatching(/no terminal to ask on\n {2}do: .*--yes/),
    ]);
    expect(inventory()).toEqual(before);
  });

  test("runs once it is trusted, and is refused again when it changes or is forgotten", async () => {
    const { cofferdam, here, write, project } = await place(null);
    write("cofferdam.yaml", CONFIG.replace("mode: rw", "mode: ro"));
    expect((await cofferdam(["trust", "--yes"])).exit).toBe(0);
    expect(await cofferdam(["run", "--", "sh", "-c", "ls; touch made"])).toMatchObject({
      exit: 1,
      stdout: "cofferdam.yaml\n",
    });
    write("cofferdam.yaml", CONFIG);
    expect((await here(["run", "--", "touch", "made"])).stderr).toMatch(
      /changed after it was trusted \(changed: cofferdam.yaml\)/,
    );
    const again = await here(["trust", "--yes"]);
    expect(again.stdout).toMatch(
      /^it changed: cofferdam.yaml\nallows more without approval and with approval: it may write `.*project` \(only read in the config trusted before\)\n/,
    );
    expect((await cofferdam(["run", "--", "touch", "made"])).exit).toBe(0);
    expect(existsSync(join(project, "made"))).toBe(true);
    expect((await here(["trust", "--list"])).stdout).toMatch(
      /project\/cofferdam.yaml {2}\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect((await here(["trust", "--revoke", "cofferdam.yaml"])).exit).toBe(0);
    expect((await here(["run", "--", "true"])).exit).toBe(65);
    expect((await here(["trust", "--revoke", "cofferdam.yaml"])).exit).toBe(64);
  });

  test("of `init` passes `check` once it is trusted, and is never overwritten", async () => {
    const { cofferdam, here, write, project } = await place(null);
    write("package.json", '{ "scripts": { "test": "x" } }');
    expect(await cofferdam(["init"])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^wrote cofferdam.yaml: one root/),
    });
    const text = readFileSync(join(project, "cofferdam.yaml"), "utf8");
    expect(text).toMatch(/^# yaml-language-server: \$schema=/);
    expect(await here(["init"])).toMatchObject({
      exit: 65,
      stdout: "",
      stderr: expect.stringMatching(/already exists\n.*\n {2}do: edit it/),
    });
    expect(readFileSync(join(project, "cofferdam.yaml"), "utf8")).toBe(text);
    await here(["trust", "--yes"]);
    expect(await here(["check"])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/no problems found\n$/),
      stderr: "",
    });
  });
});

test("`trust` says what `check` would warn about; twin: nothing where `check` finds nothing", async () => {
  const { here, write } = await place(null);
  const config = (rules: string): void =>
    write("cofferdam.yaml", `version: 1\nsandbox: { runtimes: [system] }\nshell: { rules: [${rules}] }\n`);
  config('{ pattern: "./tool", approval: false }');
  const warning = /^warning: the rule `\.\/tool` never allows a call: .*\n {2}at: .*\n {2}do: .*$/m;
  expect((await here(["trust", "--yes"])).stdout).toMatch(warning);
  expect((await here(["check"])).stdout).toMatch(warning);
  config('{ pattern: "ls", approval: false }');
  expect((await here(["trust", "--yes"])).stdout).not.toMatch(/^warning:/m);
});

describe.skipIf(unusable !== null)("a dry run", () => {
  test.each([
    ["cold", false],
    ["warm", true],
  ])("touches nothing, with a %s state folder", async (_state, isWarm) => {
    const at = await place();
    const { cofferdam, here, write, inventory, project } = at;
    write(".envrc", "");
    if (!isWarm)
      for (const name of ["attestation.json", "launcher.json"]) rmSync(join(at.state, "cofferdam", name));
    if (isWarm) {
      await using person = await personAt(at);
      expect(await person.can("true")).toBe(true);
    }
    const before = inventory();
    const { exit, stdout, stderr } = await (isWarm ? here : cofferdam)([
      "run",
      "--dry-run",
      "--",
      "sh",
      "-c",
      "echo made > made",
    ]);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`\n  # root workspace\n  --bind ${project} ${project}\n`);
    expect(stdout).toMatch(
      /\n {2}# protected: the mask `.*\.envrc` allows at most read \(.*protected.executed.json:\d+:\d+\)\n {2}--ro-bind .*\.envrc /,
    );
    expect(stdout).toMatch(/\n {2}-- \/usr\/bin\/sh -c 'echo made > made'\n/);
    expect(inventory()).toEqual(before);
  });

  test("tells what would be denied, and shows no value of a variable", async () => {
    const { here } = await place(`${CONFIG}  env: { set: { TOKEN: "do-not-show" } }\n`);
    const { exit, stdout } = await here(["run", "--dry-run", "--strict", "--", "true"]);
    expect([exit, stdout]).toEqual([77, expect.stringMatching(/verdict {4}deny: strict mode/)]);
    expect(stdout).toContain("--setenv TOKEN …");
    const { stdout: json } = await here(["run", "--dry-run", "--json", "--", "true"]);
    expect(JSON.parse(json)).toMatchObject({
      verdict: { action: "allow" },
      plan: { kind: "plan", backend: "bubblewrap" },
      call: { argv: ["/usr/bin/true"] },
    });
    expect(`${stdout}${json}`).not.toContain("do-not-show");
  });
});

describe.skipIf(unusable !== null)("looking around", () => {
  test("the record of a run can be read", async () => {
    const { cofferdam, here } = await place();
    await cofferdam(["run", "--", "sh", "-c", "exit 4"]);
    const { stdout } = await cofferdam(["journal", "show"]);
    expect(stdout).toMatch(
      /^run [0-9a-f-]{36}, \d{4}-\d\d-\d\d \(UTC\)\n(.*\n)*.* call {6}sh -c 'exit 4', by a person\n(.*\n)*.* failed {4}status 4, /,
    );
    const lines = (await here(["journal", "show", "--json"])).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      "session.started",
      "call.received",
      "call.prepared",
      "call.judged",
      "approval.auto",
      "call.planned",
      "walls.proven",
      "call.ended",
    ]);
    expect((await here(["journal", "--list"])).stdout).toMatch(/ failed 4 {2}sh -c 'exit 4'\n$/);
    const run = stdout.slice(4, 12);
    expect((await here(["journal", "show", run])).stdout).toBe(stdout);
    const [hash = ""] = (await here(["journal", "head"])).stdout.split(" ");
    const verified = await here(["journal", "verify", run, "--head", hash]);
    expect(verified).toMatchObject({ exit: 0, stderr: "" });
    expect(verified.stdout).toMatch(
      /^the record of run `[0-9a-f-]{36}` is consistent: 8 lines, .*\n {2}contains the head, and 0 lines after it\n$/,
    );
    expect(await here(["journal", "show", "zzz"])).toMatchObject({
      exit: 64,
      stderr: expect.stringMatching(/unknown run `zzz`/),
    });
  });

  test("explain names the clause, and taking the clause away changes the answer of the kernel", async () => {
    const at = await place();
    const { cofferdam, here, write } = at;
    write(".envrc", "old");
    await using person = await personAt(at);
    const { stdout } = await cofferdam(["explain", "write", ".envrc"]);
    expect(stdout).toMatch(/always {2}no {3}protected: the mask `\/\*\*\/\.envrc` allows at most read/);
    expect(stdout).toMatch(/enforced by: --ro-bind .*\.envrc .*\.envrc\n$/);
    expect(await person.can("echo new > .envrc")).toBe(false);
    const json = JSON.parse((await here(["explain", "write", "other", "--json"])).stdout);
    expect([json.allowed, json.notes]).toEqual([{ unasked: true, onYes: true }, ["it does not exist yet"]]);
    expect(await person.can("echo new > other")).toBe(true);
    const [home, socket, debug, tls] = [
      await here(["explain", "env", "HOME"]),
      await here(["explain", "connect", "./a.sock"]),
      await here(["explain", "syscalls", "debug"]),
      await here(["explain", "macos", "tls"]),
    ];
    expect(home.stdout).toMatch(/^ {2}every call has its own HOME/m);
    expect(socket.stdout).toMatch(/always {2}yes {2}a host socket in a granted folder can be connected to/);
    expect(debug.stdout).toMatch(/always {2}no {3}config: `debug` is not listed/);
    expect(tls.stdout).toMatch(/^macos tls\n(.*\n)* {2}always {2}no {3}config: `tls` is not listed/);
  });

  test("explain says of a cache in our own packages what a call can do there, be it missing or not", async () => {
    const at = await place();
    const { here, project } = at;
    mkdirSync(join(project, "node_modules/eslint"), { recursive: true });
    symlinkSync(join(import.meta.dirname, "../.."), join(project, "node_modules/cofferdam"));
    const asked = async (path: string): Promise<boolean> => {
      const json = JSON.parse((await here(["explain", "write", path, "--json"])).stdout);
      expect(json.allowed.onYes).toBe(json.allowed.unasked);
      return json.allowed.unasked;
    };
    await using person = await personAt(at);
    const made = (path: string) => person.can(`mkdir -p "$(dirname ${path})" && echo x > ${path}`);
    for (const [path, can] of [
      ["node_modules/other/x", false],
      ["node_modules/.cache/a/x", true],
      ["node_modules/.cache/y", true],
      ["node_modules/.vite/x", false],
      ["node_modules/x", false],
    ] as const)
      expect([path, await asked(path), await made(path)]).toEqual([path, can, can]);
  });

  test("explain says of each variable what a call then has", async () => {
    const { cofferdam, here } = await place(
      CONFIG.replace("  limits", '  env: { pass: ["*", EDITOR], set: { MINE: here } }\n  limits'),
    );
    const names = ["PLAIN", "PAGER", "EDITOR", "MINE", "GIT_AUTHOR_NAME", "BASH_ENV", "PS4"];
    const env = Object.fromEntries(names.map((name) => [name, "given"]));
    const inside = (await cofferdam(["run", "--quiet", "--", "env"], { env })).stdout.split("\n");
    const told: Record<string, boolean> = {};
    for (const name of names) {
      const { stdout } = await here(["explain", "--json", "env", name], { env });
      told[name] = JSON.parse(stdout).allowed.onYes;
      expect(inside.some((line) => line.startsWith(`${name}=`))).toBe(told[name]);
    }
    expect(told).toEqual({
      ...Object.fromEntries(names.map((name) => [name, false])),
      PLAIN: true,
      EDITOR: true,
      MINE: true,
    });
    expect((await here(["explain", "env", "PAGER"])).stdout).toContain("list its full name");
    expect((await here(["explain", "env", "PS4"])).stdout).toContain("is never passed");
  });

  test("profiles are listed, shown and compared", async () => {
    const { cofferdam, here, write } = await place();
    expect((await cofferdam(["profile", "list"])).stdout).toMatch(/^\* {2}protected {3,}shipped {2}/m);
    expect((await here(["profile", "show", "no-network"])).stdout).toMatch(/^network {3}none$/m);
    expect((await here(["profile", "show", "--format", "bwrap"])).stdout).toMatch(/^--unshare-user$/m);
    const shown = await here(["profile", "show", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ network: "none", terminal: false });
    write("wide.yaml", "profile: wide\nnetwork: host\n");
    const wider = await here(["profile", "diff", "no-network", "wide.yaml", "--fail-if-wider"]);
    expect([wider.exit, wider.stdout, wider.stderr]).toEqual([
      1,
      expect.stringMatching(/\+ network: the machine's own network/),
      expect.stringMatching(/allows more than/),
    ]);
    expect(await here(["profile", "diff", "wide.yaml", "no-network", "--fail-if-wider"])).toMatchObject({
      exit: 0,
      stderr: "",
    });
  });

  test("the rules that a Mac would have are shown, with the Mac that is assumed, and nothing is written", async () => {
    const { here, write, inventory, project } = await place(
      CONFIG.replace("[system]", "[system, node, python]"),
    );
    write(".envrc", "");
    const before = inventory();
    const { exit, stdout, stderr } = await here(["profile", "show", "--format", "seatbelt"]);
    expect([exit, stderr, inventory()]).toEqual([0, "", before]);
    expect(stdout).toMatch(
      /^; assumed: macOS 15, arm64, the home folder \/Users\/\S+, a case-insensitive volume,\n(; .*\n)+\n\(version 1\)\n\(deny default /,
    );
    expect(stdout).toContain("; -D TMP=<the call's own folder>/tmp\n");
    expect(stdout).toContain(`(subpath "/private${project}")`);
    expect(stdout).toContain('(subpath "/opt/homebrew/Cellar")');
    expect(stdout).toContain("; python: make POSIX semaphores.\n(allow ipc-posix-sem*)\n");
    expect(stdout).not.toContain(`"${project}`);
    const strict = await here(["profile", "show", "--format", "seatbelt", "--profile", "strict"]);
    expect([strict.exit, strict.stdout.includes("ipc-posix-sem")]).toEqual([0, false]);
  });

  test("rules that a Mac would not take are refused as mounts are", async () => {
    const { here, write, project } = await place(null);
    mkdirSync(join(project, "zo\u00eb=b"));
    write("cofferdam.yaml", CONFIG.replace("root: .", "root: ./zo\u00eb=b"));
    const words = ["profile", "show", "--config", "cofferdam.yaml", "--format"];
    expect(await here([...words, "seatbelt"])).toEqual({
      exit: 69,
      stdout: "",
      stderr: expect.stringMatching(
        /^cofferdam: seatbelt: `\/private.*\/zo\u00eb=b` has .* that arguments can't contain\n {2}do: rename it, /,
      ),
    });
    expect((await here([...words, "bwrap"])).exit).toBe(0);
  });

  test("check and tools say where writing needs approval, and what a command asks about then", async () => {
    const beyond = `${CONFIG}shell: { default: { approval: beyond } }\n`;
    const [asks, free] = [
      await place(beyond.replace("write_approval: false", "write_approval: true")),
      await place(beyond),
    ];
    const root = (at: Place) => new RegExp(`workspace +rw ${at.project}(.*)`);
    const of = async (at: Place) => [
      root(at).exec((await at.here(["check"])).stdout)?.[1],
      /any command +(.*)/.exec((await at.here(["tools", "shell"])).stdout)?.[1]?.split(/ {2,}/)[0],
    ];
    expect(await of(asks)).toEqual([
      ", writing needs approval",
      "allowed, unless approval would give it more access",
    ]);
    expect(await of(free)).toEqual(["", "allowed"]);
  });

  test("check finds rules that never apply, and 65 is for errors alone", async () => {
    const rules = 'shell:\n  rules: [{ pattern: "git" }, { pattern: "git push", allowed: false }]\n';
    const { here, write } = await place(`${CONFIG}${rules}`);
    const warned = await here(["check"]);
    expect([warned.exit, warned.stdout]).toEqual([
      0,
      expect.stringMatching(
        /warning: the rule `git push` never denies a call: `git` on line \d+ comes earlier and only asks about it\n {2}at: cofferdam.yaml:\d+:\d+\n(.*\n)*\nno errors, 1 warning\n$/,
      ),
    ]);
    write("narrow.yaml", "profile: narrow\nfiles: [{ path: '${workspace}', access: write }]\n");
    const broken = await here(["check", "--profile", "narrow.yaml"]);
    expect([broken.exit, broken.stdout]).toEqual([
      65,
      expect.stringMatching(
        /error: the profile `narrow` does not allow `.*`, which programs of system need to start\n/,
      ),
    ]);
  });

  test("doctor tries each part of a sandbox, and attacks on request", async () => {
    const { cofferdam, inventory } = await place();
    const before = inventory();
    const { exit, stdout } = await cofferdam(["doctor"]);
    expect([exit, stdout]).toEqual([
      0,
      expect.stringMatching(/\n {2}all together {11}works\n\nthe sandbox works on this machine/),
    ]);
    expect(inventory()).toEqual(before);
    const json = JSON.parse((await cofferdam(["doctor", "--attest", "--json"])).stdout);
    expect([
      json.problem,
      json.battery.findings.every((finding: { holds: boolean }) => finding.holds),
    ]).toEqual([null, true]);
  });

  test("schemas are those that the package ships", async () => {
    const { cofferdam } = await place(null);
    const shipped = readFileSync(new URL("../../profiles/config.schema.json", import.meta.url), "utf8");
    expect(JSON.parse((await cofferdam(["schema", "config"])).stdout)).toEqual(JSON.parse(shipped));
  });
});

const isRoot = process.getuid?.() === 0;

test.skipIf(unusable !== null || !isRoot)(
  "an ordinary user without an account has the same sandbox",
  async (context) => {
    const made = await place(CONFIG, 1001);
    const { exit, stdout, stderr } = await made.cofferdam(
      ["run", "--", "sh", "-c", "id -u; echo x > made; cat /etc/shadow"],
      { uid: 1001 },
    );
    // A checkout that only root can read serves no other user.
    if (/Cannot find module|EACCES/.test(stderr))
      return context.skip("this checkout can't be read by other users");
    expect([exit, stdout]).toEqual([1, "1001\n"]);
    expect(existsSync(join(made.project, "made"))).toBe(true);
  },
);

test.skipIf(unusable !== null || !isRoot)(
  "root runs tools as the owner of a tree that is not root's",
  async () => {
    const made = await place(null);
    writeFileSync(join(made.project, "owned"), "");
    chmodSync(dirname(made.project), 0o755);
    chownSync(made.project, 1001, 1001);
    expect((await made.cofferdam(["run", "--quiet", "--", "id", "-u"])).stdout).toBe("1001\n");
  },
);
