import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Copies } from "../../../src/host/look/installation/copies.ts";
import { absolutePath, joinPath } from "../../../src/profile/path.ts";

/** A folder with a copy of the product that lists these dependencies, and what is held for it. */
function withCopy(dependencies: readonly string[], installed: readonly string[] = []) {
  const top = absolutePath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-copies-"))));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  const copy = joinPath(top, "a/node_modules/cofferdam");
  const list = Object.fromEntries(dependencies.map((name) => [name, "1.0.0"]));
  write("a/node_modules/cofferdam/package.json", JSON.stringify({ dependencies: list }));
  for (const path of installed) write(`${path}/package.json`, "{}");
  const copies = new Copies();
  const held = (
    parts: readonly string[] = [],
  ): { readonly paths: readonly string[]; readonly steps: number } => {
    const work = copies.heldFor(
      [copy],
      [top],
      parts.map((path) => ({ path: joinPath(top, path) })),
    );
    for (let steps = 0; ; steps += 1) {
      const { done, value } = work.next();
      if (done === true) return { paths: value.map(({ path }) => path.slice(top.length + 1)), steps };
    }
  };
  return { held, write };
}

test("own: around a copy its packages are held, and those above from where it loads something", () => {
  expect(withCopy(["zod"], ["a/node_modules/zod", "node_modules/zod"]).held().paths).toEqual([
    "a/node_modules",
  ]);
  expect(withCopy(["zod"], ["node_modules/zod"]).held().paths).toEqual(["a/node_modules", "node_modules"]);
});

test("own: a copy that is part of the installation is held with that", () => {
  expect(withCopy(["zod"]).held(["a/node_modules"])).toEqual({ paths: [], steps: 0 });
});

test("own: a copy that claims more packages than one has is held with its own folder of packages, and no other", () => {
  const names = Array.from({ length: 4_097 }, (_, at) => `p${at}`);
  const above = ["node_modules/p1"];
  expect(withCopy(names.slice(1), above).held().paths).toEqual(["a/node_modules", "node_modules"]);
  expect(withCopy(names, above).held().paths).toEqual(["a/node_modules"]);
});

test("own: what a copy loads is looked for again when a package has come that it lacked, and only then", async () => {
  const { held, write } = withCopy(["zod", "yaml"], ["a/node_modules/zod"]);
  // So that nothing can change again within the clock's grain.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const first = held();
  const again = held();
  expect(again.paths).toEqual(first.paths);
  expect(again.steps).toBeLessThan(first.steps);
  write("node_modules/yaml/package.json", "{}");
  expect(held().paths).toEqual(["a/node_modules", "node_modules"]);
});
