import { expect } from "vitest";
import type { Host } from "../../../src/host/look/host.ts";
import { findLanguage } from "../../../src/host/look/runtimes/installed.ts";
import { LANGUAGES } from "../../../src/host/look/runtimes/language.ts";
import { programsOnPath } from "../../../src/host/look/runtimes/program.ts";
import { siteOutside } from "../../../src/host/look/runtimes/site.ts";
import { type Entry, PROGRAM, type Tree } from "./runtimes-tree.ts";

type Layout = Readonly<Record<string, Entry>>;

/** Looks for a language with these folders on PATH; see `foundBy`. */
export type Found = (
  name: string,
  path: readonly string[],
  env?: Readonly<Record<string, string>>,
) => unknown;

/** A search on the tree that the test has. */
export function finder(tree: () => Tree): Found {
  return (name, path, env = {}) => foundBy(tree(), tree().host(env, path), name);
}

/** What was found, told by names below the tree's top; of what was not, the message. `usr` of the tree is the system. */
export function foundBy(tree: Tree, host: Host, name: string): unknown {
  const within = (text: string): string => text.replaceAll(`${tree.top}/`, "");
  const system = { read: [tree.at("usr")], links: [] };
  const language = LANGUAGES.find((each) => each.name === name) ?? expect.unreachable();
  const site = siteOutside(host, []);
  const finding = findLanguage(site, system, language, programsOnPath(site, language.program));
  if (finding.kind === "missing") return within(finding.message);
  const { read, links, path, env } = finding.runtime;
  expect(env).toEqual({});
  const told = links.map((link) => `${within(link.path)} → ${within(link.target)}`);
  return { read: read.map(within), ...(told.length > 0 ? { links: told } : {}), path: path.map(within) };
}

/** A finding of one folder, whole. */
export function whole(prefix: string): unknown {
  return { read: [prefix], path: [`${prefix}/bin`] };
}

/** Node as its tarball unpacks. */
export function node(prefix: string): Layout {
  return {
    [`${prefix}/bin/node`]: PROGRAM,
    [`${prefix}/bin/npm`]: { link: "../lib/node_modules/npm/bin/npm-cli.js" },
    [`${prefix}/include/node/node.h`]: "",
    [`${prefix}/lib/node_modules/npm/bin/npm-cli.js`]: PROGRAM,
    [`${prefix}/LICENSE`]: "",
    [`${prefix}/README.md`]: "",
  };
}

/** Python as `make install` leaves it. */
export function python(prefix: string, version = "3.12"): Layout {
  return {
    [`${prefix}/bin/python${version}`]: PROGRAM,
    [`${prefix}/bin/python3`]: { link: `python${version}` },
    [`${prefix}/lib/python${version}/os.py`]: "",
    [`${prefix}/include/python${version}/Python.h`]: "",
  };
}
