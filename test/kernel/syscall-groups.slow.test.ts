import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { syscallNumbers } from "../../src/attacks/syscall.ts";
import { no32Bit } from "../support/battery/abi32.ts";
import { calling32, program32 } from "../support/battery/elf.ts";
import { itNeeds, itUnless, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

const NR = syscallNumbers(process.arch);

sandboxMustWork("groups of system calls");

const PTRACE_SEIZE = 0x4206;
const process_vm_writev = process.arch === "arm64" ? 271 : 311;

/** Seizes a process by its number, or a child where it is 0, and says how that went. */
function seizes(pid: number): readonly string[] {
  const target = pid === 0 ? "my $pid = fork // die; if (!$pid) { sleep 5; exit }" : `my $pid = ${pid};`;
  const ptrace = `syscall(${NR.ptrace}, ${PTRACE_SEIZE}, $pid, 0, 0)`;
  return [
    "perl",
    "-e",
    `${target} print ${ptrace} < 0 ? "no: $!\\n" : "traced\\n"; kill 9, $pid if ${pid} == 0`,
  ];
}

/** Ways to change the first process, which tells the call's status and dies with the supervisor. */
const TAMPERING: readonly (readonly string[])[] = [
  seizes(1),
  ["perl", "-e", `print syscall(${process_vm_writev}, 1, 0, 0, 0, 0, 0) < 0 ? "no: $!\\n" : "written\\n"`],
  ["perl", "-e", `print syscall(${NR.pidfd_getfd}, -1, 0, 0) < 0 ? "no: $!\\n" : "taken\\n"`],
  ["perl", "-e", 'print open(my $f, "+<", "/proc/1/mem") ? "open\\n" : "no: $!\\n"'],
  ["perl", "-e", 'print open(my $f, "+<", "/proc/1/exe") ? "open\\n" : "no: $!\\n"'],
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  async function ran(syscalls: readonly string[], argvs: readonly (readonly string[])[]) {
    const calls = argvs.map((argv) => ({ argv: [...argv] }));
    const [made, ...replies] = await place.run({ settings: { sandbox: { syscalls } }, job: { calls } });
    expect(made).toEqual({ kind: "made" });
    return replies.map((reply) => {
      if (reply.kind !== "ran") throw new Error(JSON.stringify(reply));
      const { code, stdout, standings } = reply;
      return { code, stdout, standing: standings["syscalls"] };
    });
  }

  it("sys: without any, no process is traced", async () => {
    const [traced] = await ran([], [seizes(0)]);
    expect(traced).toEqual({ code: 0, stdout: "no: Operation not permitted\n", standing: "enforced" });
  });

  itUnless(no32Bit, "sys: nor does a 32-bit program run", async () => {
    const file = place.file("ws/program32", program32(), 0o755);
    const [run32] = await ran([], [[file]]);
    expect(run32).toMatchObject({ code: 128 + 31, standing: "enforced" });
  });

  it("proc: with debug, a process is traced, but never the first one, by any way there is", async () => {
    const [traced, ...tampered] = await ran(["debug"], [seizes(0), ...TAMPERING]);
    expect(traced).toEqual({ code: 0, stdout: "traced\n", standing: "partial" });
    const refused = ["Operation not permitted", "Operation not permitted", "Operation not permitted"];
    const readOnly = [
      "Read-only file system",
      expect.stringMatching(/^(Read-only file system|Text file busy|Permission denied)$/),
    ];
    expect(tampered.map(({ stdout }) => stdout.trim().replace("no: ", ""))).toEqual([
      ...refused,
      ...readOnly,
    ]);
    // The same on a process of one's own without the sandbox: each act works where nothing prevents it.
    const own = "my $c = fork // die; if (!$c) { sleep 5; exit }";
    const acts = [
      `syscall(${NR.ptrace}, ${PTRACE_SEIZE}, $c, 0, 0) >= 0`,
      `syscall(${process_vm_writev}, $c, 0, 0, 0, 0, 0) >= 0`,
      'open(my $f, "+<", "/proc/$c/mem")',
    ];
    const { stdout } = place.plainly(
      `perl -e '${own} print((${acts.join(") && (")}) ? "done" : "no: $!"); kill 9, $c'`,
    );
    expect(stdout).toBe("done");
  });

  const debuggers = ["/usr/bin/gdb", "/usr/bin/strace"];
  itNeeds(debuggers, `with debug, gdb and strace work as ${person.name}, and not without`, async () => {
    const lines = [
      ["gdb", "-batch", "-ex", "starti", "-ex", "info registers", "--args", "/usr/bin/true"],
      ["strace", "-f", "-o", "/dev/stdout", "sh", "-c", "/usr/bin/true; exit 3"],
    ];
    const [gdb, strace] = await ran(["debug"], lines);
    expect(gdb?.stdout).toMatch(/^(rip|pc) /m);
    expect(strace).toMatchObject({ code: 3, stdout: expect.stringContaining('execve("/usr/bin/true"') });
    const [none, neither] = await ran([], lines);
    expect(none?.stdout).not.toMatch(/^(rip|pc) /m);
    expect(neither?.stdout).not.toContain("execve(");
  });

  itUnless(
    no32Bit,
    `sys: with abi32, a 32-bit program runs as ${person.name} and is refused what others are`,
    async () => {
      const file = place.file("ws/program32", program32(), 0o755);
      // keyctl, mount and getpid of i386; what they answer goes to standard output.
      const calls = place.file("ws/calls32", program32(calling32([[288], [21], [20]])), 0o755);
      const printed = [
        "perl",
        "-e",
        `print join " ", map { $_ < 0 ? $_ : "ok" } reverse unpack "l*", \`${calls}\``,
      ];
      const [status, answers, traced] = await ran(["abi32"], [[file], printed, seizes(0)]);
      expect(status).toEqual({ code: 7, stdout: "", standing: "enforced" });
      expect(answers?.stdout).toBe("-1 -1 ok");
      expect(traced?.stdout).toBe("no: Operation not permitted\n");
    },
  );
});
