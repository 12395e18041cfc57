import { copyFileSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findInstallation } from "../../src/host/look/installation.ts";
import { thisRunningProcess } from "../../src/host/look/running-process.ts";
import { createSupervisor, type Supervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what Node obeys when it starts");

/** A way to have code run when cofferdam starts again: what is there before, in which environment, and what a tool does. */
interface Way {
  /** Texts, or `-> target` for a link. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  readonly option?: (place: Place) => string;
  readonly plant: string;
}

const MARK = "ran what a tool made";
const EVIL = `echo 'console.log("${MARK}")' >`;
const EVIL_NODE = `printf '#!/bin/sh\\necho ${MARK}\\n' > node && chmod +x node`;

const DEP = "node_modules/dep/package.json";

/** In PATH behind it: the Node of these tests, and the system's programs. */
const behind = (folder: string): string => `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`;

const WAYS: readonly (readonly [what: string, way: Way])[] = [
  [
    "a file that is required without its ending",
    {
      files: { "ws/hook.js": "" },
      env: () => ({ NODE_OPTIONS: "--require ./hook" }),
      plant: `${EVIL} hook.js`,
    },
  ],
  [
    "a file that is imported by a URL with escapes and a query",
    {
      files: { "ws/hook.mjs": "" },
      env: () => ({ NODE_OPTIONS: "--import ./h%6Fok.mjs?x=1#y" }),
      plant: `${EVIL} hook.mjs`,
    },
  ],
  [
    "what such a file requires itself",
    {
      files: { "ws/hook.js": 'require("./more");', "ws/more.js": "" },
      env: () => ({ NODE_OPTIONS: "--require ./hook" }),
      plant: `${EVIL} more.js`,
    },
  ],
  [
    "a module of hooks that such a file registers",
    {
      files: {
        "ws/hook.mjs":
          'import { register } from "node:module";\nregister(new URL("./more.mjs", import.meta.url));',
        "ws/more.mjs": "",
      },
      env: () => ({ NODE_OPTIONS: "--import ./hook.mjs" }),
      plant: `echo 'import fs from "node:fs"; fs.writeSync(1, "${MARK}");' > more.mjs`,
    },
  ],
  [
    "what such a file imports by a name of the manifest",
    {
      files: {
        "ws/hook.mjs": 'await import(/* by name */ "#more");',
        "ws/more.mjs": "",
        "ws/package.json": '{"imports":{"#more":{"import":"./more.mjs"}}}',
      },
      env: () => ({ NODE_OPTIONS: "--import ./hook.mjs" }),
      plant: `echo '{"imports":{"#more":"./evil.mjs"}}' > package.json && ${EVIL} evil.mjs`,
    },
  ],
  [
    "the data of a Plug'n'Play map from a folder above",
    {
      files: {
        "ws/map/.pnp.cjs":
          'process.stdout.write(require("fs").readFileSync(require("path").resolve(__dirname, ".pnp.data.json")));',
        "ws/map/.pnp.data.json": "",
        "ws/a": "",
      },
      env: ({ ws }) => ({ NODE_OPTIONS: `--require ${ws}/map/.pnp.cjs` }),
      plant: `${EVIL} map/.pnp.data.json`,
    },
  ],
  [
    "a package that is found above, by one that is nearer",
    {
      files: { "node_modules/tracer/index.js": "" },
      env: () => ({ NODE_OPTIONS: "--require tracer" }),
      plant: `mkdir -p node_modules/tracer && ${EVIL} node_modules/tracer/index.js`,
    },
  ],
  [
    "a package that is imported, by the folder's own manifest",
    {
      files: { "node_modules/tracer/index.js": "", "node_modules/tracer/package.json": "{}" },
      env: () => ({ NODE_OPTIONS: "--import tracer" }),
      plant: `echo '{"name":"tracer","exports":"./evil.js"}' > package.json && ${EVIL} evil.js`,
    },
  ],
  [
    "a file that a config elsewhere names",
    {
      files: { "outside/c.json": '{"nodeOptions":{"import":["./hook.mjs"]}}', "ws/hook.mjs": "" },
      env: () => ({}),
      option: ({ outside }) => `--experimental-config-file=${outside}/c.json`,
      plant: `${EVIL} hook.mjs`,
    },
  ],
  [
    "a file in a cache of build tools",
    {
      files: { "ws/node_modules/.cache/p.cjs": "" },
      env: () => ({ NODE_OPTIONS: "--require ./node_modules/.cache/p.cjs" }),
      plant: `${EVIL} node_modules/.cache/p.cjs`,
    },
  ],
  [
    "a folder of PATH that is not absolute",
    {
      files: { "ws/bin/other": "" },
      env: () => ({ PATH: behind("bin") }),
      plant: `cd bin && ${EVIL_NODE}`,
    },
  ],
  [
    "a folder of PATH that is missing, with a detour",
    {
      files: {},
      env: () => ({ PATH: behind("gone/../bin") }),
      plant: `mkdir gone bin && cd bin && ${EVIL_NODE}`,
    },
  ],
  ["the current folder in PATH", { files: {}, env: () => ({ PATH: behind("") }), plant: EVIL_NODE }],
  [
    "a link of PATH that leads nowhere",
    {
      files: { "ws/bin/node": "-> ../x/node" },
      env: ({ ws }) => ({ PATH: behind(`${ws}/bin`) }),
      plant: `mkdir x && cd x && ${EVIL_NODE}`,
    },
  ],
  [
    "a library in a folder behind a semicolon",
    {
      files: {},
      env: ({ ws }) => ({ LD_LIBRARY_PATH: `/usr/local/lib;${ws}/l` }),
      plant: "mkdir l && echo x > l/libm.so.6",
    },
  ],
  [
    "what settings of OpenSSL's include",
    {
      files: { "outside/o.cnf": "nodejs_conf = a\n.include more.cnf\n", "ws/more.cnf": "[a]\n" },
      env: ({ outside }) => ({ OPENSSL_CONF: `${outside}/o.cnf` }),
      plant: "printf '[a]\nssl_conf = gone\n' > more.cnf",
    },
  ],
];

function make(place: Place, files: Way["files"]): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.top, name)), { recursive: true });
    const target = /^-> (.*)$/.exec(text)?.[1];
    if (target === undefined) place.file(name, text);
    else symlinkSync(target, join(place.top, name));
  }
}

