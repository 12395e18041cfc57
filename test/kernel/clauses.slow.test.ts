import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, compileCacheFor, PEOPLE, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("plans without one of their clauses");

const Row = z.strictObject({ clause: z.string(), red: z.array(z.string()) });

// One person is enough: whose plan it is does not change which attack finds what is missing of it.
const [, person = PEOPLE[0]] = PEOPLE;

describe.skipIf(unusable !== null || person === undefined)(
  "proof: each clause of a plan that protects something",
  () => {
    let rows: readonly z.infer<typeof Row>[] = [];
    beforeAll(async () => {
      if (person === undefined) return;
      using place = new Place(person);
      const [program, ...words] = runFile(checkoutFor(person), "clauses-driver.ts");
      const env = {
        PATH: "/usr/bin:/bin",
        XDG_STATE_HOME: place.state,
        TMPDIR: place.folder("tmp"),
        NODE_COMPILE_CACHE: compileCacheFor(person),
      };
      const child = spawn(program, words, {
        ...person.runAs,
        cwd: place.top,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      if (err !== "") throw new Error(err);
      rows = out
        .trim()
        .split("\n")
        .map((line) => Row.parse(JSON.parse(line)));
      console.info(
        rows.map(({ clause, red }) => `${clause.padEnd(64)} ${red.length} attacks get through`).join("\n"),
      );
    }, 600_000);

    it("holds something back: without it an attack of the selftest gets through, and with all of them none", () => {
      const [whole, ...mutants] = rows;
      expect(whole).toEqual({ clause: "nothing", red: [] });
      expect(mutants.length).toBeGreaterThan(40);
      expect(mutants.filter(({ red }) => red.length === 0).map(({ clause }) => clause)).toEqual([]);
    });
  },
);
