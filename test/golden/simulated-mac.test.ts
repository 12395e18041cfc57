import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { CALL_PARAMETERS } from "../support/mac/mac-case.ts";
import { problemOf } from "../support/mac/profile-problem.ts";
import { GOLDENS, hidingProject } from "../support/mac/simulated-goldens.ts";
import { simulatedProject } from "../support/mac/simulated-project.ts";

describe.each(GOLDENS)("the rules of a $name", ({ name, files, profiles = [], maxBytes }) => {
  const project = () => simulatedProject(files, profiles);

  test("are what the golden file says, whatever the order of the config's keys", async () => {
    const shown = await project().shown();
    await expect(shown).toMatchFileSnapshot(`seatbelt/${name}.sb`);
    const reversed = { ...files, "cofferdam.yaml": reversedKeys(files["cofferdam.yaml"] ?? "") };
    expect(await simulatedProject(reversed, profiles).shown()).toBe(shown);
  });

  test("are what the command prints below what it states", async () => {
    const [shown, { rules }] = [await project().shown(), await project().plan()];
    expect(shown.endsWith(`\n\n${rules.text}`)).toBe(true);
    expect(shown.slice(0, -rules.text.length)).toMatch(/^(; .+\n)+\n$/);
    expect(rules.text.length).toBeLessThan(maxBytes);
  });

  test("name only operations that a Mac is asked for, and no parameter without a value", async () => {
    expect(problemOf(await project().shown(), CALL_PARAMETERS)).toBeNull();
  });
});

test("an operator may hide nothing that programs need to start", async () => {
  await expect(hidingProject("/etc/hosts").plan()).resolves.toMatchObject({ kind: "rules" });
  await expect(hidingProject("/usr/lib").plan()).rejects.toThrow(/operator profiles hide \/usr\/lib/);
});

/** The same YAML with the keys of each of its maps the other way round. */
function reversedKeys(yaml: string): string {
  return stringify(parse(yaml, (_, value: unknown) => (isMap(value) ? reversed(value) : value)));
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function reversed(map: object): object {
  return Object.fromEntries(Object.entries(map).reverse());
}
