import { mkdirSync, readSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { type AbsolutePath, isInside, knownPath, pathToBytes } from "../profile/path.ts";
import type { FileAnswer } from "../tool/files/protocol.ts";
import { entriesBelow } from "./below.ts";
import { linkText } from "./descriptor.ts";
import { changed, demandExpected, demandStill } from "./expected.ts";
import { at, codeOf, WorkerFault } from "./faults.ts";
import { TargetFolder, tryQuietly } from "./folders.ts";
import type { GrantedFolder, GrantedFolders } from "./grants.ts";
import { statOf } from "./names.ts";
import { isSameInode, kindOf, ruledKind, versionOf } from "./node.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { placeAnew, Temporary } from "./temporary.ts";
import { holderOf, holdStill, type WalkedInode, type WalkedPlace, walk } from "./walk.ts";

const CHUNK_BYTES = 1024 ** 2;

/** Renames a file, a link or a folder to a free path. */
export function move(grants: GrantedFolders, wanted: RequestOf<"move">): WorkerAnswer<FileAnswer<"move">> {
  using source = walk(grants, wanted.path, "itself");
  using goal = walk(grants, wanted.to, "itself");
  const kind = source.node === null ? "missing" : kindOf(source.node.stat);
  grants.demandName(source.path, ruledKind(kind));
  grants.demandName(goal.path, ruledKind(kind));
  const { node } = source;
  if (node === null) throw new WorkerFault("NOT_FOUND", source.path, "ENOENT");
  if (kind === "other")
    throw new WorkerFault("WRONG_KIND", source.path, "it is a pipe, a socket or a device");
  demandExpected(wanted.expected, node, source.path);
  if (goal.node !== null) throw new WorkerFault("EXISTS", goal.path, "EEXIST");
  if (kind === "folder") demandAllBelow(grants, node, source.path, goal.path);
  using target = TargetFolder.open(grants, goal, wanted.folders);
  at(goal.path, () => {
    const step: Step = { wanted, source, node, from: holderOf(source), target };
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
  readonly source: WalkedPlace;
  readonly node: WalkedInode;
  readonly from: { readonly folder: GrantedFolder; readonly name: string };
  readonly target: TargetFolder;
}

/** Demands write for each path below a folder, under its old and its new name. */
function demandAllBelow(
  grants: GrantedFolders,
  node: WalkedInode,
  path: AbsolutePath,
  to: AbsolutePath,
): void {
  if (isInside(to, path)) throw new WorkerFault("BAD_PATH", to, "a folder can't be moved into itself");
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

/** An empty folder of ours takes the name, and is replaced: a direct rename would also replace another's. */
function renameFolder(from: GrantedFolder, name: string, to: GrantedFolder, newName: string): void {
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

/** Checks that the moved inode is the expected one; otherwise puts it back, if its name is still free. */
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

/** The last step of a copy. If it fails, the copy is removed. */
function removeSource(
  wanted: Step["wanted"],
  from: Step["from"],
  source: WalkedPlace,
  undo: () => void,
): void {
  try {
    holdStill(from.folder);
    demandStill(wanted.expected, from.folder, from.name, source.path);
    unlinkSync(from.folder.descriptor.child(from.name));
  } catch (error) {
    tryQuietly(undo);
    throw error;
  }
}
