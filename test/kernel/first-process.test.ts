import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { handOver } from "../../src/backend/bubblewrap/handed.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { behindStartProgram, SHELLS } from "../support/battery/start-program.ts";

sandboxMustWork("the first process");

const line = (text: string): readonly string[] => ["/bin/sh", "-c", text];

describe.skipIf(unusable !== null).each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
  "%s as the first process",
  (_, shell) => {
    it("proc: ends with the program's own status, and as shells tell it after a signal", async () => {
      const ends: readonly (readonly [words: readonly string[], code: number])[] = [
        [["/bin/true"], 0],
        [line("exit 255"), 255],
        [["/no/such/program"], 127],
        [["/etc/passwd"], 126],
        ...(
          ["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGABRT", "SIGKILL", "SIGSEGV", "SIGTERM"] as const
        ).map((name) => [line(`kill -${name.slice(3)} $$`), 128 + constants.signals[name]] as const),
        [line("kill -40 $$"), 168],
      ];
      const told = await Promise.all(
        ends.map(async ([words]) => (await behindStartProgram(shell, words)).code),
      );
      expect(told).toEqual(ends.map(([, code]) => code));
    });

    it("proc: no signal from inside ends it, stops it, or changes the program's status", async () => {
      const all = "TERM INT HUP QUIT KILL STOP TSTP USR1 USR2 ALRM ABRT SEGV PIPE CHLD CONT";
      const [each, group] = await Promise.all([
        behindStartProgram(shell, line(`for one in ${all}; do kill -$one 1; done; echo on; exit 5`)),
        // A script's own clean-up often is a signal to its whole group, which the first process is in.
        behindStartProgram(
          shell,
          line("trap : TERM INT HUP; kill -INT 0; kill -TERM 0; kill -HUP 0; echo on; exit 6"),
        ),
      ]);
      expect([each, group]).toEqual([
        { code: 5, stdout: "on\n", stderr: "" },
        { code: 6, stdout: "on\n", stderr: "" },
      ]);
    });

    it("proc: the program starts with every signal as by default, and its subshells too", async () => {
      const { stdout } = await behindStartProgram(
        shell,
        line("sed -n 's/^Sig\\(Blk\\|Ign\\|Cgt\\)://p' /proc/self/status"),
      );
      expect(stdout.trim().split(/\s+/)).toEqual(["0", "0", "0"].map((one) => one.padStart(16, "0")));
    });

    it("proc: the program has every word as it was given, however many, however long", async () => {
      const odd = [
        "",
        "-n",
        "--",
        "$0",
        "$(id)",
        "`id`",
        '"',
        "'",
        "\\",
        "a  b",
        "*",
        "~",
        "\n",
        " x\n\n",
        "$cofferdam_at",
      ];
      const all = Array.from({ length: 0x180 }, (__, code) => String.fromCharCode(code)).slice(1);
      const given = [
        odd,
        ...all.flatMap((__, at) => (at % 50 === 0 ? [all.slice(at, at + 50)] : [])),
        [all.join("")],
        [],
        ["y".repeat(16_000)],
      ];
      // Too many, and too long, to be handed over.
      const more = [
        Array.from({ length: 300 }, (__, at) => `${at} "`),
        ["x".repeat(100_000), "'"],
        [...odd, ...all],
      ];
      const program = ["/usr/bin/perl", "-e", "print map { length(), qq( $_\n) } @ARGV", "--"];
      const seen = await Promise.all(
        [...given, ...more].map((words) => behindStartProgram(shell, [...program, ...words])),
      );
      const told = (words: readonly string[]): string =>
        words.map((word) => `${Buffer.byteLength(word)} ${word}\n`).join("");
      expect(seen.map(({ stdout }) => stdout)).toEqual([...given, ...more].map(told));
      expect(more.map((words) => handOver([...program, ...words]).argv.length > 0)).toEqual([
        true,
        true,
        true,
      ]);
      expect(given.map((words) => handOver([...program, ...words]).argv)).toEqual(given.map(() => []));
    });

    it("proc: nothing of how it was handed over reaches the program", async () => {
      const { stdout } = await behindStartProgram(
        shell,
        line("env | grep -c cofferdam; set | grep -c '^cofferdam'"),
      );
      expect(stdout).toBe("0\n0\n");
    });

    it("proc: waits for daemons that end meanwhile", async () => {
      // Of 100 only the program and the first process are left.
      expect(await behindStartProgram(shell, DAEMONS)).toEqual({ code: 0, stdout: "2", stderr: "" });
    });
  },
);

/** Makes 100 daemons that end at once, and tells how many processes there are when they have had the time to go. */
const DAEMONS = [
  "/usr/bin/perl",
  "-e",
  `sub all { opendir my $d, "/proc"; scalar grep /^[0-9]/, readdir $d }
   for (1 .. 100) { my $p = fork; if (!$p) { fork or exit; exit } waitpid $p, 0 }
   for (1 .. 50) { last if all() < 3; select undef, undef, undef, 0.02 } print all()`,
] as const;

it.skipIf(unusable !== null)(
  "proc: a first process that waits for its own children alone keeps every daemon",
  () => {
    const options = ["--unshare-all", "--unshare-user", "--as-pid-1"];
    const places = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
    const { stdout } = spawnSync("/usr/bin/bwrap", [...options, ...places, "--", ...DAEMONS], {
      encoding: "utf8",
    });
    expect(Number(stdout)).toBeGreaterThan(100);
  },
);
