import { expect, test } from "vitest";
import type { Facts, PathNode } from "../../../src/backend/facts.ts";
import { FactsMemory } from "../../../src/host/launch/facts.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { fakedFacts } from "../../support/faked-facts.ts";

const base = fakedFacts(["/w/", "/w/a"]);
const [folder, file] = [absolutePath("/w"), absolutePath("/w/a")];
const link = (target: string): PathNode => ({ kind: "link", id: "1:9", target: absolutePath(target) });
const repository: Facts["repositories"][number] = {
  kind: "folder",
  path: folder,
  isWhole: true,
  hooks: [file],
  configs: [],
  parts: [],
  detours: [],
};
const unsearched: Facts["unsearched"][number] = {
  path: folder,
  bound: { kind: "entries", max: 1 },
  over: "refuse",
};
const withNode = (node: PathNode): Facts => ({ ...base, nodes: new Map([...base.nodes, [file, node]]) });

/** The same facts with every list made anew, as a second look makes them. */
const anew = (facts: Facts): Facts => ({
  ...facts,
  nodes: new Map([...facts.nodes].map(([path, node]) => [path, { ...node }])),
  hits: [...facts.hits],
  repositories: facts.repositories.map((one) => ({ ...one })),
  unsearched: facts.unsearched.map((one) => ({ ...one })),
  nameFiles: facts.nameFiles === null ? null : { ...facts.nameFiles },
  shown: new Map([...facts.shown].map(([path, files]) => [path, [...files]])),
});

test("a second look at an unchanged machine is the first one", () => {
  const memory = new FactsMemory();
  const facts: Facts = {
    ...withNode(link("/w/b")),
    hits: [file],
    repositories: [repository],
    unsearched: [unsearched],
    nameFiles: { hosts: "127.0.0.1 localhost", resolver: null },
    shown: new Map([[folder, [file]]]),
  };
  const first = memory.recall(anew(facts));
  expect(memory.recall(anew(facts))).toBe(first);
});

test.each<[string, Facts]>([
  ["another file at a path", withNode({ kind: "file", id: "1:10" })],
  ["something of another kind", withNode({ kind: "folder", id: "1:9" })],
  ["nothing", withNode({ kind: "missing" })],
  ["a link that leads elsewhere", withNode(link("/w/c"))],
  ["a further path", { ...base, nodes: new Map([...base.nodes, [absolutePath("/w/z"), link("/w/b")]]) }],
  ["a glob hit", { ...withNode(link("/w/b")), hits: [file] }],
  ["a repository", { ...withNode(link("/w/b")), repositories: [repository] }],
  ["a folder that could not be searched", { ...withNode(link("/w/b")), unsearched: [unsearched] }],
  [
    "another resolver",
    { ...withNode(link("/w/b")), nameFiles: { hosts: null, resolver: "nameserver 127.0.0.53" } },
  ],
  ["a shown file", { ...withNode(link("/w/b")), shown: new Map([[folder, [file]]]) }],
  ["another mount table", { ...withNode(link("/w/b")), mounts: [...base.mounts] }],
  ["another user", { ...withNode(link("/w/b")), user: { ...base.user } }],
  ["another launcher", { ...withNode(link("/w/b")), launcher: { ...base.launcher } }],
  ["another empty file", { ...withNode(link("/w/b")), emptyFile: absolutePath("/other/empty") }],
])("%s makes it another look", (_, changed) => {
  const memory = new FactsMemory();
  const first = memory.recall(anew(withNode(link("/w/b"))));
  expect(memory.recall(anew(changed))).not.toBe(first);
});
