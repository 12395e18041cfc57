import { mkdirSync, readSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { type AbsolutePath, isInside, knownPath, pathToBytes } from "../profile/path.ts";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { entriesBelow } from "./below.ts";
import { linkText } from "./descriptor.ts";
import { changed, demandExpected, demandStill } from "./expected.ts";
import { at, codeOf, Fault } from "./faults.ts";
import { TargetFolder, tryQuietly } from "./folders.ts";
import type { Grants, OpenFolder } from "./grants.ts";
import { statOf } from "./names.ts";
import { isSameInode, kindOf, ruledKind, versionOf } from "./node.ts";
import type { Answer, RequestOf } from "./request.ts";
import { placeAnew, Temporary } from "./temporary.ts";
import { holderOf, holdStill, type Node, type Place, walk } from "./walk.ts";

const CHUNK_BYTES = 1024 ** 2;

/** Renames a file, a link or a folder to a path where nothing stands. */
export function move(grants: Grants, wanted: RequestOf<"move">): Answer<FileAnswer<"move">> {
  using source = walk(grants, wanted.path, "itself");
  using goal = walk(grants, wanted.to, "itself");
  const kind = source.node === null ? "missing" : kindOf(source.node.stat);
  grants.demandName(source.path, ruledKind(kind));
  grants.demandName(goal.path, ruledKind(kind));
  const { node } = source;
  if (node === null) throw new Fault("NOT_FOUND", source.path, "ENOENT");
  if (kind === "other") throw new Fault("WRONG_KIND", source.path, "it is a pipe, a socket or a device");
  demandExpected(wanted.expected, node, source.path);
  if (goal.node !== null) throw new Fault("EXISTS", goal.path, "EEXIST");
  if (kind === "folder") demandAllBelow(grants, node, source.path, goal.path);
  using target = TargetFolder.open(grants, goal, wanted.folders);
  at(goal.path, () => {
    const step: Step = {
      wanted,
      source,
      node,
      from: holderOf(source),
      target,
    };
    holdStill(step.from.folder);
    holdStill(target.folder);
    demandStill(wanted.expected, step.from.folder, step.from.name, source.path);
    if (kind === "folder") moveFolder(step);
    else moveName(step);
    target.keep();
  });
  return { answer: { target: source.path, to: goal.path } };
}

interface Step {
  readonly wanted: RequestOf<"move">;
  readonly source: Place;
  readonly node: Node;
  readonly from: { readonly folder: OpenFolder; readonly name: string };
  readonly target: TargetFolder;
}

/** Of each path below a folder, write is demanded under its old and under its new name. */
function demandAllBelow(grants: Grants, node: Node, path: AbsolutePath, to: AbsolutePath): void {
  if (isInside(to, path)) throw new Fault("BAD_PATH", to, "a folder can't be moved into itself");
  for (const below of entriesBelow({ descriptor: node.descriptor, path })) {
    grants.demand("write", below.path, ruledKind(below.kind));
    grants.demand("write", knownPath(to + below.path.slice(path.length)), ruledKind(below.kind));
  }
}

function moveFolder(step: Step): void {
  const { from, target } = step;
  renameFolder(from.folder, from.name, target.folder, target.name);
  demandSame(step, () => renameFolder(target.folder, target.name, from.folder, from.name));
}

/** An empty folder of ours takes the name, and is replaced: a rename would replace one of somebody else as well. */
function renameFolder(from: OpenFolder, name: string, to: OpenFolder, newName: string): void {
  const fresh = to.descriptor.child(newName);
  mkdirSync(fresh);
  try {
    renameSync(from.descriptor.child(name), fresh);
  } catch (error) {
    tryQuietly(() => rmdirSync(fresh));
    throw error;
  }
}

function moveName(step: Step): void {
  const { node, from, target } = step;
  try {
    placeAnew(from.folder, from.name, target.folder, target.name);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    if (node.stat.isSymbolicLink()) copyLink(step);
    else copyFile(step);
    return;
  }
  demandSame(step, () => placeAnew(target.folder, target.name, from.folder, from.name));
}

/** What was moved must be what was looked at; else it is put back, when nothing has taken its name. */
function demandSame({ node, target, source }: Step, putBack: () => void): void {
  const stat = statOf(target.folder.descriptor, target.name);
  if (stat !== null && isSameInode(stat, node.stat)) return;
  tryQuietly(putBack);
  throw changed(source.path);
}

function copyLink({ wanted, from, target, source }: Step): void {
  symlinkSync(
    Buffer.from(pathToBytes(linkText(from.folder.descriptor, from.name))),
    target.folder.descriptor.child(target.name),
  );
  removeSource(wanted, from, source, () => unlinkSync(target.folder.descriptor.child(target.name)));
}

function copyFile({ wanted, node, from, target, source }: Step): void {
  using file = new Temporary(target.folder, wanted.temporary);
  using content = node.descriptor.content();
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let offset = 0; ; ) {
    const got = readSync(content.fd, chunk, 0, CHUNK_BYTES, offset);
    if (got === 0) break;
    file.append(chunk.subarray(0, got));
    offset += got;
  }
  file.dress(node.stat);
  file.sync();
  if (versionOf(content.stat()) !== versionOf(node.stat)) throw changed(source.path);
  holdStill(target.folder);
  file.appear(target.name);
  removeSource(wanted, from, source, () => unlinkSync(target.folder.descriptor.child(target.name)));
}

/** The last step of a copy. When it can't be done, the copy goes. */
function removeSource(wanted: Step["wanted"], from: Step["from"], source: Place, undo: () => void): void {
  try {
    holdStill(from.folder);
    demandStill(wanted.expected, from.folder, from.name, source.path);
    unlinkSync(from.folder.descriptor.child(from.name));
  } catch (error) {
    tryQuietly(undo);
    throw error;
  }
}
