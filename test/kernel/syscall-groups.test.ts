import { describe, expect, it } from "vitest";
import { syscallNumbers } from "../../src/attacks/syscall.ts";
import type { ProgramOutcome } from "../../src/index.ts";
import { program32 } from "../support/battery/elf.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

const NR = syscallNumbers(process.arch);

sandboxMustWork("groups of system calls in the outcome");

/** Seizes a child (PTRACE_SEIZE), and says how that went the way that debuggers do. */
const TRACES = `my $pid = fork; if (!$pid) { sleep 5; exit } my $r = syscall(${NR.ptrace}, 0x4206, $pid, 0, 0); kill 9, $pid; $r < 0 and die "ptrace: $!\n"`;

describe.skipIf(unusable !== null)("groups of system calls", () => {
  it("what the config or a ceiling does not list is refused, and the outcome says whose that is", async () => {
    using place = new Place(CALLER);
    const file = place.file("ws/program32", program32(), 0o755);
    const profile = place.file("none.yaml", JSON.stringify({ profile: "none", syscalls: [] }));
    const outcomes = async (
      sandbox: Readonly<Record<string, unknown>>,
    ): Promise<readonly ProgramOutcome[]> => {
      await using supervisor = await place.supervisor({ sandbox });
      const session = supervisor.session({ caller: "person" });
      return [
        await session.call("shell", { argv: ["perl", "-e", TRACES] }),
        await session.call("shell", { argv: [file] }),
      ];
    };
    const syscalls = ["abi32", "debug"];
    const [traced, run] = await outcomes({ syscalls });
    expect(traced).toMatchObject({ kind: "done", code: 0 });
    expect(
      traced !== undefined && "receipt" in traced ? traced.receipt.enforcement.syscalls : traced,
    ).toEqual({
      kind: "partial",
      reason:
        "as configured, processes of a call can trace and change each other: its status and output may be those of any of them",
    });
    const [untraced, killed] = await outcomes({});
    const denied = { certainty: "likely", because: expect.stringContaining("is not listed (config)") };
    expect(untraced).toMatchObject({
      kind: "failed",
      receipt: { enforcement: { syscalls: { kind: "enforced" } } },
      denials: [{ ...denied, operation: "trace", target: "another process" }],
    });
    const [, cut] = await outcomes({ syscalls, os_profile: [profile] });
    if (process.arch !== "x64") return;
    const target = "a 32-bit program, or one of another foreign ABI";
    expect(run).toMatchObject({ kind: "failed", code: 7 });
    expect(killed).toMatchObject({ code: 159, denials: [{ ...denied, operation: "run", target }] });
    expect(cut).toMatchObject({
      code: 159,
      denials: [
        {
          operation: "run",
          target,
          because: expect.stringMatching(/^`abi32` is not listed \(none, .*none\.yaml:1:\d+\)$/),
          remedy: "only the owner of the profile `none` can allow it; do it without",
        },
      ],
    });
  });
});
