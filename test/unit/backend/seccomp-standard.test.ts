import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSeccomp } from "../../../src/backend/seccomp/policy.ts";
import { standardPolicy, standardProgram } from "../../../src/backend/seccomp/standard.ts";
import {
  ALLOWED_ON_PURPOSE,
  ARGUMENTS,
  BY_ARGUMENT,
  expectedAnswer,
  type Grant,
  grantedOf,
  NOT_PERMITTED,
  NOT_THERE,
  numberOf,
  REFUSED_ELSEWHERE,
  rowsOf,
  type Table,
} from "../../support/seccomp-expected.ts";
import { AUDIT, simulateSeccomp } from "../../support/seccomp-simulator.ts";

const TABLES = ["x64", "arm64", "i386", "arm"] as const;
const GRANTS: readonly (readonly Grant[])[] = [
  [],
  ["unix"],
  ["debug", "unix"],
  ["abi32"],
  ["abi32", "unix"],
  ["abi32", "debug", "unix"],
];
const VARIANTS = (["x64", "arm64"] as const).flatMap((machine) =>
  GRANTS.map((granted) => ({
    machine,
    granted,
    title: `${machine}, granted ${granted.join(" and ") || "nothing"}`,
  })),
);
const X32 = 0x40000000;

/** Every number that a table could have, those of x32 that Linux before 5.4 took without their bit, and the first ones of arm's own. */
const NUMBERS = [...Array(1024).keys(), 0x0effff, 0x0f0000, 0x0f0005, 0x0f07ff, 0x0f0800, 0xffff_ffff];

