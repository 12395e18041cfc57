import type { Group } from "../row.ts";

const LOCAL_PACKAGE = {
  "lib/package.json":
    '{ "name": "greet", "version": "1.0.0", "main": "index.js", "bin": { "greet": "cli.js" } }',
  "lib/index.js": 'module.exports = (name) => "hello, " + name;',
  "lib/cli.js": '#!/usr/bin/env node\nconsole.log(require("./index.js")(process.argv[2]));',
  "package.json": '{ "name": "project", "version": "1.0.0", "scripts": { "hi": "greet you" } }',
};

/** Node, its package managers and tools. */
export const NODE: Group = {
  title: "Node",
  rows: [
    {
      name: "node",
      does: "`child_process`: `execSync`, `spawn` with pipes, `fork` with messages",
      needs: ["node"],
      files: {
        "a.mjs": `import { execSync, fork, spawn } from "node:child_process";
import assert from "node:assert";
import { once } from "node:events";
assert.equal(execSync("echo one; echo two >&2", { stdio: "pipe" }).toString(), "one\\n");
const cat = spawn("cat", { stdio: "pipe" });
cat.stdin.end("three");
const [chunk] = await once(cat.stdout, "data");
assert.equal(chunk.toString(), "three");
const child = fork("./b.mjs");
child.send(4);
assert.deepEqual(await once(child, "message"), [8, undefined]);`,
        "b.mjs": "process.once('message', (n) => { process.send(n * 2); process.disconnect(); });",
      },
      line: ["node a.mjs"],
      isQuick: true,
    },
    {
      name: "node worker_threads",
      does: "workers, a shared buffer, `Atomics.wait`",
      needs: ["node"],
      files: {
        "a.mjs": `import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import assert from "node:assert";
import { once } from "node:events";
if (isMainThread) {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const workers = [1, 2, 3].map((n) => new Worker("./a.mjs", { workerData: { shared, n } }));
  await Promise.all(workers.map((worker) => once(worker, "exit")));
  assert.equal(shared[0], 6);
} else {
  Atomics.add(workerData.shared, 0, workerData.n);
  Atomics.wait(workerData.shared, 0, 6, 5);
}`,
      },
      line: ["node a.mjs"],
    },
    {
      name: "node fs",
      does: "`fs/promises`, `watch`, `cp`, `mkdtemp`, symlinks and hard links, locks by `O_EXCL`",
      needs: ["node"],
      files: {
        "a.mjs": `import { cp, link, mkdir, mkdtemp, open, readFile, rename, rm, symlink, watch, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import assert from "node:assert";
await mkdir("d/e", { recursive: true });
await writeFile("d/e/f", "text");
await symlink("f", "d/e/link");
await link("d/e/f", "d/e/hard");
await cp("d", "copy", { recursive: true });
await rename("copy", "moved");
assert.equal(await readFile("moved/e/link", "utf8"), "text");
await cp("moved", (await mkdtemp(tmpdir() + "/x-")) + "/c", { recursive: true });
await (await open("lock", "wx")).close();
const stop = new AbortController();
setTimeout(() => writeFile("d/seen", ""), 50);
for await (const { filename } of watch("d", { signal: stop.signal })) if (filename === "seen") break;
await rm("moved", { recursive: true });`,
      },
      line: ["node a.mjs"],
    },
    {
      name: "node net",
      does: "an HTTP server and its client, a unix socket, `localhost` by name, `os.networkInterfaces()`",
      needs: ["node"],
      files: {
        "a.mjs": `import { createServer } from "node:http";
import { connect, createServer as createNet } from "node:net";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import assert from "node:assert";
import { once } from "node:events";
const server = createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1");
await once(server, "listening");
assert.equal(await (await fetch("http://localhost:" + server.address().port)).text(), "hello");
server.close();
assert.ok((await lookup("localhost")).address);
assert.ok("lo" in networkInterfaces());
const unix = createNet((socket) => socket.end("unix")).listen("./s.sock");
await once(unix, "listening");
const [chunk] = await once(connect("./s.sock"), "data");
assert.equal(chunk.toString(), "unix");
unix.close();`,
      },
      line: ["node a.mjs"],
      isQuick: true,
    },
    {
      name: "node --test",
      does: "its own test runner, with coverage",
      needs: ["node"],
      files: {
        "a.test.mjs": 'import test from "node:test"; test("a", () => {}); test("b", async () => {});',
      },
      line: ["node --test --experimental-test-coverage"],
    },
    {
      name: "node cluster",
      does: "two processes share a port",
      needs: ["node"],
      files: {
        "a.cjs": `const cluster = require("node:cluster"), http = require("node:http");
if (cluster.isPrimary) {
  let up = 0;
  for (const _ of [1, 2]) cluster.fork().on("listening", async ({ port }) => {
    if (++up < 2) return;
    console.log(await (await fetch("http://127.0.0.1:" + port)).text());
    process.exit(0);
  });
} else http.createServer((_, answer) => answer.end("hello")).listen(18080, "127.0.0.1");`,
      },
      line: ['[ "$(node a.cjs)" = hello ]'],
    },
    {
      name: "npm install",
      does: "a local tarball, made by `npm pack`; nothing is downloaded",
      needs: ["npm", "node"],
      files: LOCAL_PACKAGE,
      line: [
        "npm pack --silent ./lib >/dev/null",
        "npm install --silent --no-audit --no-fund ./greet-1.0.0.tgz",
        "node -p 'require(\"greet\")(1)'",
      ],
    },
    {
      name: "npm ci",
      does: "from a lock file with a local tarball",
      needs: ["npm", "node"],
      files: LOCAL_PACKAGE,
      before: [
        "npm pack --silent ./lib >/dev/null",
        "npm install --silent --no-audit --no-fund ./greet-1.0.0.tgz",
        "rm -r node_modules",
      ],
      line: ["npm ci --silent --no-audit --no-fund", "npm ls greet"],
    },
    {
      name: "npm run",
      does: "a script that calls a program of `node_modules/.bin`; `npm exec`",
      needs: ["npm", "node"],
      files: LOCAL_PACKAGE,
      before: ["npm install --silent --no-audit --no-fund ./lib"],
      line: ["npm run --silent hi", "npm exec --offline -- greet you"],
    },
    {
      name: "npx",
      does: "a package of the project",
      needs: ["npx", "node"],
      files: LOCAL_PACKAGE,
      before: ["npm install --silent --no-audit --no-fund ./lib"],
      line: ["[ \"$(npx --offline greet you)\" = 'hello, you' ]"],
    },
    {
      name: "npm cache",
      does: "what one call downloads is there for the next, in a cache that the person made for it",
      needs: ["npm", "node"],
      files: { "package.json": '{ "name": "project", "version": "1.0.0" }' },
      before: [
        "mkdir -p ~/.cache/agent",
        "npm_config_cache=~/.cache/agent/npm npm install --silent --no-audit --no-fund --no-save is-number@7.0.0",
        "rm -r node_modules",
      ],
      line: [
        // Without the sandbox it is not set.
        "export npm_config_cache=${npm_config_cache-~/.cache/agent/npm}",
        "npm install --silent --no-audit --no-fund --offline is-number@7.0.0",
        "ls node_modules/is-number",
      ],
      setting:
        "sandbox: { paths: { cache: { root: /home/you/.cache/agent, mode: rw, write_approval: false } }, env: { set: { npm_config_cache: /home/you/.cache/agent/npm } } }",
    },
    {
      name: "npm config",
      does: "`npm config set --location=project` where the project has an `.npmrc`",
      needs: ["npm", "node"],
      files: { "package.json": "{}", ".npmrc": "save-exact=false\n" },
      line: ["npm config set --location=project save-exact=true"],
      fails: {
        says: /(EROFS|EBUSY)[^,\n]*/,
        remedy: "change `.npmrc` yourself: the next install on the host obeys it",
      },
    },
    {
      name: "pnpm",
      does: "`pnpm install` of a local tarball, `pnpm run`",
      needs: ["node", "npm"],
      packages: ["pnpm@11.28.10"],
      files: LOCAL_PACKAGE,
      before: ["npm pack --silent ./lib >/dev/null"],
      line: [
        "PATH=$PWD/node_modules/.bin:$PATH",
        "mkdir app",
        "cd app",
        "cp ../package.json .",
        "pnpm add --offline ../greet-1.0.0.tgz",
        "pnpm run hi",
      ],
    },
    {
      name: "yarn",
      does: "`yarn add` of a local tarball, `yarn run` (classic)",
      needs: ["node", "npm"],
      packages: ["yarn@1.22.22"],
      files: LOCAL_PACKAGE,
      before: ["npm pack --silent ./lib >/dev/null"],
      line: [
        "PATH=$PWD/node_modules/.bin:$PATH",
        "mkdir app",
        "cd app",
        "cp ../package.json .",
        "yarn add --offline --silent file:../greet-1.0.0.tgz",
        "yarn --silent run hi",
      ],
    },
    {
      name: "tsc",
      does: "a build of two modules, incremental",
      needs: ["node"],
      packages: ["typescript@7.0.2"],
      files: {
        "tsconfig.json":
          '{ "compilerOptions": { "rootDir": "src", "outDir": "out", "module": "nodenext", "incremental": true, "strict": true }, "include": ["src"] }',
        "src/a.ts": 'import { b } from "./b.js";\nexport const a: number = b + 1;\nconsole.log(a);',
        "src/b.ts": "export const b = 1;",
      },
      line: [
        "node_modules/.bin/tsc -p .",
        "node_modules/.bin/tsc -p .",
        "node --input-type=module -e 'import \"./out/a.js\"'",
      ],
    },
    {
      name: "esbuild",
      does: "a bundle; its service as a library",
      needs: ["node"],
      packages: ["esbuild@0.28.2"],
      files: { "a.ts": 'import { b } from "./b";\nconsole.log(b);', "b.ts": "export const b: number = 2;" },
      line: [
        "node_modules/.bin/esbuild a.ts --bundle --outfile=out.js",
        '[ "$(node out.js)" = 2 ]',
        'node -e \'require("esbuild").build({ entryPoints: ["a.ts"], bundle: true, outfile: "out2.js" })\'',
        "node out2.js",
      ],
    },
    {
      name: "vite",
      does: "a production build, and the dev server asked for a page",
      needs: ["node", "curl"],
      packages: ["vite@8.3.8"],
      files: {
        "index.html": '<!doctype html><script type="module" src="/a.ts"></script>',
        "a.ts": "document.title = String(1 as number);",
        "package.json": '{ "type": "module" }',
      },
      line: [
        "node_modules/.bin/vite build",
        "ls dist/index.html",
        "node_modules/.bin/vite --port {free} --host 127.0.0.1 & curl -sf --retry 20 --retry-delay 1 --retry-connrefused http://127.0.0.1:{free}/ | grep -q a.ts",
      ],
    },
    {
      name: "vitest",
      does: "tests in two pools: processes and threads",
      needs: ["node"],
      packages: ["vitest@5.1.1", "vite@8.3.8"],
      files: {
        "a.test.ts": 'import { expect, test } from "vitest"; test("a", () => expect(1 + 1).toBe(2));',
        "b.test.ts": 'import { expect, test } from "vitest"; test("b", () => expect(1 + 1).toBe(2));',
        "package.json": '{ "type": "module" }',
      },
      line: ["node_modules/.bin/vitest run", "node_modules/.bin/vitest run --pool=threads"],
    },
    {
      name: "jest",
      does: "tests in parallel processes",
      needs: ["node"],
      packages: ["jest@30.5.2"],
      files: {
        "a.test.js": 'test("a", () => expect(1 + 1).toBe(2));',
        "b.test.js": 'test("b", () => expect(1 + 1).toBe(2));',
        "package.json": "{}",
      },
      line: ["node_modules/.bin/jest --maxWorkers=2"],
    },
  ],
};
