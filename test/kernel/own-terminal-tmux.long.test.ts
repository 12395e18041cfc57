import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { commandLinesWith } from "../support/battery/processes.ts";
import { IS_LONG } from "../support/long.ts";
import { Pane, paneProblem } from "../support/screen/pane.ts";
import { processesWith, soon, uniqueWord } from "../unit/cli/command-line.ts";

sandboxMustWork("a terminal of a command's own");
const problem = unusable ?? paneProblem();
if (problem !== null) console.warn(`nobody sits at a terminal of tmux: ${problem}`);

it.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a pane can be had where it must", () => {
  expect(problem).toBeNull();
});

describe.skipIf(problem !== null).each(PEOPLE)("$name at a terminal", (person) => {
  test("tty: has a shell inside, with jobs, Ctrl-Z, Ctrl-C and its status, and the terminal back as it was", async () => {
    const pane = new Pane(person);
    await pane.untilSeen("$");
    const before = pane.modes();
    pane.run("PS1='in> ' cofferdam run --quiet -- bash --norc -i; echo status $?");
    await pane.untilSeen(/^bash-\S+[$#]$/);
    expect(pane.modes()).not.toBe(before);
    pane.run("PS1='in> '; tty; stty size; cat /proc/sys/kernel/hostname");
    await pane.untilSeen("cofferdam");
    expect(pane.rows()).toEqual(expect.arrayContaining(["/dev/pts/0", "24 100"]));
    pane.run("sleep 4321");
    // Before it runs, the terminal is not its own yet, and what is typed stops nobody.
    await pane.until(() => commandLinesWith("sleep\u00004321\0").length > 0);
    pane.type("\u{1a}");
    await pane.untilSeen(/^\[1\]\+ {2}Stopped +sleep 4321$/);
    pane.run("jobs -s | wc -l; fg");
    await pane.untilSeen("sleep 4321");
    expect(pane.rows()).toContain("1");
    pane.type("\u{3}");
    await pane.until(
      () =>
        pane
          .rows()
          .filter((row) => row !== "")
          .at(-1) === "in>",
    );
    pane.run("echo ended $?");
    await pane.untilSeen("ended 130");
    pane.resize(80, 30);
    pane.run("stty size");
    await pane.untilSeen("30 80");
    pane.run("(exit 3)");
    // Before it shows its prompt, the shell does not take it for the end.
    await pane.until(
      () =>
        pane
          .rows()
          .filter((row) => row !== "")
          .at(-1) === "in>",
    );
    pane.type("\u{4}");
    await pane.untilSeen("status 3");
    await pane.until(() => pane.modes() === before);
    expect(pane.looks()).toEqual(pane.usual);
  });

  /** Someone at a terminal, and the modes that it has. */
  async function seated(files: Readonly<Record<string, string>> = {}) {
    const pane = new Pane(person, files);
    await pane.untilSeen("$");
    return { pane, before: pane.modes() };
  }

  /** The terminal is the person's again, as it was. */
  async function isBack(pane: Pane, before: string): Promise<void> {
    await pane.until(() => pane.modes() === before, "the modes as before");
    await pane.until(
      () =>
        pane
          .rows()
          .filter((row) => row !== "")
          .at(-1) === "$",
      "the prompt",
    );
    expect(pane.looks()).toEqual(pane.usual);
    pane.run("echo still here");
    await pane.untilSeen("still here");
  }

  test("tty: edits a file inside, on a screen of any size", async () => {
    const { pane, before } = await seated();
    pane.run("cofferdam run --quiet -- vi -u NONE notes.txt; echo status $?");
    await pane.until(() => pane.looks().isOtherScreen && pane.rows()[0] === "" && pane.rows()[5] === "~");
    pane.type("ihello");
    await pane.untilSeen("hello");
    pane.resize(60, 12);
    await pane.until(
      () => pane.rows().filter((row) => row === "~").length === 10,
      "rows of the smaller screen",
    );
    pane.resize(90, 40);
    await pane.until(
      () => pane.rows().filter((row) => row === "~").length === 38,
      "rows of the larger screen",
    );
    // Without a shell inside there is nobody to suspend it for.
    pane.type("\u{1b}\u{1a}");
    await pane.until(() => pane.looks().isOtherScreen && pane.rows()[0] === "hello", "the file again");
    pane.type("omore\u{1b}");
    await pane.untilSeen("more");
    pane.type(":wq\r");
    await pane.untilSeen(/status 0$/);
    await isBack(pane, before);
    expect(readFileSync(join(pane.folder, "work/notes.txt"), "utf8")).toBe("hello\nmore\n");
  });

  test("tty: pages and redraws a full screen", async () => {
    const { pane, before } = await seated({
      long: Array.from({ length: 300 }, (_, at) => `row ${at}\n`).join(""),
    });
    pane.run("cofferdam run --quiet -- less long; echo paged $?");
    await pane.untilSeen("row 22");
    pane.type(" ");
    await pane.untilSeen("row 45");
    pane.type("q");
    await pane.untilSeen("paged 0");
    pane.run("cofferdam run --quiet -- top; echo topped $?");
    await pane.untilSeen(/^ +PID USER/);
    // Nobody else's processes are there.
    expect(pane.rows().some((row) => /\b3 total\b/.test(row))).toBe(true);
    pane.type("q");
    await pane.untilSeen("topped 0");
    await isBack(pane, before);
  });

  test("what a program draws means what it says: a line feed is no carriage return", async () => {
    const { pane, before } = await seated();
    pane.run("cofferdam run --quiet -- sh -c 'stty raw; printf \"down\\nhere\"; sleep 0.2; stty sane; echo'");
    await pane.untilSeen("    here");
    await isBack(pane, before);
  });

  test("what is told of a command is told when the terminal is the person's again", async () => {
    const { pane, before } = await seated();
    pane.run("cofferdam run --quiet -- cat /etc/shadow; echo status $?");
    await pane.untilSeen("status 1");
    expect(pane.rows()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^cofferdam: the sandbox prevented reading `\/etc\/shadow`/),
        expect.stringMatching(/^ {2}do: no config or operator profile can allow it/),
      ]),
    );
    await isBack(pane, before);
  });

  const LEAVES = [
    ["the other screen", String.raw`\033[?1049h`],
    ["an old other screen", String.raw`\033[?47h`],
    ["no cursor", String.raw`\033[?25l`],
    ["the mouse", String.raw`\033[?1003h\033[?1006h`],
    ["a scroll region", String.raw`\033[3;9r`],
    ["other keys", String.raw`\033[?1h\033=`],
    ["another character set", String.raw`\033(0\016`],
    ["colours", String.raw`\033[31;7m`],
    ["an unfinished title", String.raw`\033]0;gone`],
    ["an unfinished device string", String.raw`\033P1$r`],
    ["questions that the terminal answers", String.raw`\033[6n\033[c\033[5n\033[>c\033[6n`],
    [
      "a great many questions",
      String.raw`$(i=0; while [ $i -lt 300 ]; do printf '\033[5n\033[6n'; i=$((i+1)); done)`,
    ],
    ["more questions than anybody reads in one go", String.raw`$(perl -e 'print q(\033[6n) x 20000')`],
    [
      "all at once",
      String.raw`\033[?1049h\033[?25l\033[?1003h\033[5;7r\033[?1h\033=\033(0\033[31m\033[6n\033P+q`,
    ],
  ] as const;

  // Nothing of it depends on the user.
  test.each(person === PEOPLE[0] || IS_LONG ? LEAVES : LEAVES.slice(-1))(
    "tty: what a killed program leaves is put right: %s",
    async (_claim, sequences) => {
      // Answers that come before the program is killed would be echoed on its own terminal, as on any other.
      const { pane, before } = await seated({
        "leave.sh": `stty -echo\nprintf "${sequences}"\nkill -9 $$\n`,
      });
      pane.run("cofferdam run --quiet -- sh leave.sh; echo status $?");
      await pane.untilSeen(/status 137/);
      await isBack(pane, before);
      // What a terminal answers would stand behind the prompt, and be run.
      const last = pane
        .rows()
        .filter((row) => row !== "")
        .slice(-3);
      expect(last).toEqual(["$ echo still here", "still here", "$"]);
    },
  );

  test.each([
    ["SIGTERM", "status 143"],
    ["SIGHUP", "status 129"],
    ["SIGINT", "status 130"],
    ["SIGQUIT", "status 131"],
  ] as const)(
    "tty: %s of the supervisor gives the terminal back, and nothing is left inside",
    async (signal, status) => {
      const { pane, before } = await seated();
      const word = uniqueWord();
      pane.run(`cofferdam run --quiet -- vi -u NONE ${word}; echo status $?`);
      await pane.until(() => pane.looks().isOtherScreen && pane.rows()[5] === "~");
      process.kill(pane.supervisor() ?? 0, signal);
      await pane.untilSeen(status);
      await isBack(pane, before);
      expect(await soon(() => processesWith(word).length === 0)).toBe(true);
    },
  );

  test("proc: SIGKILL of the supervisor, and a terminal that goes away, leave nothing inside", async () => {
    for (const end of ["kill", "hang up"] as const) {
      const { pane } = await seated();
      const word = uniqueWord();
      pane.run(`cofferdam run --quiet -- sh -c 'trap "" HUP TERM INT; sleep 100; sleep 100' ${word}`);
      await pane.until(() => processesWith(word).length > 2, "the program");
      if (end === "kill") process.kill(pane.supervisor() ?? 0, "SIGKILL");
      else pane.hangUp();
      expect([end, await soon(() => processesWith(word).length === 0)]).toEqual([end, true]);
    }
  });

  test("tty: what is typed at a question is not the program's, and the question comes before the program", async () => {
    const { pane, before } = await seated();
    pane.run("cofferdam run --quiet --ask -- sh -c 'echo began; cat'; echo status $?");
    await pane.untilSeen(/\[y\] yes, once/);
    await new Promise((resolve) => setTimeout(resolve, 400));
    // Where the machine is busy all of it may come as one, which is no answer: then once more.
    const hasBegun = (): boolean => pane.rows().some((row) => row.endsWith("began"));
    for (let tries = 0; tries < 4 && !hasBegun(); tries += 1) {
      pane.type("y");
      pane.type("yyy");
      await soon(hasBegun);
    }
    await pane.untilSeen(/began$/);
    pane.run("mine");
    await pane.until(
      () => pane.rows().filter((row) => row === "mine").length === 2,
      "what was typed, and again",
    );
    pane.type("\u{4}");
    await pane.untilSeen("status 0");
    await isBack(pane, before);
    expect(pane.rows().some((row) => /^y+(mine)?$/.test(row))).toBe(false);
  });

  test.each([0, 60, 150, 300])(
    "Ctrl-C %i ms after a yes ends the command, whoever hears it",
    async (afterMs) => {
      const { pane, before } = await seated();
      pane.run("cofferdam run --quiet --ask -- sleep 100; echo status $?");
      await pane.untilSeen(/\[y\] yes, once/);
      await new Promise((resolve) => setTimeout(resolve, 400));
      pane.type("y");
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      pane.type("\u{3}");
      await pane.untilSeen(/status 130$/);
      await isBack(pane, before);
    },
  );

  test("what was typed before a command that nobody is asked about is the command's", async () => {
    const { pane, before } = await seated();
    pane.type("cofferdam run --quiet -- cat; echo status $?\rearly\r");
    await pane.until(
      () => pane.rows().filter((row) => row === "early").length >= 2,
      "what was typed, and again",
    );
    pane.type("\u{4}");
    await pane.untilSeen("status 0");
    await isBack(pane, before);
  });

  const IS_ONE = "test -t 0 && test -t 1 && echo own || echo none";
  const LIMITED =
    "version: 1\nsandbox: { paths: { w: { root: ., mode: rw, write_approval: false } }, runtimes: [system] }\n";

  test.each([
    ["at all three streams", `cofferdam run --quiet -- sh -c '${IS_ONE}'`, "own"],
    ["not when it is refused", `cofferdam run --quiet --no-terminal -- sh -c '${IS_ONE}'`, "none"],
    ["not when output is led elsewhere", `cofferdam run --quiet -- sh -c '${IS_ONE}' | cat`, "none"],
    ["not when errors are led elsewhere", `cofferdam run --quiet -- sh -c '${IS_ONE}' 2>errors`, "none"],
    ["not when input comes from elsewhere", `cofferdam run --quiet -- sh -c '${IS_ONE}' </dev/null`, "none"],
    ["not in the background", `cofferdam run --quiet -- sh -c '${IS_ONE}' & wait`, "none"],
    [
      "not above an operator's ceiling",
      `cofferdam run --quiet --profile p.yaml -- sh -c '${IS_ONE}'`,
      "none",
    ],
    ["not when the config says so", `cofferdam run --quiet --config no.yaml -- sh -c '${IS_ONE}'`, "none"],
    [
      "where the config leaves it open",
      `cofferdam run --quiet --config open.yaml -- sh -c '${IS_ONE}'`,
      "own",
    ],
  ])("tty: a typed command has a terminal of its own %s", async (_claim, line, seen) => {
    const { pane, before } = await seated({
      "p.yaml": "profile: p\nterminal: false\n",
      "no.yaml": `${LIMITED}shell: { terminal: false, default: { approval: false } }\n`,
      "open.yaml": `${LIMITED}shell: { default: { approval: false } }\n`,
    });
    pane.run(line);
    await pane.untilSeen(seen);
    await isBack(pane, before);
  });

  test("never-weaker: a terminal that is demanded and may not be had keeps the command from running", async () => {
    const { pane, before } = await seated({ "p.yaml": "profile: p\nterminal: false\n" });
    pane.run("cofferdam run --quiet --terminal --profile p.yaml -- touch made; echo status $?");
    await pane.untilSeen("status 77");
    expect(pane.rows()).toContain("cofferdam: denied: operator profiles do not allow a terminal");
    pane.run("cofferdam run --quiet --terminal -- touch made </dev/null; echo status $?");
    await pane.untilSeen("status 64");
    expect(existsSync(join(pane.folder, "work/made"))).toBe(false);
    pane.run("cofferdam run --quiet --terminal -- touch made; echo status $?");
    await pane.untilSeen("status 0");
    expect(existsSync(join(pane.folder, "work/made"))).toBe(true);
    await isBack(pane, before);
  });

  test("a supervisor that is stopped leaves the terminal to others, and takes it again", async () => {
    const { pane, before } = await seated();
    pane.run("cofferdam run --quiet -- vi -u NONE notes.txt");
    await pane.until(() => pane.looks().isOtherScreen && pane.rows()[5] === "~");
    pane.type("ihello");
    await pane.untilSeen("hello");
    const supervisor = pane.supervisor() ?? 0;
    process.kill(supervisor, "SIGTSTP");
    await pane.until(() => pane.modes() === before && !pane.looks().isOtherScreen, "the terminal back");
    pane.run("fg");
    await pane.until(() => pane.looks().isOtherScreen && pane.rows()[0] === "hello", "the screen again");
    pane.type("\u{1b}:q!\r");
    await pane.until(() => !pane.looks().isOtherScreen, "the end of the program");
    await isBack(pane, before);
  });
});
