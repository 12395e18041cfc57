import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { printJsonSchema, SCHEMAS } from "../../../src/config/schema.ts";
import { shippedFolder } from "../../../src/config/shipped.ts";

test.each(SCHEMAS)("the shipped schema of a %s is the one that is enforced", (name) => {
  const shipped: unknown = JSON.parse(readFileSync(`${shippedFolder()}/${name}.schema.json`, "utf8"));
  expect(shipped).toEqual(JSON.parse(printJsonSchema(name)));
});

test("a schema tells editors about unknown keys, and what may be left out", () => {
  const config: unknown = JSON.parse(printJsonSchema("config"));
  expect(config).toMatchObject({
    additionalProperties: false,
    required: ["version"],
    title: "cofferdam.yaml",
  });
  const profile: unknown = JSON.parse(printJsonSchema("profile"));
  expect(profile).toMatchObject({ additionalProperties: false, required: ["profile"] });
});

test("every shipped profile names its schema and itself", () => {
  const files = readdirSync(shippedFolder()).filter((name) => name.endsWith(".yaml"));
  expect(files).toEqual(["ci.yaml", "no-network.yaml", "protected.yaml", "read-only.yaml", "strict.yaml"]);
  for (const file of files) {
    const lines = readFileSync(`${shippedFolder()}/${file}`, "utf8").split("\n");
    expect(lines[0]).toBe("# yaml-language-server: $schema=./profile.schema.json");
    expect(lines).toContain(`profile: ${file.replace(".yaml", "")}`);
  }
});
