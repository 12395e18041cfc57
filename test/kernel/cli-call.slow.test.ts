import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exitOf } from "../../src/cli/outcome-text.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CONFIG, type Place, place, terminalProblem } from "../unit/cli/command-line.ts";

sandboxMustWork("tools from the command line");

const noTerminal = terminalProblem();
if (noTerminal !== null) console.warn(`tools are not tried in a terminal: ${noTerminal}`);

const ROOTS = `version: 1
sandbox:
  runtimes: [system]
  limits: { wall: 2s }
  paths:
    workspace: { root: ., mode: rw, write_approval: false }
    docs: { root: ./docs, mode: ro }
    notes: { root: ./notes, mode: rw }
shell:
  default: { approval: true }
  rules: [{ pattern: "cat", approval: false }, { pattern: "sleep", approval: false }, { pattern: "touch", approval: false }, { pattern: "rm", allowed: false }]
`;

/** A place with the roots of these tests. */
async function rooted(isTrusted = true): Promise<Place> {
  const made = await place(null);
  for (const name of ["docs", "notes"]) mkdirSync(join(made.project, name));
  made.write("cofferdam.yaml", ROOTS);
  if (isTrusted) await made.here(["trust", "--yes"]);
  made.write("a", "hello\n");
  return made;
}

const json = (value: unknown): string => JSON.stringify(value);
const call = (tool: string, input: unknown, ...options: readonly string[]): readonly string[] => [
  "call",
  "--quiet",
  ...options,
  tool,
  typeof input === "string" ? input : json(input),
];

