import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { end, leftAfter, processesWith } from "../support/battery/processes.ts";
import { RulesPlace } from "../support/mac/rules.ts";
import { noStandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("the end of programs behind rules");

/**
 * Makes children of every stubborn kind, each with the word in its command line, then goes on with what it is told: once the
 * last of them has become its program, by which the pipe is closed.
 */
const STUBBORN = `
  use POSIX (); my ($word, $then) = @ARGV; $SIG{$_} = "IGNORE" for qw(TERM HUP INT QUIT USR1);
  pipe my $programs, my $mine;
  for my $kind (qw(plain session daemon)) {
    next if fork; POSIX::setsid() if $kind ne "plain"; if ($kind eq "daemon") { exit if fork; chdir "/"; close STDOUT; close STDERR }
    exec "/usr/bin/perl", "-e", "sleep 600", "$word-$kind" }
  $| = 1; print "made\\n"; close $mine; <$programs>; exec "/bin/sh", "-c", $then, $word`;

describe.skipIf(noStandIn !== null)("when a call ends", () => {
  let place: RulesPlace;
  let word = "";
  beforeEach(() => {
    place = new RulesPlace();
    word = randomBytes(12).toString("hex");
  });
  afterEach(() => {
    end(processesWith(word));
    place[Symbol.dispose]();
  });

  const stubborn = (then: string) => ({ argv: ["/usr/bin/perl", "-e", STUBBORN, word, then] });

  it("proc: children that left the session, became daemons or ignore signals end with it", async () => {
    const ended = await place.run(stubborn("exit 7"));
    expect(processesWith(word)).toEqual([]);
    expect(ended).toMatchObject({ cause: "exited", code: 7, shortcomings: [] });
    expect(place.left()).toEqual([]);
  });

  it("proc, limit: they end at the wall time, though they ignore being asked", async () => {
    const ended = await place.run(stubborn("trap '' TERM; while :; do sleep 0.1; done"), { wallMs: 1_500 });
    expect(processesWith(word)).toEqual([]);
    expect(ended).toMatchObject({ cause: "timed-out", code: 137, shortcomings: [] });
    expect(place.left()).toEqual([]);
  });

  it("proc: they end when it is cancelled; a program that ends when asked has its own status", async () => {
    const controller = new AbortController();
    const line = "setsid sleep 600 & trap 'echo bye; exit 3' TERM; : >up; while :; do sleep 0.05; done";
    const running = place.run({ argv: ["/bin/sh", "-c", line, word] }, { signal: controller.signal });
    await vi.waitFor(() => readFileSync(join(place.ws, "up")), { timeout: 60_000 });
    controller.abort();
    const ended = await running;
    expect(ended).toMatchObject({ cause: "aborted", code: 3, shortcomings: [] });
    expect(ended.stdout.bytes.toString()).toBe("bye\n");
    expect(processesWith(word)).toEqual([]);
  });

  it("proc: one that kills the start program is ended with its group: nothing is left, and nothing told", async () => {
    // The start program is the parent of the program; what kills for it is the start program's other child.
    const line = `kill -9 $PPID; sleep 0.2; exec sleep 600`;
    const ended = await place.run({ argv: ["/bin/sh", "-c", line, word] });
    expect(ended.code).toBe(137);
    expect(await leftAfter(5_000, word)).toEqual([]);
    expect(ended.shortcomings).toEqual([]);
    expect(place.left()).toEqual([]);
  });

  it("proc: of one that kills the start program and all beside it, daemons may go on, which is told", async () => {
    const line =
      "for p in $(cat /proc/$PPID/task/*/children); do [ $p = $$ ] || kill -9 $p; done; kill -9 $PPID; exit 5";
    const ended = await place.run(stubborn(line));
    expect(ended.code).toBe(137);
    const left = [processesWith(`${word}-session`), processesWith(`${word}-daemon`)];
    expect(processesWith(`${word}-plain`)).toEqual([]);
    expect(ended.shortcomings).toEqual([
      {
        protection: "processes",
        reason: "the program ended the helper that ends its remaining processes: some of them may still run",
      },
    ]);
    expect(left.map(({ length }) => length)).toEqual([1, 1]);
    expect(place.left()).toEqual([]);
  });

  it("proc: processes that keep coming are ended all the same", async () => {
    const chain = "while (time - $^T < 10) { if (fork) { select undef, undef, undef, 0.02; exit } }";
    const ended = await place.run({
      argv: ["/bin/sh", "-c", `perl -e '${chain}' ${word} & sleep 0.3`],
    });
    expect(ended.code).toBe(0);
    expect(await leftAfter(2_000, word)).toEqual([]);
    expect(ended.shortcomings).toEqual([]);
  });

  it.each([
    ["that go and leave others, each a look later, may go on: that is told", "$n", "1", 1],
    ["that stay, and are not inside, are nobody's to end", "1", "1", 0],
    ["that somebody outside has started, and that come and go, are nobody's to end", "$n", "$PPID", 0],
  ])("proc: processes %s", async (_, pid, parent, shortcomings) => {
    const { rules } = place.surroundings;
    if (rules === null) throw new Error("the place has no rules");
    const ps = knownPath(join(place.top, "ps"));
    // Beside those that there are it lists one that nobody can kill, from its second time on: the first is before the program.
    const lines = [
      "#!/bin/sh",
      'n=$(($(cat "$0.n" 2>/dev/null || echo 0) + 1)); echo $n >"$0.n"',
      `[ $n = 1 ] || echo "$((4190000 + ${pid})) ${parent.replace("$PPID", String(process.ppid))} 9 $(id -u) S Wed Nov 25 10:00:00 2026"`,
      'exec /usr/bin/ps "$@"',
    ];
    writeFileSync(ps, `${lines.join("\n")}\n`, { mode: 0o755 });
    const ended = await place.run(stubborn("exit 7"), {
      surroundings: { ...place.surroundings, rules: { ...rules, ps } },
    });
    expect(processesWith(word)).toEqual([]);
    const reason = "some remaining processes of the program did not end";
    expect(ended.shortcomings).toEqual([{ protection: "processes", reason }].slice(0, shortcomings));
  });

  it("fs.residue, proc: after five calls nothing is left, neither a folder nor a process", async () => {
    for (let at = 0; at < 5; at += 1) {
      const line = `echo ${at} >$TMPDIR/a; mkdir -p $HOME/b/c; sleep 600 & exit ${at % 3}`;
      expect((await place.run({ argv: ["/bin/sh", "-c", line, word] })).code).toBe(at % 3);
    }
    expect(processesWith(word, place.top)).toEqual([]);
    expect(place.left()).toEqual([]);
  });

  it("proc: where processes can't be listed any more, every pid is tried", async () => {
    const { rules } = place.surroundings;
    if (rules === null) throw new Error("the place has no rules");
    const ps = knownPath(join(place.top, "ps"));
    writeFileSync(ps, '#!/bin/sh\n[ -e "$0.used" ] && exit 1\n: >"$0.used"\nexec /usr/bin/ps "$@"\n', {
      mode: 0o755,
    });
    const surroundings = { ...place.surroundings, rules: { ...rules, ps } };
    const ended = await place.run(stubborn("exit 7"), { surroundings });
    expect(ended).toMatchObject({ code: 7, shortcomings: [] });
    expect(processesWith(word)).toEqual([]);
  });

  it("proc: where signals reach outside, nothing is killed by what stands inside, and that is told", async () => {
    const cut = (script: string): string =>
      script
        .split("\n")
        .filter((line) => !line.includes("o signal"))
        .join("\n");
    place.standIn.mode = "signals";
    const bystander = spawn("/usr/bin/perl", ["-e", "sleep 600", `${word}-bystander`], { stdio: "ignore" });
    await vi.waitFor(() => expect(processesWith(`${word}-bystander`)).toEqual([bystander.pid]), 20_000);
    // It comes after the program was let go, so that it is as much a candidate as what that has left.
    const running = place.run({ ...stubborn("sleep 1; exit 7"), script: cut });
    const later = spawn("/bin/sh", ["-c", 'sleep 0.7; exec perl -e "sleep 600" "$0"', `${word}-later`], {
      stdio: "ignore",
    });
    const ended = await running;
    expect(ended.code).toBe(7);
    expect(ended.shortcomings).toEqual([
      {
        protection: "processes",
        reason:
          "processes outside could be signalled, so not all remaining processes of the program were ended",
      },
    ]);
    expect(processesWith(`${word}-bystander`)).toEqual([bystander.pid]);
    expect(processesWith(`${word}-later`)).toEqual([later.pid]);
    expect(processesWith(`${word}-plain`)).toEqual([]);
  });

  it("proc: what kills inside ends all where the host can't go on, which is told", async () => {
    const { rules } = place.surroundings;
    if (rules === null) throw new Error("the place has no rules");
    const { outsider } = rules;
    using asked = vi.spyOn(outsider, "pid").mockReturnValueOnce(outsider.pid());
    asked.mockImplementation(() => {
      throw new Error("it can't be started again");
    });
    const ended = await place.run(stubborn("exit 7"));
    expect(await leftAfter(10_000, word)).toEqual([]);
    expect(ended.code).toBe(7);
    const reason =
      "the program ended the helper that ends its remaining processes: some of them may still run";
    expect(ended.shortcomings).toEqual([{ protection: "processes", reason }]);
    expect(place.left()).toEqual([]);
  });

  it("two calls at once end each its own", async () => {
    const other = place.run({ argv: ["/bin/sh", "-c", "sleep 2; echo whole", word] });
    await place.run(stubborn("exit 0"));
    expect((await other).stdout.bytes.toString()).toBe("whole\n");
  });
});
