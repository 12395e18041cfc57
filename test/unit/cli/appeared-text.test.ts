import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { tellAppeared } from "../../../src/cli/appeared-text.ts";
import { Print } from "../../../src/cli/print.ts";
import type { Appeared } from "../../../src/host/appeared.ts";
import { knownPath } from "../../../src/profile/path.ts";

function told(one: Partial<Appeared> & Pick<Appeared, "kind">, aside: string | null = null): string {
  const talk = new PassThrough();
  const fate = { kind: "quarantined", id: "7", aside, because: null, problem: null } as const;
  const found = [{ path: knownPath("/p/r"), obeyedBy: null, runs: [], fate, ...one }];
  tellAppeared({ found, unknown: null }, new Print(new PassThrough(), talk, { NO_COLOR: "1" }));
  return String(talk.read());
}

const SHELL = { by: "a shell", when: "it starts" };

test("what was taken away is told with how to look at it and to get it back", () => {
  expect(told({ kind: "protected", obeyedBy: SHELL })).toMatchInlineSnapshot(`
    "cofferdam: the command made \`/p/r\`, obeyed by a shell when it starts: it was taken away
      do: look at it with \`cofferdam quarantine show 7\`; \`restore\` in place of \`show\` gives it back
    "
  `);
});

test("what could only be moved aside is told with where it lies", () => {
  expect(told({ kind: "protected", obeyedBy: SHELL }, "/p/r.cofferdam-7-0")).toMatchInlineSnapshot(`
    "cofferdam: the command made \`/p/r\`, obeyed by a shell when it starts: it was moved aside, to \`/p/r.cofferdam-7-0\`
      do: look at it there, and remove it, or move it back yourself
    "
  `);
});

test("a repository is told with what git may do in it, and else with why it went", () => {
  expect(told({ kind: "repository", runs: ["hooks/pre-commit"] })).toMatchInlineSnapshot(`
    "cofferdam: the command made a repository, \`/p/r\`, in which git may run \`hooks/pre-commit\`: that was taken away
      do: look at it with \`cofferdam quarantine show 7\`; \`restore\` in place of \`show\` gives it back
    "
  `);
  expect(told({ kind: "repository" })).toMatchInlineSnapshot(`
    "cofferdam: the command made a repository, \`/p/r\`, and no room would be left for the sandboxes of later calls: it was taken away
      do: look at it with \`cofferdam quarantine show 7\`; \`restore\` in place of \`show\` gives it back
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
    tellAppeared({ found, unknown: null }, new Print(new PassThrough(), talk, { NO_COLOR: "1" }));
    return String(talk.read());
  };
  expect(made(40)).toMatchInlineSnapshot(`
    "cofferdam: the command made 40 files that other programs obey: \`/p/node_modules/0/.npmrc\`, \`/p/node_modules/1/.npmrc\`, \`/p/node_modules/2/.npmrc\` and 37 more
      do: look at them before you start such programs in their folders; \`--json\` and \`cofferdam journal\` name them all
    "
  `);
  expect(made(3).match(/^cofferdam: the command made `/gm)).toHaveLength(3);
});