describe.skipIf(unusable !== null)("the exit status of `cofferdam call`", () => {
  const denied = { path: "notes:x", content: "hi" };
  test.each<[exit: number, words: readonly string[], talk: string | RegExp, isHere?: boolean]>([
    [0, call("read_file", { path: "a" }), ""],
    [0, call("shell", { argv: ["cat", "a"] }), ""],
    [1, call("shell", { argv: ["cat", "none"] }), /^\/usr\/bin\/cat: none: No such file or directory\n$/],
    [1, call("read_file", { path: "none" }), /^cofferdam: `workspace:none` does not exist: ENOENT\n {2}do: /],
    [
      64,
      call("reed_file", { path: "a" }),
      "cofferdam: unknown tool `reed_file`\n  do: did you mean `read_file`?\n",
    ],
    [64, call("sh", {}), /^cofferdam: unknown tool `sh`\n {2}do: (did you mean|use one of: shell, )/, true],
    [
      64,
      call("read_file", "{path: a}"),
      /^cofferdam: .*\n {2}do: write the input as JSON: cofferdam call read_file/,
      true,
    ],
    [
      64,
      call("read_file", { path: 1 }),
      /^cofferdam: invalid arguments of `read_file`: `path` must be a string, not a number\n {2}do: its keys: path \(string\), /,
      true,
    ],
    [
      64,
      call("shell", { argv: [] }),
      /^cofferdam: invalid arguments of `shell`: `argv`: the call has no words\n/,
      true,
    ],
    [64, ["call", "read_file"], /^cofferdam: `call` needs JSON\n/, true],
    [64, ["call", "read_file", "{}", "x"], /unexpected argument/, true],
    [64, call("read_file", {}, "--approve-all", "--strict"), /cannot be combined/, true],
    [
      64,
      call("shell", { command: "ls" }),
      /^cofferdam: invalid arguments of `shell`: unknown key `command`; write `{ argv: .*\n {2}do: its keys: argv /,
      true,
    ],
    [
      64,
      call("shell", { agrv: ["ls"] }),
      /unknown key `agrv`, did you mean `argv`\?\n {2}do: its keys: /,
      true,
    ],
    [
      64,
      call("shell", { argv: ["ls"], script: "ls" }),
      /^cofferdam: write `{ argv: \[word, …\] }` or `{ script }`\n/,
      true,
    ],
    [
      64,
      call("read_file", { pth: "a" }),
      /arguments of `read_file`: unknown key `pth`, did you mean `path`\?\n/,
      true,
    ],
    [
      64,
      call("edit_file", { path: "a", edits: [{ oldtext: "a" }] }),
      /`edits.0.new_text` is missing \(a string\); unknown key `edits.0.oldtext`, did you mean `old_text`\?\n/,
      true,
    ],
    [65, call("read_file", {}, "--config", "nowhere.yaml"), /`.*nowhere.yaml` does not exist/],
    [
      77,
      call("write_file", denied),
      /^cofferdam: denied: writing in `notes` needs approval, but no person could be asked: there is no terminal to ask on\n {2}do: run it in a terminal, open a channel under `approval.channels`, or add a rule to the config that allows it; or add `--suspend`: the request is kept, and `cofferdam resume` runs the call later\n$/,
    ],
    [77, call("write_file", denied, "--strict"), /^cofferdam: denied: strict mode: approval required/, true],
    [0, call("write_file", denied, "--approve-all"), ""],
    [
      77,
      call("write_file", { path: "docs:x", content: "" }, "--approve-all"),
      /^cofferdam: denied: no tool may write `docs:x`: `.*docs` has access read \(config, .*:7:5\)\n/,
    ],
    [
      77,
      call("shell", { argv: ["rm", "a"] }, "--approve-all"),
      /^cofferdam: denied: blocked by rule `rm` of `shell.rules`\n/,
      true,
    ],
    [77, call("shell", { argv: ["echo"] }), /no person could be asked/],
    [0, call("shell", { argv: ["echo"] }, "--approve-all"), ""],
    [
      77,
      call("read_file", { path: "/etc/shadow" }),
      /^cofferdam: denied: no tool may read `\/etc\/shadow`: the mask `\/etc\/shadow` allows nothing \(protected, .*\)\n {2}do: no config or operator profile can allow it: /,
    ],
    [
      124,
      call("shell", { argv: ["sleep", "9"] }),
      /^cofferdam: time limit exceeded: the command was stopped\n/,
    ],
    [
      127,
      call("shell", { argv: ["no-such-program"] }, "--approve-all"),
      /command not found in the sandbox: `no-such-program`\n {2}do: check its spelling; if this machine has it, add its folder under `sandbox.runtimes`/,
    ],
  ])("is %i for %j", async (exit, words, talk, isHere = false) => {
    // Named by the caller, a config needs no trust.
    const named = words.includes("--config") ? words : [...words, "--config", "cofferdam.yaml"];
    const { cofferdam, here } = await rooted(false);
    const ended = await (isHere ? here : cofferdam)(named);
    expect([ended.exit, ended.stderr]).toEqual([
      exit,
      typeof talk === "string" ? talk : expect.stringMatching(talk),
    ]);
  });

  test("is 65 for a config that nobody trusts", async () => {
    const untrusted = await place(null);
    untrusted.write("cofferdam.yaml", CONFIG);
    expect(await untrusted.cofferdam(call("read_file", { path: "a" }))).toMatchObject({
      exit: 65,
      stderr: expect.stringContaining("is not trusted yet"),
    });
  });

  test("is 69 for a sandbox that can't be built, and 75 for a call that waits for an answer", () => {
    const unbuilt = { kind: "denied", reason: "", hint: "" } as const;
    expect(exitOf({ ...unbuilt, code: "SANDBOX_UNAVAILABLE" })).toBe(69);
    expect(exitOf({ ...unbuilt, code: "NOT_ENFORCEABLE" })).toBe(69);
    const code = "APPROVAL_PENDING";
    expect(exitOf({ kind: "pending", code, approvalId: "id", reason: "", hint: "" })).toBe(75);
  });
});

describe.skipIf(unusable !== null)("what `cofferdam call` prints", () => {
  test("is the value as JSON, and nothing else on stdout", async () => {
    const { cofferdam } = await rooted();
    const plain = await cofferdam(["call", "read_file", json({ path: "a" })]);
    expect(JSON.parse(plain.stdout)).toMatchObject({ path: "workspace:a", text: "hello\n" });
    expect(plain.stderr).toMatch(/^cofferdam: config: .*cofferdam.yaml \(trusted\); profiles: protected/);
    const whole = await cofferdam(call("read_file", { path: "a" }, "--json"));
    expect(JSON.parse(whole.stdout)).toMatchObject({
      outcome: { kind: "done", value: { text: "hello\n" } },
      exit: 0,
      receipt: { backend: "bubblewrap" },
    });
  });

  test("with `-` is about an input from standard input", async () => {
    const { cofferdam } = await rooted();
    const ended = await cofferdam(call("read_file", "-"), { input: json({ path: "a" }) });
    expect([ended.exit, JSON.parse(ended.stdout)]).toMatchObject([0, { text: "hello\n" }]);
    expect((await cofferdam(call("read_file", "-"), { input: "" })).exit).toBe(64);
  });

  test("with JSON is one object for a denial and a failure too, with the same words and status", async () => {
    const { cofferdam, here, project } = await rooted();
    const told = async (words: readonly string[], by = cofferdam) => {
      const { exit, stdout } = await by(words);
      const read: unknown = JSON.parse(stdout);
      expect(read).toMatchObject({ exit });
      return read;
    };
    const denial = { operation: "read", target: "/etc/shadow", certainty: "certain" };
    expect(await told(call("read_file", { path: "/etc/shadow" }, "--json"))).toMatchObject({
      outcome: { kind: "denied", code: "DENIED", denials: [denial] },
      exit: 77,
    });
    expect(await told(call("shell", { argv: ["touch", "docs/x"] }, "--json"))).toMatchObject({
      outcome: {
        kind: "failed",
        code: 1,
        denials: [{ operation: "write", target: join(project, "docs/x"), certainty: "certain" }],
      },
      stderr: { data: expect.stringContaining("Read-only file system") },
    });
    expect(await told(call("read_file", { path: "none" }, "--json"))).toMatchObject({
      error: { code: "FILE_NOT_FOUND" },
      exit: 1,
    });
    expect(await told(call("reed_file", {}, "--json"), here)).toMatchObject({
      error: { code: "USAGE" },
      exit: 64,
    });
    expect(
      await told(call("write_file", { path: "notes:x", content: "" }, "--json", "--strict"), here),
    ).toMatchObject({
      outcome: { kind: "denied", code: "APPROVAL_DENIED" },
    });
  });

  test("reports each thing that the sandbox prevented once, as `cofferdam run` does", async () => {
    const { cofferdam, project } = await rooted();
    const words = ["touch", "docs/x", "docs/y"];
    const [called, run] = [
      await cofferdam(call("shell", { argv: words })),
      await cofferdam(["run", "--quiet", "--", ...words]),
    ];
    expect([called.exit, run.exit]).toEqual([1, 1]);
    expect(called.stderr).toBe(run.stderr);
    expect(called.stderr.split("\n").filter((line) => line.startsWith("cofferdam: "))).toEqual(
      ["x", "y"].map((name) =>
        expect.stringMatching(
          `^cofferdam: the sandbox prevented writing \`${project}/docs/${name}\`: \`${project}/docs\` has access read \\(config, .*cofferdam.yaml:7:5\\)$`,
        ),
      ),
    );
    expect(called.stderr).toContain("  do: give the folder `mode: rw` under `sandbox.paths` in the config");
    const whole = await cofferdam(["run", "--quiet", "--json", "--", ...words]);
    expect(JSON.parse(whole.stdout)).toMatchObject({ outcome: { denials: [{}, {}] } });
    expect((await cofferdam(call("shell", { argv: ["touch", "x"] }))).stderr).toBe("");
  });

  test.skipIf(noTerminal !== null)(
    "never moves a terminal: what files hold is JSON, what commands print is filtered",
    async () => {
      const { inTerminal, write } = await rooted();
      write("evil", "a\u{1b}]0;t\u{7}b\u{9b}31m\u{202e}c\n");
      const value = await inTerminal(call("read_file", { path: "evil" }), []);
      expect([value.exit, value.stdout]).toEqual([
        0,
        expect.stringContaining('"a\\u001b]0;t\\u0007b\\u009b31m\\u202ec\\n"'),
      ]);
      const shown = await inTerminal(call("shell", { argv: ["cat", "evil"] }), []);
      expect(shown.exit).toBe(0);
      for (const bad of ["\u{7}", "\u{9b}", "\u{1b}]"])
        expect([bad, value.stdout.includes(bad), shown.stdout.includes(bad)]).toEqual([bad, false, false]);
    },
  );

  test.skipIf(noTerminal !== null)("is asked about at the terminal, with what will happen", async () => {
    const { inTerminal, project } = await rooted();
    const words = call("write_file", { path: "notes:x.md", content: "# hello\n" });
    const no = await inTerminal(words, [["notes:x.md", "n"]]);
    expect([no.exit, existsSync(join(project, "notes/x.md"))]).toEqual([77, false]);
    expect(no.stdout).toContain("│ # hello");
    const yes = await inTerminal(words, [["notes:x.md", "y"]]);
    expect([yes.exit, existsSync(join(project, "notes/x.md"))]).toEqual([0, true]);
  });
});

