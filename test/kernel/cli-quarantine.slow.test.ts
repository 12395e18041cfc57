import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { personAt } from "../support/approval/person-at.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { type Ended, type Place, place, terminalProblem } from "../unit/cli/command-line.ts";

sandboxMustWork("the quarantine at the command line");

const configOf = (more = ""): string => `version: 1
sandbox:
  paths: { workspace: { root: ., mode: rw, write_approval: false } }
  runtimes: [system]
  limits: { wall: 20s }${more}
`;
const PLANT = [
  "run",
  "--quiet",
  "--",
  "sh",
  "-c",
  "mkdir -p a; echo evil > a/.envrc; mkdir .husky; echo hook > .husky/pre-push",
];
const inShort = ({ exit, stdout, stderr }: Ended) => [exit, stdout, stderr];

async function planted(
  uid?: number,
): Promise<{ readonly at: Place; readonly id: string; readonly said: Ended }> {
  const at = await place(configOf(), uid);
  const said = await at.cofferdam(PLANT, uid === undefined ? {} : { uid });
  const [, id = ""] = /cofferdam quarantine show ([0-9a-f-]{36})/.exec(said.stderr) ?? [];
  return { at, id, said };
}

describe.skipIf(unusable !== null).each(PEOPLE)(
  "what a command made and hosts execute, as $name,",
  ({ runAs }) => {
    const given = runAs.uid === undefined ? {} : { uid: runAs.uid };

    test("is told as more than can be protected, not as made, where a link leads there that was there before", async () => {
      const at = await place(configOf(), runAs.uid);
      const as = runAs.uid === undefined ? {} : { uid: runAs.uid, gid: runAs.uid };
      execFileSync("sh", ["-c", "mkdir m; ln -s m .direnv"], { cwd: at.project, ...as });
      const fill = ["perl", "-e", 'open my $f, ">", "m/$_" for 1..10_001'];
      const said = await at.cofferdam(["run", "--quiet", "--", ...fill], given);
      expect([
        said.exit,
        existsSync(join(at.project, ".direnv")),
        existsSync(join(at.project, "m/1")),
      ]).toEqual([0, false, true]);
      expect(said.stderr).toContain("became too large or too deep to be protected");
      expect(said.stderr).not.toContain("the command created");
      expect((await at.cofferdam(["run", "--quiet", "--", "true"], given)).exit).toBe(0);
    });

    test("is taken away and told, and is listed, shown, given back and removed by the command line", async () => {
      const { at, id, said } = await planted(runAs.uid);
      const there = () => ["a/.envrc", ".husky"].map((name) => existsSync(join(at.project, name)));
      const cli = (...words: readonly string[]) =>
        runAs.uid === undefined
          ? at.here(["quarantine", ...words])
          : at.cofferdam(["quarantine", ...words], given);
      expect([said.exit, there()]).toEqual([0, [false, false]]);
      for (const text of ["a/.envrc`, obeyed by direnv", "it was moved to the quarantine"])
        expect(said.stderr).toContain(text);
      const short = id.slice(0, 8);
      const list = await cli();
      expect(list.exit).toBe(0);
      expect(list.stdout.split("\n")).toEqual([
        expect.stringMatching(new RegExp(`^${short} .* shell .*/\\.husky .*for git`)),
        expect.stringMatching(new RegExp(`^${short} .* shell .*/a/\\.envrc .*for direnv`)),
        "",
      ]);
      const shown = await cli("show", short);
      expect([shown.exit, shown.stdout]).toEqual([
        0,
        expect.stringMatching(/\.husky`\n[\s\S]*`pre-push`\n +hook\n[\s\S]*\.envrc`\n[\s\S]*\n +evil\n/),
      ]);
      expect(JSON.parse((await cli("list", "--json")).stdout)).toMatchObject([
        { id, items: [{ state: "taken" }, { state: "taken" }] },
      ]);
      expect(inShort(await cli("restore", short, "a/.envrc"))).toEqual([
        0,
        `restored: \`${at.project}/a/.envrc\`\n`,
        "",
      ]);
      expect([there(), readFileSync(join(at.project, "a/.envrc"), "utf8")]).toEqual([
        [true, false],
        "evil\n",
      ]);
      expect(inShort(await cli("drop", short))).toEqual([0, `deleted: \`${at.project}/.husky\`\n`, ""]);
      expect([there(), inShort(await cli())]).toEqual([
        [true, false],
        [0, "", "the quarantine is empty\n"],
      ]);
    });
  },
);

