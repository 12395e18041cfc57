import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { endingOf, saidBy, startCommand } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("processor time");

const XCPU = 128 + constants.signals.SIGXCPU;
const LOOP = "perl -e '1 while 1'";
const DEAF = `perl -e '$SIG{XCPU} = "IGNORE"; 1 while 1'`;
/** Says what processor time it has had, and goes on. */
const TELLS = `perl -e '$| = 1; $SIG{XCPU} = sub { printf "%.1f", (times)[0] + (times)[1] }; 1 while 1'`;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  /** What became of lines of shell, one after another, where each process has a second. */
  async function endings(
    lines: readonly string[],
    under: readonly string[] = [],
  ): Promise<readonly unknown[]> {
    using place = new Place(person);
    const settings = { sandbox: { limits: { cpu: "1s", wall: "30s" } } };
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] }));
    const [, ...replies] = await place.run({ settings, under, job: { calls } });
    return replies.map((one) => (one.kind === "ran" ? [one.code, one.limitsReached, one.stdout] : one));
  }

  it("limit: whose time runs out is told so, alone or as what another waits for; who has some left is not", async () => {
    expect(await endings([`exec ${LOOP}`, `${LOOP}; exit $?`, "exit 3"])).toEqual([
      [XCPU, ["cpuSeconds"], ""],
      [XCPU, ["cpuSeconds"], ""],
      [3, [], ""],
    ]);
  });

  it("limit: whoever does not listen is ended a second later, and what nobody can know is not told", async () => {
    expect(await endings([`exec ${DEAF}`, `exec ${TELLS}`, `${LOOP}; exit 0`])).toEqual([
      [137, [], ""],
      // The kernel counts the limit by ticks, and `times` what was had: on a busy machine they differ by tenths.
      [137, [], expect.stringMatching(/^(0\.[6-9]|1\.[0-4])(1\.[6-9]|2\.[0-4])?$/)],
      [0, [], ""],
    ]);
  });

  it("limit: where this machine gives nobody more than that, the kernel ends it at once, and nothing is refused", async () => {
    // The supervisor has as little.
    const under = ["/bin/bash", "-c", 'ulimit -t 5 && exec "$@"', "bash"];
    using place = new Place(person);
    const run = async (cpu: string) => {
      const settings = { sandbox: { limits: { cpu, wall: "30s" } } };
      const look = { argv: ["sh", "-c", "ulimit -S -t; ulimit -H -t"] };
      const [, reply] = await place.run({ settings, under, job: { calls: [look] } });
      return reply?.kind === "ran" ? reply.stdout : reply?.kind;
    };
    expect(await run("4s")).toBe("4\n5\n");
    expect(await run("5s")).toBe("5\n5\n");
    expect(await run("6s")).toBe("threw");
  });

  it("limit: `cofferdam run` says it, with what to do", async () => {
    using place = new Place(person);
    place.config({ sandbox: { limits: { cpu: "1s" } } });
    const child = startCommand(place, [
      ...["run", "--quiet", "--config", `${place.top}/config.yaml`, "--", "sh", "-c", `exec ${LOOP}`],
    ]);
    const [how, said] = await Promise.all([endingOf(child), saidBy(child)]);
    expect([how.status, said.stderr]).toEqual([
      XCPU,
      [
        "cofferdam: CPU time limit exceeded: the kernel ended a process of the command",
        "  do: raise `sandbox.limits.cpu`, or the lower limit of a profile",
        "",
      ].join("\n"),
    ]);
  });
});