/** A supervisor of a process that was started with these variables in the root. */
function supervisorIn(place: Place, env: Readonly<Record<string, string>>): Promise<Supervisor> {
  const cwd = knownPath(place.ws);
  const running = thisRunningProcess({ env, cwd, homes: [] });
  const installation = () => findInstallation(running);
  return createSupervisor({ config: place.config(), cwd, host: place.host({ installation }) });
}

describe.skipIf(unusable !== null)("own: what Node obeys when it starts", () => {
  it.each(WAYS)(
    "own: a tool can't take the place of %s; outside it does",
    async (_, { files, env, option, plant }) => {
      using place = new Place(CALLER);
      make(place, files);
      const options = option === undefined ? [] : [option(place)];
      const variables = { PATH: behind("/nonexistent"), ...env(place) };
      const start = () => {
        const { status, stdout } = place.plainly(`env node ${options.join(" ")} -e ""`, variables);
        return { status, stdout };
      };
      const clean = start();
      expect(clean).toMatchObject({ status: 0, stdout: "" });
      const cwd = knownPath(place.ws);
      const running = thisRunningProcess({ env: variables, cwd, homes: [] });
      await using supervisor = await createSupervisor({
        config: place.config({ shell: { default: { approval: false } } }),
        cwd,
        host: place.host({
          installation: () => findInstallation({ ...running, execArgv: options, program: null }),
        }),
      });
      await using session = supervisor.session();
      expect((await session.call("shell", { argv: ["sh", "-c", plant] })).kind).toBe("failed");
      expect(start()).toEqual(clean);
      expect(place.plainly(plant).status).toBe(0);
      expect(start()).not.toEqual(clean);
    },
  );

  it.each<[what: string, env: Readonly<Record<string, string>>, file: string]>([
    ["a module", { NODE_OPTIONS: "--require OUT/hook.cjs" }, "hook.cjs"],
    ["what a module imports", { NODE_OPTIONS: "--require OUT/hook.cjs" }, "more.cjs"],
    ["what a package needs", { NODE_OPTIONS: "--import file://OUT/node_modules/tracer/main.js" }, DEP],
    ["a package by its name", { NODE_OPTIONS: "-r dep", NODE_PATH: "OUT/node_modules" }, DEP],
    ["a file of variables", { NODE_OPTIONS: "--env-file=OUT/hook.cjs" }, "hook.cjs"],
    ["settings of OpenSSL", { OPENSSL_CONF: "OUT/hook.cjs" }, "hook.cjs"],
    ["a library", { LD_PRELOAD: "OUT/hook.cjs" }, "hook.cjs"],
    ["a command of PATH", { PATH: "OUT/bin" }, "bin/node"],
  ])("own: a root in which %s has another name is refused; with a copy it is not", async (_, env, file) => {
    using place = new Place(CALLER);
    make(place, {
      "outside/hook.cjs": 'require("./more.cjs")',
      "outside/more.cjs": "",
      "outside/bin/node": "",
      "outside/node_modules/tracer/package.json": '{"main":"main.js","dependencies":{"dep":"1"}}',
      "outside/node_modules/tracer/main.js": "",
      [`outside/${DEP}`]: "{}",
    });
    place.plainly(`chmod 755 ${place.outside}/bin/node`);
    const variables: Record<string, string> = {};
    for (const [name, value] of Object.entries(env)) variables[name] = value.replaceAll("OUT", place.outside);
    const made = () => supervisorIn(place, variables);
    copyFileSync(join(place.outside, file), join(place.ws, "copy"));
    await (await made())[Symbol.asyncDispose]();
    linkSync(join(place.outside, file), join(place.ws, "link"));
    await expect(made()).rejects.toMatchObject({
      code: "ROOT_REFUSED",
      message: expect.stringContaining(", a hard link to "),
    });
  });

  it("own: each root is refused where a map of packages can't be read, and one with what a map names; another is not", async () => {
    using place = new Place(CALLER);
    const made = (map: string) => {
      place.file("outside/m.json", map);
      return supervisorIn(place, { NODE_OPTIONS: `--experimental-package-map=${place.outside}/m.json` });
    };
    await expect(made("{")).rejects.toMatchObject({
      code: "ROOT_REFUSED",
      message: expect.stringContaining("may load: its map can't be read"),
    });
    await expect(made('{"packages":{"a":{"url":"../ws"}}}')).rejects.toMatchObject({ code: "ROOT_REFUSED" });
    await (await made('{"packages":{"a":{"url":"../elsewhere"}}}'))[Symbol.asyncDispose]();
  });

  it("own: a root that is the current folder is refused where libraries are taken from there, with a way out", async () => {
    using place = new Place(CALLER);
    const made = (libraries: string) => supervisorIn(place, { LD_LIBRARY_PATH: libraries });
    await expect(made("/usr/local/lib:")).rejects.toMatchObject({
      code: "ROOT_REFUSED",
      message: expect.stringContaining("LD_LIBRARY_PATH"),
      hint: "make the root `ro`, name another folder, or set LD_LIBRARY_PATH to a path outside the root",
    });
    await (await made("/usr/local/lib"))[Symbol.asyncDispose]();
  });
});