describe.each(VARIANTS)("the standard program on $title", ({ machine, granted }) => {
  const program = standardProgram(machine, grantedOf(granted));

  it.each(TABLES)("sys, sock, tty: answers every number of %s as the table says", (table) => {
    const wrong = NUMBERS.flatMap((number) => {
      const answer = simulateSeccomp(program, { arch: AUDIT[table], number });
      const expected = expectedAnswer(machine, granted, table, number, []);
      return answer === expected ? [] : [{ number, answer, expected }];
    });
    expect(wrong).toEqual([]);
  });

  it.each(TABLES)(
    "sys, sock, tty: looks at arguments of %s as the table says, and at their low words alone",
    (table) => {
      const judged = [...rowsOf(BY_ARGUMENT, table)];
      const wrong = judged.flatMap(([number, name]) =>
        ARGUMENTS.flatMap((args) => {
          const answer = simulateSeccomp(program, { arch: AUDIT[table], number, args });
          const expected = expectedAnswer(machine, granted, table, number, args);
          return answer === expected ? [] : [{ name, args, answer, expected }];
        }),
      );
      expect(wrong).toEqual([]);
    },
  );

  it("sys: answers any call with any arguments as the table says", () => {
    const word = fc.bigInt({ min: 0n, max: 0xffff_ffffn });
    const known = fc.constantFrom(...ARGUMENTS.flat());
    const argument = fc.oneof(
      known,
      fc.tuple(word, word).map(([low, high]) => (high << 32n) | low),
    );
    const number = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 0xffff_ffff }));
    const args = fc.array(argument, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...TABLES), number, args, (table, nr, values) => {
        expect(simulateSeccomp(program, { arch: AUDIT[table], number: nr, args: values })).toBe(
          expectedAnswer(machine, granted, table, nr, values),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("sys: no call of x32 exists", () => {
    const numbers = [...Array(1024).keys()].flatMap((nr) => [X32 + nr, X32 + nr + 0x8000_0000]);
    const answers = numbers.map((number) => simulateSeccomp(program, { arch: AUDIT[machine], number }));
    expect(new Set(answers)).toEqual(new Set(["errno 38"]));
  });

  it("sys: a call of any other architecture kills the process", () => {
    const word = fc.integer({ min: 0, max: 0xffff_ffff });
    const near = fc
      .constantFrom(...Object.values(AUDIT))
      .chain((arch) => fc.nat(31).map((bit) => (arch ^ (1 << bit)) >>> 0));
    const judged: readonly number[] = TABLES.filter(
      (table) => expectedAnswer(machine, granted, table, 0, []) !== "kill process",
    ).map((table) => AUDIT[table]);
    fc.assert(
      fc.property(fc.oneof(word, near, fc.constant(AUDIT.riscv64)), word, (arch, number) => {
        if (judged.includes(arch)) return;
        expect(simulateSeccomp(program, { arch, number })).toBe("kill process");
      }),
    );
  });

  it("a call that is allowed whatever its arguments is so by its number alone, which the kernel then remembers", () => {
    for (const number of Array(472).keys()) {
      if (rowsOf(BY_ARGUMENT, machine).has(number)) continue;
      const loads: number[] = [];
      simulateSeccomp(program, { arch: AUDIT[machine], number }, (at) => {
        const code = new DataView(program.buffer).getUint16(at * 8, true);
        if (code === 0x20) loads.push(program[at * 8 + 4] ?? 0);
      });
      expect([number, loads]).toEqual([number, [4, 0]]);
    }
  });
});

it("the programs have so many instructions, and no call takes more steps than these", () => {
  const sizes = VARIANTS.map(({ machine, granted, title }) => {
    const program = standardProgram(machine, grantedOf(granted));
    const steps = TABLES.flatMap((table) =>
      NUMBERS.map((number) => {
        let count = 0;
        simulateSeccomp(program, { arch: AUDIT[table], number, args: [16n, 0x5401n] }, () => (count += 1));
        return count;
      }),
    );
    return `${title}: ${program.byteLength / 8} instructions, ${Math.max(...steps)} steps`;
  });
  expect(sizes).toMatchInlineSnapshot(`
    [
      "x64, granted nothing: 228 instructions, 32 steps",
      "x64, granted unix: 220 instructions, 23 steps",
      "x64, granted debug and unix: 228 instructions, 23 steps",
      "x64, granted abi32: 467 instructions, 33 steps",
      "x64, granted abi32 and unix: 451 instructions, 24 steps",
      "x64, granted abi32 and debug and unix: 467 instructions, 25 steps",
      "arm64, granted nothing: 200 instructions, 29 steps",
      "arm64, granted unix: 192 instructions, 24 steps",
      "arm64, granted debug and unix: 201 instructions, 24 steps",
      "arm64, granted abi32: 425 instructions, 33 steps",
      "arm64, granted abi32 and unix: 409 instructions, 24 steps",
      "arm64, granted abi32 and debug and unix: 426 instructions, 24 steps",
    ]
  `);
});

it("nothing that is refused by default in containers and desktop sandboxes is allowed here", () => {
  const refused = [...NOT_PERMITTED, ...NOT_THERE, ...BY_ARGUMENT].filter((row) => {
    const number = numberOf(row, "x64");
    return number !== null && expectedAnswer("x64", [], "x64", number, []) !== "allow";
  });
  const names = refused.map(([name]) => name);
  expect(REFUSED_ELSEWHERE.filter((name) => !names.includes(name))).toEqual([]);
});

it("every call since Linux 5.1 was judged: it is refused, or allowed for a reason", () => {
  const newer = Array.from({ length: 471 - 423 }, (_, at) => 424 + at);
  const allowed = ALLOWED_ON_PURPOSE.map(([number]) => number);
  const byArgument = [...rowsOf(BY_ARGUMENT, "x64").keys()].filter((number) => number >= 424);
  for (const table of TABLES) {
    const machine = table === "x64" || table === "i386" ? "x64" : "arm64";
    const open = newer.filter((number) => expectedAnswer(machine, ["abi32"], table, number, []) === "allow");
    // 32-bit arm has no memfd_secret.
    const none = table === "arm" ? [447] : [];
    expect(open).toEqual([...allowed, ...byArgument, ...none].sort((a, b) => a - b));
  }
});

describe("what these tests notice", () => {
  /** What a table has to say of its calls, refused ones and those with arguments. */
  const calls = (table: Table) =>
    [...NOT_PERMITTED, ...NOT_THERE, ...BY_ARGUMENT].flatMap((row) => {
      const number = numberOf(row, table);
      if (number === null) return [];
      const args = BY_ARGUMENT.includes(row) ? ARGUMENTS : [[]];
      return args.map((one) => ({ name: row[0], number, args: one }));
    });
  const callsOf = { x64: calls("x64"), arm64: calls("arm64"), i386: calls("i386"), arm: calls("arm") };

  it.each(VARIANTS)(
    "a rule left out of the policy on $title turns red what it refuses, and nothing else",
    ({ machine, granted }) => {
      const policy = standardPolicy(grantedOf(granted));
      const tables = TABLES.filter(
        (table) => expectedAnswer(machine, granted, table, 0, []) !== "kill process",
      );
      const silent = policy.rules.filter((rule, index) => {
        const numbers = tables.flatMap((table) =>
          rule.call[table] === "absent" ? [] : [[table, rule.call[table]] as const],
        );
        if (numbers.length === 0) return false;
        const rules = policy.rules.filter((_, at) => at !== index);
        const program = compileSeccomp({ ...policy, rules }, machine);
        const red = tables.flatMap((table) =>
          callsOf[table].flatMap(({ number, args }) => {
            const isOwn = rule.call[table] === number;
            if (!isOwn && args.length > 0) return [];
            const answer = simulateSeccomp(program, { arch: AUDIT[table], number, args });
            return answer === expectedAnswer(machine, granted, table, number, args) ? [] : [[table, number]];
          }),
        );
        expect(
          red.filter(([table, number]) => !numbers.some((own) => own[0] === table && own[1] === number)),
        ).toEqual([]);
        return new Set(red.map(String)).size < numbers.length;
      });
      expect(silent).toEqual([]);
    },
  );

  /**
   * In a search a number between two that are named may be sent either way, so of comparisons with the number those
   * changes are silent that answer each number as before, which the numbers asked here are all of.
   */
  it.each(
    (["x64", "arm64"] as const).flatMap((machine) => [
      [machine, ["abi32", "debug"]] as const,
      [machine, ["abi32", "debug", "unix"]] as const,
    ]),
  )(
    "an instruction changed on %s, granted %j, in any of these ways turns something red, or answers every number as before",
    { timeout: 60_000 },
    (machine, granted) => {
      const program = standardProgram(machine, grantedOf(granted));
      const asked = TABLES.flatMap((table) => [
        ...callsOf[table].map(({ number, args }) => ({ table, number, args })),
        ...NUMBERS.map((number) => ({ table, number, args: [] as readonly bigint[] })),
      ])
        .map(({ table, number, args }) => ({
          call: { arch: AUDIT[table] as number, number, args },
          expected: expectedAnswer(machine, granted, table, number, args),
        }))
        .concat({ call: { arch: AUDIT.riscv64, number: 39, args: [] }, expected: "kill process" });
      /** By instruction: the calls that come by it; and the instructions that see the number. */
      const through = new Map<number, (typeof asked)[number][]>();
      const seesNumber = new Set<number>();
      for (const one of asked) {
        let loaded = 0;
        simulateSeccomp(program, one.call, (at) => {
          if (program[at * 8] === 0x20) loaded = program[at * 8 + 4] ?? 0;
          else if (loaded === 0) seesNumber.add(at);
          through.set(at, through.get(at) ?? []);
          through.get(at)?.push(one);
        });
      }
      const silent = mutants(program).filter(({ at, bytes }) =>
        (through.get(at) ?? []).every(({ call, expected }) => {
          try {
            return simulateSeccomp(bytes, call) === expected;
          } catch {
            return false;
          }
        }),
      );
      // Where the numbers of a row follow on each other, nothing is left for the answer behind them.
      const dead = Array.from({ length: program.byteLength / 8 }, (_, at) => at).filter(
        (at) => !through.has(at),
      );
      expect(dead.map((at) => Buffer.from(program).readUInt32LE(at * 8 + 4))).toEqual(
        dead.map(() => 0x7fff0000),
      );
      const unseen = silent.filter(
        ({ at, isComparison }) =>
          through.has(at) && !(isComparison && (seesNumber.has(at) || asksForProtocol(program, at))),
      );
      expect(unseen.map(({ change }) => change)).toEqual([]);
    },
  );
});

/** Whether it asks a family if it is netlink: one that is refused with any protocol may as well be asked for it. */
function asksForProtocol(program: Uint8Array, at: number): boolean {
  const [family, protocol] = [at - 1, at + 1].map((one) => program[one * 8 + 4]);
  return program[at * 8 + 4] === 16 && family === 16 && protocol === 32;
}

/** Every program that differs in one field of one instruction: operand one up or down, branches swapped, another comparison. */
function mutants(program: Uint8Array): readonly {
  readonly at: number;
  readonly change: string;
  readonly isComparison: boolean;
  readonly bytes: Uint8Array;
}[] {
  return Array.from({ length: program.byteLength / 8 }, (_, index) => {
    const at = index * 8;
    const opcode = program[at] ?? 0;
    const edit = (change: string, apply: (view: DataView) => void) => {
      const bytes = program.slice();
      apply(new DataView(bytes.buffer));
      const isComparison = opcode !== 0x20 && opcode !== 0x06 && opcode !== 0x05;
      return { at: index, change: `${change} at ${index}`, isComparison, bytes };
    };
    const step = opcode === 0x20 ? 4 : 1;
    const operands = [step, -step].map((by) =>
      edit(`operand ${by}`, (view) => view.setUint32(at + 4, view.getUint32(at + 4, true) + by, true)),
    );
    if (opcode === 0x20 || opcode === 0x06 || opcode === 0x05) return operands;
    const swapped = edit("branches swapped", (view) =>
      view.setUint16(at + 2, view.getUint16(at + 2, false), true),
    );
    // Nothing is above the highest word.
    const same = program[at + 4] === 0xff && program[at + 7] === 0xff ? 0x35 : opcode;
    const others = [0x15, 0x25, 0x35, 0x45]
      .filter((code) => code !== opcode && code !== same)
      .map((code) => edit(`opcode 0x${code.toString(16)}`, (view) => view.setUint16(at, code, true)));
    return [...operands, swapped, ...others];
  }).flat();
}
