import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answering, askedBy } from "../../../test/support/web/whole-web.ts";

/** Registries of npm, Python, Rust and Go, by the name of their folder in a web: each has the package `greet` and its dependencies. */
export function registriesIn(folder: string): Readonly<Record<string, Answering>> {
  return { npm: npm(folder), pip: pip(folder), cargo: cargo(folder), go: go(folder) };
}

/** https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
function npm(folder: string): Answering {
  const needs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    greet: { shout: "^1.0.0" },
    shout: {},
  };
  const texts: Readonly<Record<string, string>> = {
    greet: 'module.exports = (name) => require("shout")(`hello, ${name}`);\n',
    shout: "module.exports = (text) => text.toUpperCase();\n",
  };
  const made = new Map(
    Object.entries(needs).map(([name, dependencies]) => {
      const manifest = { name, version: "1.0.0", main: "index.js", dependencies };
      const files = { "index.js": texts[name] ?? "", "package.json": JSON.stringify(manifest) };
      return [name, { manifest, tarball: tarred(join(folder, "npm", name), "package", files) }] as const;
    }),
  );
  return (rest, request, response) => {
    const [name = "", file] = rest.split("/-/");
    const one = made.get(name);
    if (one === undefined) response.writeHead(404).end("{}");
    else if (file !== undefined) response.end(one.tarball);
    else {
      const integrity = `sha512-${createHash("sha512").update(one.tarball).digest("base64")}`;
      const dist = { tarball: `${askedBy(request)}/npm/${name}/-/${name}-1.0.0.tgz`, integrity };
      const versions = { "1.0.0": { ...one.manifest, dist } };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
    }
  };
}

/** https://packaging.python.org/en/latest/specifications/simple-repository-api/ */
function pip(folder: string): Answering {
  const wheel = zipped(join(folder, "pip"), {
    "greet.py": "def hello(name): return f'hello, {name}'\n",
    "greet-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n",
    "greet-1.0.dist-info/WHEEL":
      "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "greet-1.0.dist-info/RECORD": "greet.py,,\ngreet-1.0.dist-info/METADATA,,\ngreet-1.0.dist-info/WHEEL,,\n",
  });
  const name = "greet-1.0-py3-none-any.whl";
  return (rest, _request, response) => {
    if (rest === name) response.end(wheel);
    else if (rest === "simple/greet/")
      response
        .setHeader("Content-Type", "text/html")
        .end(`<!DOCTYPE html><a href="/pip/${name}#sha256=${sha256(wheel)}">${name}</a>\n`);
    else response.writeHead(404).end();
  };
}

/** https://doc.rust-lang.org/cargo/reference/registry-index.html#sparse-protocol */
function cargo(folder: string): Answering {
  const crate = tarred(join(folder, "cargo"), "greet-1.0.0", {
    "Cargo.toml": '[package]\nname = "greet"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": 'pub fn hello(name: &str) -> String { format!("hello, {name}") }\n',
  });
  const entry = { name: "greet", vers: "1.0.0", deps: [], cksum: sha256(crate), features: {}, yanked: false };
  return (rest, request, response) => {
    if (rest === "config.json") response.end(JSON.stringify({ dl: `${askedBy(request)}/cargo/crates` }));
    else if (rest === "gr/ee/greet") response.end(`${JSON.stringify(entry)}\n`);
    else if (rest === "crates/greet/1.0.0/download") response.end(crate);
    else response.writeHead(404).end();
  };
}

/** https://go.dev/ref/mod#goproxy-protocol */
function go(folder: string): Answering {
  const [name, version] = ["example.test/greet", "v1.0.0"];
  const mod = `module ${name}\n\ngo 1.19\n`;
  const zip = zipped(join(folder, "go"), {
    [`${name}@${version}/go.mod`]: mod,
    [`${name}@${version}/greet.go`]:
      'package greet\n\nfunc Hello(name string) string { return "hello, " + name }\n',
  });
  const files: Readonly<Record<string, string | Buffer>> = {
    list: `${version}\n`,
    [`${version}.info`]: JSON.stringify({ Version: version, Time: "2020-01-01T00:00:00Z" }),
    [`${version}.mod`]: mod,
    [`${version}.zip`]: zip,
  };
  return (rest, _request, response) => {
    const file = files[rest.replace(`${name}/@v/`, "")];
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  };
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A compressed archive of the files, below one folder of that name. */
function tarred(folder: string, top: string, files: Readonly<Record<string, string>>): Buffer {
  write(join(folder, top), files);
  return madeBy(folder, ["tar", "-czf", "made", top]);
}

/** An archive of the files and of no folders, as Python and Go take one. */
function zipped(folder: string, files: Readonly<Record<string, string>>): Buffer {
  write(join(folder, "in"), files);
  const script =
    "import sys, zipfile\nwith zipfile.ZipFile('made', 'w') as made:\n    for name in sys.argv[1:]: made.write('in/' + name, name)";
  return madeBy(folder, ["python3", "-c", script, ...Object.keys(files)]);
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function madeBy(cwd: string, [program, ...words]: readonly [string, ...string[]]): Buffer {
  const { status, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return readFileSync(join(cwd, "made"));
}
