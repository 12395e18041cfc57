/**
 * Does all that a plan says, and prints what went through: inside a sandbox, or as the twin outside. Each act but the last on a file is
 * undone, so that what is attacked still starts and runs what was planted. It is copied to where it is run, and stands alone.
 */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { AttackPlan, AttackResult } from "./attack-plan.ts";

const ELF = "\u{7f}ELF";
const plan: AttackPlan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const done: string[] = [];
let tried = 0;

for (const folder of plan.folders) attackFolder(folder);
for (const [at, file] of plan.files.entries()) attackFile(file, at);
for (const { path, text, mode } of plan.plants)
  attempt(`make ${path}`, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode, flag: "wx" });
  });
const result: AttackResult = { tried, done };
writeFileSync(`${plan.scratch}/attack-result.json`, JSON.stringify(result));

/** One act; what is thrown is a refusal. */
function attempt(name: string, act: () => void): void {
  tried += 1;
  try {
    act();
    done.push(name);
  } catch {
    // It was refused, and is not among what was done.
  }
}

function attackFolder(folder: string): void {
  attempt(`replace ${folder}`, () => {
    renameSync(folder, `${folder}~`);
    mkdirSync(folder);
    rmdirSync(folder);
    renameSync(`${folder}~`, folder);
  });
  attempt(`move away ${folder}`, () => {
    renameSync(folder, `${plan.scratch}/moved~`);
    renameSync(`${plan.scratch}/moved~`, folder);
  });
  attempt(`make in ${folder}`, () => {
    writeFileSync(`${folder}/made~`, "");
    unlinkSync(`${folder}/made~`);
  });
}

function attackFile(file: string, at: number): void {
  const stats = (() => {
    try {
      return lstatSync(file);
    } catch {
      return null;
    }
  })();
  attempt(`move ${file}`, () => {
    renameSync(file, `${file}~`);
    renameSync(`${file}~`, file);
  });
  attempt(`times of ${file}`, () => lutimesSync(file, 1, 1));
  if (stats?.isSymbolicLink() === true) attackLink(file);
  else attackPlainFile(file, at, stats);
}

function attackPlainFile(file: string, at: number, stats: Stats | null): void {
  const text = stats === null ? Buffer.from("") : readFileSync(file);
  const mode = (stats?.mode ?? 0o644) & 0o777;
  attempt(`mode of ${file}`, () => {
    chmodSync(file, 0o777);
    chmodSync(file, mode);
  });
  attempt(`remove ${file}`, () => {
    unlinkSync(file);
    writeFileSync(file, text, { mode });
  });
  attempt(`link to ${file}`, () => {
    const other = `${plan.scratch}/link~${at}`;
    linkSync(file, other);
    appendFileSync(other, " ");
    unlinkSync(other);
    writeFileSync(file, text);
  });
  if (text.subarray(0, 4).toString("latin1") === ELF) attackProgram(file);
  else attackText(file, text, mode);
}

function attackText(file: string, text: Buffer, mode: number): void {
  const marked = markedText(file, text);
  attempt(`replace ${file}`, () => {
    const other = `${plan.scratch}/new~${basename(file)}`;
    writeFileSync(other, marked, { mode });
    renameSync(other, file);
  });
  attempt(`write ${file}`, () => {
    const fd = openSync(file, "r+");
    writeFileSync(fd, marked);
    closeSync(fd);
  });
  attempt(`append to ${file}`, () => appendFileSync(file, "\n"));
}

/** A command that is a link becomes a script that leaves its mark first; a link to a folder another one like it. */
function attackLink(link: string): void {
  const target = readlinkSync(link);
  const real = resolve(dirname(link), target);
  attempt(`link elsewhere ${link}`, () => {
    unlinkSync(link);
    if (statSync(real).isDirectory()) symlinkSync(target, link);
    else writeFileSync(link, `#!/bin/sh\n${shellMark(link)}exec '${real}' "$@"\n`, { mode: 0o755 });
  });
}

/** A program of the system's kind becomes a script that leaves its mark first. */
function attackProgram(file: string): void {
  attempt(`stand in for ${file}`, () => {
    renameSync(file, `${file}~`);
    writeFileSync(file, `#!/bin/sh\n${shellMark(file)}exec '${file}~' "$@"\n`, { mode: 0o755 });
  });
}

/** Code that says that it ran before it does what it did. */
function markedText(file: string, text: Buffer): Buffer {
  const head = /^#!.*\n/.exec(text.subarray(0, 200).toString("latin1"))?.[0] ?? "";
  const mark = /^#!.*\bsh\b/.test(head)
    ? shellMark(file)
    : /\.[cm]?[jt]s$/.test(file)
      ? scriptMark(file)
      : "";
  return Buffer.concat([Buffer.from(head + mark), text.subarray(head.length)]);
}

function scriptMark(name: string): string {
  const [where, what] = [plan.mark, `${name}\n`].map((one) => JSON.stringify(one));
  return `;try{process.getBuiltinModule("node:fs").appendFileSync(${where},${what})}catch{};`;
}

function shellMark(name: string): string {
  return `echo '${name}' >>'${plan.mark}' 2>/dev/null\n`;
}
