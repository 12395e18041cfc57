import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/host/look/installation.ts";
import { createSupervisor, type Session } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { NOT_INSTALLED } from "../support/not-installed.ts";

sandboxMustWork("the product's own code");

/** Runs with a session of a supervisor that is installed in its one root, as `npm install` does it. */
async function installedIn(
  work: (session: Session, place: Place) => Promise<void>,
  files: Readonly<Record<string, string>> = FILES,
): Promise<void> {
  using place = new Place(CALLER);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.ws, path)), { recursive: true });
    writeFileSync(join(place.ws, path), text);
  }
  mkdirSync(join(place.ws, "node_modules/.bin"));
  symlinkSync("../cofferdam/main.js", join(place.ws, "node_modules/.bin/cofferdam"));
  const what = "cofferdam's own code";
  const part = (path: string): Installation["parts"][number] => ({
    path: knownPath(join(place.ws, path)),
    what,
  });
  const found: Installation = {
    ...NOT_INSTALLED,
    parts: [part("node_modules"), part("bin/node"), part("higher/node_modules")],
  };
  await using supervisor = await createSupervisor({
    config: place.config({ shell: { default: { approval: false } } }),
    cwd: knownPath(place.ws),
    host: place.host({ installation: () => found }),
  });
  await using session = supervisor.session();
  await work(session, place);
}

const FILES = {
  "node_modules/cofferdam/main.js": "ours\n",
  "node_modules/zod/index.js": "a package of ours\n",
  "bin/node": "node\n",
  "higher/a": "",
  "src/a": "",
};

/** Ways to change, replace, remove or shadow what is ours, each with what it would have made or changed. */
const ATTACKS: readonly (readonly [what: string, line: string])[] = [
  ["a file of the package", "echo x >> node_modules/cofferdam/main.js"],
  ["a file of a dependency", "echo x > node_modules/zod/index.js"],
  ["a new package", "mkdir node_modules/hono"],
  ["a package that is replaced", "mv node_modules/zod node_modules/z2"],
  ["a new file beside ours", "echo x > node_modules/cofferdam/package.json"],
  ["the folder that holds all packages", "mv node_modules n2"],
  ["a folder with packages above ours", "mkdir -p higher/node_modules/hono"],
  ["one that is made elsewhere and renamed", "mkdir -p h && mv h higher/node_modules"],
  ["one that is a link", "ln -s ../src higher/node_modules"],
  ["the folder above", "mv higher h2"],
  ["the command", "ln -sf ../../src/a node_modules/.bin/cofferdam"],
  ["Node", "echo x > bin/node"],
  ["Node that is replaced", "echo x > n && mv n bin/node"],
  ["the folder that Node lies in", "mv bin b2"],
  ["a hard link to it", "ln node_modules/zod/index.js src/z && echo x >> src/z"],
  ["times of it", "touch -d 2000-01-01 bin/node"],
  ["its mode", "chmod 777 bin/node"],
];

/** All that lies there, but for the times of folders in which placeholders come and go. */
function lookAt(place: Place): string {
  const found =
    "find node_modules bin higher -printf '%p %y %m %l\\n' | sort; find bin -type f -printf '%T@'";
  return place.plainly(`${found}; cat node_modules/*/* bin/*`).stdout;
}

describe.skipIf(unusable !== null)("own: in a root", () => {
  it.each(ATTACKS)("own: %s can't be changed by a command; outside it can", async (_what, line) => {
    await installedIn(async (session, place) => {
      const before = lookAt(place);
      const outcome = await session.call("shell", { argv: ["sh", "-c", line] });
      expect(outcome.kind).toBe("failed");
      expect(lookAt(place)).toBe(before);
      expect(place.plainly(line).status).toBe(0);
    });
  });

  it("own: file tools can't change it either, and change what lies beside it", async () => {
    await installedIn(async (session, place) => {
      for (const path of [
        "node_modules/cofferdam/main.js",
        "node_modules/hono/index.js",
        "bin/node",
        "higher/node_modules/x",
      ])
        expect(await session.call("write_file", { path: `ws:${path}`, content: "x" })).toMatchObject({
          kind: "denied",
          denials: [
            { because: expect.stringContaining("tools must not change cofferdam's own code (installation)") },
          ],
        });
      for (const [path, to] of [
        ["src", "higher/node_modules"],
        ["node_modules/zod", "src/zod"],
      ] as const)
        expect((await session.call("move_file", { from: `ws:${path}`, to: `ws:${to}` })).kind).toBe("denied");
      expect((await session.call("write_file", { path: "ws:src/b", content: "x" })).kind).toBe("done");
      expect(readFileSync(join(place.ws, "node_modules/cofferdam/main.js"), "utf8")).toBe("ours\n");
    });
  });

  it("own: replacing it is refused before anything is removed, with the reason and the way out", async () => {
    await installedIn(async (session, place) => {
      const outcome = await session.call("shell", { script: "rm -r node_modules" });
      expect(outcome).toMatchObject({
        kind: "failed",
        denials: [
          {
            operation: "write",
            target: join(place.ws, "node_modules"),
            certainty: "certain",
            because: `\`${join(place.ws, "node_modules")}\` is read-only: tools must not change cofferdam's own code (installation)`,
            remedy:
              "do it outside the sandbox, or install cofferdam elsewhere: `npm install --global cofferdam`, and `npm uninstall cofferdam` here",
          },
        ],
      });
      expect(existsSync(join(place.ws, "node_modules/zod/index.js"))).toBe(true);
    });
  });

  it("own: caches of build tools in `node_modules` can be written, and an empty one leaves nothing behind", async () => {
    const packages = { "node_modules/eslint/package.json": "{}", "node_modules/vite/package.json": "{}" };
    await installedIn(
      async (session, place) => {
        const line =
          "echo x > node_modules/.vite-temp/a && test -d node_modules/.cache && ! mkdir node_modules/.other";
        expect((await session.call("shell", { argv: ["sh", "-c", line] })).kind).toBe("done");
        expect(place.plainly("ls -A node_modules; cat node_modules/.vite-temp/a").stdout.split("\n")).toEqual(
          [".bin", ".vite-temp", "cofferdam", "eslint", "vite", "zod", "x", ""],
        );
        expect(
          (await session.call("write_file", { path: "ws:node_modules/.vite-temp/b", content: "x" })).kind,
        ).toBe("done");
      },
      { ...FILES, ...packages },
    );
  });

  it("own: where nothing makes a cache, a call holds no place for one", async () => {
    await installedIn(async (session, place) => {
      const outcome = await session.call("shell", { argv: ["ls", "-A", "node_modules"] });
      if (outcome.kind !== "done") throw new Error(outcome.kind);
      expect(String(outcome.stdout.bytes)).toBe(place.plainly("ls -A node_modules").stdout);
    });
  });
});