describe("`cofferdam tools`", () => {
  test("lists each tool with its risk, and what would be asked in which root", async () => {
    const { cofferdam, here } = await rooted();
    const { exit, stdout } = await cofferdam(["tools"]);
    expect(exit).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "shell                 write        a command that no rule covers: asks
      read_file             read_only    workspace, docs, notes: allowed
      list_dir              read_only    workspace, docs, notes: allowed
      find_files            read_only    workspace, docs, notes: allowed
      search_files          read_only    workspace, docs, notes: allowed
      write_file            write        workspace: allowed; docs: denied; notes: asks
      edit_file             write        workspace: allowed; docs: denied; notes: asks
      delete_file           destructive  workspace: allowed; docs: denied; notes: asks
      move_file             destructive  workspace: allowed; docs: denied; notes: asks
      web_fetch             read_only    other hosts: asks
      web_fetch_add_domain  write        other hosts: asks
      "
    `);
    const listed: unknown = JSON.parse((await here(["tools", "--json"])).stdout);
    expect(listed).toContainEqual(
      expect.objectContaining({
        name: "write_file",
        risk: "write",
        schema: expect.anything(),
        outlook: expect.anything(),
      }),
    );
  });

  test("tells all of one: what a model is told, and the schema", async () => {
    const { here } = await rooted();
    const { stdout } = await here(["tools", "write_file"]);
    expect(stdout).toMatch(/^write_file write\n.*\n\n[^{]*notes +asks[^{]*\{/s);
    expect(stdout).toContain('"content"');
    expect(await here(["tools", "rite_file"])).toMatchObject({
      exit: 64,
      stderr: "cofferdam: unknown tool `rite_file`\n  do: did you mean `write_file`?\n",
    });
  });

  test("runs nothing and writes nothing", async () => {
    const { here, inventory, project } = await rooted();
    chmodSync(project, 0o755);
    const before = inventory();
    await here(["tools"]);
    expect(inventory()).toEqual(before);
  });
});
