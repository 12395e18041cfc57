import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { type Host, thisHost } from "../../../src/host/look/host.ts";
import { type AbsolutePath, absolutePath, joinPath } from "../../../src/profile/path.ts";

/** What stands at a path: the text of a file, a link, a folder, or a program that betrays that it was run. */
export type Entry = string | { readonly link: string } | typeof FOLDER | typeof PROGRAM;
export const FOLDER = { kind: "folder" } as const;
export const PROGRAM = { kind: "program" } as const;

/** A machine in a temporary folder: whatever is on it must be read, never run. */
export interface Tree {
  readonly top: AbsolutePath;
  readonly home: AbsolutePath;
  at(name: string): AbsolutePath;
  /** Makes what is listed, open to every user. A link's `~~` stands for the top of the tree. */
  add(entries: Readonly<Record<string, Entry>>): void;
  chmod(name: string, mode: number): void;
  /** A host that lives in this tree: its home is `home/me`. */
  host(env: Readonly<Record<string, string>>, path: readonly string[]): Host;
}

/** A fresh tree for each test of the file; after each, none of its programs has been run. */
export function freshTrees(): () => Tree {
  let tree: Tree;
  beforeEach(() => {
    tree = plant();
  });
  afterEach(() => {
    const hasRun = existsSync(tree.at("ran"));
    rmSync(tree.top, { recursive: true, force: true });
    expect(hasRun).toBe(false);
  });
  return () => tree;
}

function plant(): Tree {
  const top = absolutePath(realpathSync(mkdtempSync(join(tmpdir(), "runtimes-"))));
  const at = (name: string): AbsolutePath => joinPath(top, name);
  const tree: Tree = {
    top,
    home: at("home/me"),
    at,
    add: (entries) => {
      for (const [name, entry] of Object.entries(entries)) make(top, at(name), entry);
    },
    chmod: (name, mode) => chmodSync(at(name), mode),
    host: (env, path) =>
      thisHost({
        platform: "linux",
        user: { uid: 1000, gid: 1000, name: "me", home: at("home/me") },
        // What the machine that runs the tests has for git says nothing here.
        env: {
          GIT_CONFIG_NOSYSTEM: "1",
          ...env,
          PATH: path.map((folder) => (folder.startsWith("/") ? folder : at(folder))).join(":"),
        },
        stateFolder: at("home/me/.local/state/cofferdam"),
      }),
  };
  tree.add({ "home/me": FOLDER });
  return tree;
}

function make(top: AbsolutePath, path: AbsolutePath, entry: Entry): void {
  if (entry === FOLDER) {
    openFolder(path);
    return;
  }
  openFolder(dirname(path));
  if (typeof entry === "object" && "link" in entry) {
    symlinkSync(entry.link.replace("~~", top), path);
    return;
  }
  writeFileSync(path, typeof entry === "string" ? entry : `#!/bin/sh\ntouch ${top}/ran\n`);
  chmodSync(path, entry === PROGRAM ? 0o755 : 0o644);
}

function openFolder(path: string): void {
  if (existsSync(path) && lstatSync(path).isDirectory()) return;
  openFolder(dirname(path));
  mkdirSync(path);
  chmodSync(path, 0o755);
}