describe.skipIf(unusable !== null)("the quarantine at the command line", () => {
  test("says what it can't do, and exits with 1 or 64", async () => {
    const { at, id } = await planted();
    const cli = (...words: readonly string[]) => at.here(["quarantine", ...words]);
    at.write("a/.envrc", "mine\n");
    const refused = await at.cofferdam(["quarantine", "restore", id]);
    expect([refused.exit, refused.stdout]).toEqual([
      1,
      `restored: \`${at.project}/.husky\`\nnot restored: \`${at.project}/a/.envrc\`: another file is there now\n`,
    ]);
    expect(readFileSync(join(at.project, "a/.envrc"), "utf8")).toBe("mine\n");
    for (const [words, text] of [
      [["show"], "needs ID"],
      [["show", "no-such"], "unknown entry"],
      [["restore", id, "other"], "is not in this entry"],
      [["list", "more"], "unexpected argument"],
      [["keep", id], "keep"],
    ] as const) {
      const { exit, stderr } = await cli(...words);
      expect([exit, stderr]).toEqual([64, expect.stringContaining(text)]);
    }
    rmSync(join(at.project, "a/.envrc"));
    expect(inShort(await cli("restore", id))).toEqual([0, `restored: \`${at.project}/a/.envrc\`\n`, ""]);
  });

  test.each([
    ["ask", ".envrc", "obeyed by direnv when a shell enters the folder: a new one is quarantined", false],
    ["quarantine", ".husky/pre-push", "/.husky` is obeyed by git when", false],
    ["report", ".envrc", "a new one is reported after the call and stays", true],
    ["ask", "Makefile", "obeyed by make when a person runs make", true],
    ["ask", "node_modules/a/.envrc", "a new one is reported after the call", true],
    ["ask", "notes.txt", null, true],
  ])(
    "%s: what explain says of %s before a call is what becomes of it",
    async (policy, name, said, isKept) => {
      const at = await place(configOf(`\n  appeared: ${policy}`));
      const explained = await at.here(["explain", "write", name, "--json"]);
      expect(JSON.parse(explained.stdout).notes).toEqual([
        "it does not exist yet",
        ...(said === null ? [] : [expect.stringContaining(said)]),
      ]);
      await using person = await personAt(at);
      expect(await person.can(`install -D /dev/null ${name}`)).toBe(true);
      expect(existsSync(join(at.project, name))).toBe(isKept);
      const { notes } = JSON.parse((await at.here(["explain", "write", name, "--json"])).stdout);
      expect(notes.length > 1).toBe(!isKept);
    },
  );

  test.each([
    ["dist/.envrc", ["it is obeyed by direnv", "a changed one is quarantined"], false],
    ["node_modules/a/.envrc", [], true],
    ["dist/notes.txt", [], true],
  ] as const)("what explain says of a change of %s is what becomes of it", async (name, said, isKept) => {
    const at = await place(configOf("\n  appeared: quarantine"));
    mkdirSync(dirname(join(at.project, name)), { recursive: true });
    at.write(name, "before\n");
    const { stdout } = await at.here(["explain", "write", name, "--json"]);
    for (const words of said) expect(JSON.parse(stdout).notes.join()).toContain(words);
    if (said.length === 0) expect(JSON.parse(stdout).notes).toEqual([]);
    await using person = await personAt(at);
    expect(await person.can(`echo changed >> ${name}`)).toBe(true);
    expect(existsSync(join(at.project, name))).toBe(isKept);
  });

  test.skipIf(terminalProblem() !== null).each([
    ["y", true],
    ["n", false],
  ])("a person at the terminal is asked once the command is over: %s", async (key, isKept) => {
    const at = await place(configOf());
    const { exit, stdout } = await at.inTerminal(
      ["run", "--quiet", "--ask", "--", "sh", "-c", "echo evil > .envrc"],
      [
        ["[y] yes, once", "y"],
        ["keep the files that the call created", key],
      ],
    );
    expect(exit).toBe(0);
    for (const text of ["obeyed by direnv when a shell enters", "│ evil"]) expect(stdout).toContain(text);
    expect(existsSync(join(at.project, ".envrc"))).toBe(isKept);
  });
});
