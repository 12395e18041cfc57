import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Person } from "../battery/people.ts";
import { Place } from "../battery/place.ts";

/** One row: the files that a call leaves, the program that makes them, and a command of the person after the call. */
export type Left = [what: string, argv: readonly string[], later?: string];

/** A program that makes thousands of names fast; every sandbox of these tests has perl. */
export function perl(script: string): readonly string[] {
  return ["perl", "-e", script];
}

/** A program that makes `count` repositories, and runs the perl in `more` for each. */
export function repositories(count: number, more = ""): readonly string[] {
  return perl(
    `for (1..${count}) { mkdir "r$_"; mkdir "r$_/.git"; mkdir "r$_/.git/$_" for ("objects", "refs"); mkdir "r$_/.git/objects"; mkdir "r$_/.git/refs"; open my $f, ">", "r$_/.git/HEAD"; print $f "ref: refs/heads/m\\n"; ${more} }`,
  );
}

/** Registers a test for each: whatever a call leaves behind, the next one can run and write. */
export function stopsNoLaterCall(person: Person, left: readonly Left[]): void {
  it.each<Left>(left)("%s", async (_what, argv, later = "true") => {
    using place = new Place(person);
    const calls = async (...lines: readonly (readonly string[])[]): Promise<readonly unknown[]> => {
      place.ownAll();
      const [, ...replies] = await place.runServed({
        job: { calls: lines.map((words) => ({ argv: [...words] })) },
      });
      return replies;
    };
    place.folder("ws/.vscode");
    place.file("ws/.vscode/tasks.json", "{}");
    const made = await calls(argv);
    expect(place.plainly(later).status).toBe(0);
    const next = ["sh", "-c", "echo x > next && rm next"];
    const done = expect.objectContaining({ kind: "ran", code: 0 });
    const replies = [...made, ...(await calls(next, next))];
    expect(replies).toEqual([expect.objectContaining({ kind: "ran" }), done, done]);
    for (const name of [
      ".envrc",
      ".npmrc",
      "a7.code-workspace",
      "n/7/.envrc",
      "closed/in/.envrc",
      ".direnv",
      "n/mise",
    ])
      expect([name, existsSync(join(place.ws, name))]).toEqual([name, false]);
  });
}
