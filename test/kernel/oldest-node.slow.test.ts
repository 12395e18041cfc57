import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { environmentIn } from "../support/battery/command.ts";
import { itNeeds } from "../support/battery/needs.ts";
import { checkoutFor, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

/** The oldest Node of `engines`, which knows neither `using` nor what came with it, and what is built for it. */
const ROOT = join(import.meta.dirname, "../..");
const OLDEST = join(ROOT, ".cofferdam-node/22.18.0/bin/node");
const BUILT = join(ROOT, "dist/index.js");

/** A program and a file tool, each allowed and denied, and a store in a file, by the library: argument 1. */
const CALLS = `
const { absolutePath, createSupervisor, SqliteStore } = await import(process.argv[1]);
const supervisor = await createSupervisor();
const session = supervisor.session({ caller: "person" });
const kinds = [];
for (const path of ["note", "../outside/secret"]) {
  kinds.push((await session.call("shell", { argv: ["cat", path] })).kind);
  kinds.push((await session.call("read_file", { path })).kind);
}
console.log(...kinds);
await supervisor[Symbol.asyncDispose]();
const store = new SqliteStore(absolutePath(process.cwd() + "/kept/approvals.sqlite"));
await store.keepAlive("run", 60_000);
console.log(await store.isAlive("run"));
await store[Symbol.asyncDispose]();
`;

describe.each(PEOPLE)("the package on the oldest Node that it promises, as $name", (person) => {
  itNeeds([OLDEST, BUILT], "fs.read: programs and file tools run in the sandbox there", () => {
    using place = new Place(person);
    const { folder } = checkoutFor(person);
    const node = join(place.folder("node"), "node");
    cpSync(OLDEST, node);
    writeFileSync(join(place.ws, "note"), "a note\n");
    writeFileSync(join(place.outside, "secret"), "a secret\n");
    expect(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))).toMatchObject({
      engines: {
        node: expect.stringMatching(
          `^>=${run(["-v"])
            .stdout.trim()
            .replace(/^v|\.0$/g, "")} `,
        ),
      },
    });
    expect(run(["--input-type=module", "-e", CALLS, join(folder, "dist/index.js")])).toEqual({
      status: 0,
      stdout: "done done failed denied\ntrue\n",
      stderr: "",
    });
    const cli = join(folder, "dist/cli/main.js");
    expect(run([cli, "run", "--", "cat", "note"])).toMatchObject({ status: 0, stdout: "a note\n" });
    expect(run([cli, "run", "--", "cat", "../outside/secret"])).toMatchObject({ status: 1, stdout: "" });
    const { status, stdout, stderr } = run([cli, "selftest"]);
    expect(stdout).toMatch(/\n\d{3} attacks were refused, each with a working control\n$/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });

    function run(words: readonly string[]) {
      const { status, stdout, stderr } = spawnSync(node, words, {
        ...person.runAs,
        cwd: place.ws,
        env: environmentIn(place),
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    }
  });
});
