import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { QUARANTINE } from "../support/planting/ground.ts";

sandboxMustWork("installing real packages twice");
const mayInstall = process.env["COFFERDAM_TEST_INSTALL"] === "1";
if (!mayInstall)
  console.warn("real packages: not tried, COFFERDAM_TEST_INSTALL=1 installs packages of npm's registry");

/** Packages that bring files which hosts execute: agents' settings, hooks of git, editors' settings. */
const PACKAGES = ["fastify", "webpack-dev-server", "jest-environment-jsdom"];

describe.skipIf(unusable !== null || !mayInstall).each(PEOPLE)("fs.write: npm, as $name", (person) => {
  it("`npm ci` empties node_modules and fills it again, twice; then it can be removed", {
    timeout: 900_000,
  }, async () => {
    using place = new Place(person);
    const { node } = checkoutFor(person);
    const cache = place.folder("ws/cache");
    place.file(
      "ws/package.json",
      JSON.stringify({ dependencies: Object.fromEntries(PACKAGES.map((name) => [name, "*"])) }),
    );
    const install = ["install", "--ignore-scripts", "--omit-lockfile-registry-resolved=false"];
    const path = `${dirname(node)}:${process.env["PATH"] ?? ""}`;
    await promisify(execFile)("npm", [...install, "--cache", cache, "--no-audit", "--no-fund"], {
      cwd: place.ws,
      env: { ...process.env, PATH: path },
    });
    place.ownAll();
    const listed = place.plainly("find node_modules -name .husky -o -name .idea -o -name '*.local.json'");
    expect(listed.stdout).not.toBe("");
    const ci = ["npm", "ci", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    const load = ["node", "-e", "require('fastify'); require('webpack-dev-server')"];
    const settings = {
      ...QUARANTINE,
      sandbox: {
        ...QUARANTINE.sandbox,
        runtimes: ["system", "node"],
        env: { set: { npm_config_cache: cache } },
      },
    };
    const calls = [ci, load, ci, load, ["rm", "-rf", "node_modules"]].map(([program = "", ...words]) => ({
      argv: [program, ...words] as [string, ...string[]],
    }));
    const [, ...replies] = await place.run({ job: { calls }, settings, env: { PATH: path } });
    expect(replies).toEqual(calls.map(() => expect.objectContaining({ kind: "ran", code: 0 })));
    expect(place.plainly("ls").stdout).toBe("cache\npackage-lock.json\npackage.json\n");
  });
});
