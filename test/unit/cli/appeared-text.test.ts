import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { reportAppeared } from "../../../src/cli/appeared-text.ts";
import { Print } from "../../../src/cli/print.ts";
import type { Appeared } from "../../../src/host/launch/appeared.ts";
import { knownPath } from "../../../src/profile/path.ts";

function told(one: Partial<Appeared> & Pick<Appeared, "kind">, aside: string | null = null): string {
  const talk = new PassThrough();
  const fate = { kind: "quarantined", id: "7", aside, because: null, problem: null } as const;
  const found = [{ path: knownPath("/p/r"), obeyedBy: null, runs: [], fate, ...one }];
  reportAppeared({ found, unknown: null }, new Print(new PassThrough(), talk, { NO_COLOR: "1" }));
  return String(talk.read());
}

const SHELL = { by: "a shell", when: "it starts" };

test("what was taken away is told with how to look at it and to get it back", () => {
  expect(told({ kind: "protected", obeyedBy: SHELL })).toMatchInlineSnapshot(`
    "cofferdam: the command created \`/p/r\`, obeyed by a shell when it starts: it was moved to the quarantine
      do: run \`cofferdam quarantine show 7\` to review it, or \`cofferdam quarantine restore 7\`
    "
  `);
});

test("what could only be moved aside is told with where it lies", () => {
  expect(told({ kind: "protected", obeyedBy: SHELL }, "/p/r.cofferdam-7-0")).toMatchInlineSnapshot(`
    "cofferdam: the command created \`/p/r\`, obeyed by a shell when it starts: it was renamed to \`/p/r.cofferdam-7-0\`
      do: review it there, then delete it or move it back
    "
  `);
});

test("a repository is told with what git may do in it, and else with why it went", () => {
  expect(told({ kind: "repository", runs: ["hooks/pre-commit"] })).toMatchInlineSnapshot(`
    "cofferdam: the command created a repository, \`/p/r\`, in which git may run \`hooks/pre-commit\`: it was moved to the quarantine
      do: run \`cofferdam quarantine show 7\` to review it, or \`cofferdam quarantine restore 7\`
    "
  `);
  expect(told({ kind: "repository" })).toMatchInlineSnapshot(`
    "cofferdam: the command created a repository, \`/p/r\`, and sandboxes of later calls would become too large: it was moved to the quarantine
      do: run \`cofferdam quarantine show 7\` to review it, or \`cofferdam quarantine restore 7\`
    "
  `);
});

test("many files that other programs obey are told in one line; twin: a few each by themselves", () => {
  const made = (count: number): string => {
    const talk = new PassThrough();
    const found = Array.from({ length: count }, (_, at): Appeared => {
      const path = knownPath(`/p/node_modules/${at}/.npmrc`);
      return {
        path,
        kind: "protected",
        obeyedBy: SHELL,
        runs: [],
        fate: { kind: "reported", because: null },
      };
    });
    reportAppeared({ found, unknown: null }, new Print(new PassThrough(), talk, { NO_COLOR: "1" }));
    return String(talk.read());
  };
  expect(made(40)).toMatchInlineSnapshot(`
    "cofferdam: the command created 40 files that control other programs: \`/p/node_modules/0/.npmrc\`, \`/p/node_modules/1/.npmrc\`, \`/p/node_modules/2/.npmrc\` and 37 more
      do: review them before you start such programs there; \`--json\` and \`cofferdam journal\` list all of them
    "
  `);
  expect(made(3).match(/^cofferdam: the command created `/gm)).toHaveLength(3);
});
