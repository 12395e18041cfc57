import { type Case, granted, type On, outside, type Target, type Twin } from "../case.ts";
import { linked, renamed } from "./changes.ts";

/** Something that is done to a path: where, and where its twin is done. */
interface Way {
  readonly on: On;
  readonly line: (path: string) => string;
  readonly twin: (line: string) => Twin;
}

function both(line: Way["line"]): readonly Way[] {
  return [{ on: "both", line, twin: granted }];
}

function onLinux(line: Way["line"]): readonly Way[] {
  return [{ on: "linux", line, twin: granted }];
}

/** On macOS no file is given a second name inside, wherever it lies. */
function bySecondName(line: Way["line"]): readonly Way[] {
  return [...onLinux(line), { on: "darwin", line, twin: outside }];
}

type Ways = Readonly<Record<string, readonly Way[]>>;

/** Ways to change a file or its name, each with the path of the file. */
const CHANGES: Ways = {
  "written to": both((path) => `echo x >> ${path}`),
  "cut to nothing": both((path) => `: > ${path}`),
  "written through a link made inside": both(
    (path) => `ln -sfn ${path} ${path}-link; echo x >> ${path}-link`,
  ),
  "written through a link to /proc": onLinux(
    (path) => `ln -sfn /proc/self/root${path} ${path}-proc; echo x >> ${path}-proc`,
  ),
  "written through a hard link made inside": bySecondName(
    (path) => `ln ${path} ${path}-hard && echo x >> ${path}-hard`,
  ),
  "given another mode": both((path) => `chmod 777 ${path}`),
  "given another time": both((path) => `touch -t 200101010000 ${path}`),
  "replaced by a file": both((path) => `echo x > ${path}-new && mv -f ${path}-new ${path}`),
  "replaced by a link": both((path) => `ln -sfn /etc/passwd ${path}`),
  "moved away": both((path) => `mv ${path} ${path}-away`),
  removed: both((path) => `rm -f ${path} && [ ! -e ${path} ]`),
};

/** Ways to make something at a path where nothing is. */
const MAKINGS: Ways = {
  "as a file": both((path) => `echo x > ${path}`),
  "as a folder": both((path) => `mkdir ${path}`),
  "as a link": both((path) => `ln -s x ${path}`),
  "by a file that is moved there": both((path) => `echo x > ${path}-new && ${renamed(`${path}-new`, path)}`),
  "by a hard link": bySecondName((path) => `echo x > ${path}-new && ln ${path}-new ${path}`),
};

/**
 * What an operator's masks keep: `locked` files to read, `hidden` ones unseen, and `missing` names unmade; and what makes
 * that so however deep it lies. The twin does the same below `ws/free`, where the same names stand without a mask.
 */
export function ofMasks({ ws, docs }: Target): readonly Case[] {
  return [...ofLocked(ws), ...ofHidden(ws), ...ofMissing(ws), ...ofFolders(ws), ...ofReadOnlyRoot(ws, docs)];
}

function ofLocked(ws: string): readonly Case[] {
  return ["locked", "deep/a/locked", "by-glob.locked"].flatMap((name) =>
    tried(CHANGES, ({ on, line, twin }, how, at) => ({
      on,
      claim: how === "moved away" || how === "removed" ? "fs.rename" : "fs.write",
      title: `a read-only file (${name}) cannot be ${how}`,
      attack: line(`${ws}/${name}`),
      twin: twin(line(`${ws}/free/${at}/${name}`)),
    })),
  );
}

/** A case for each way; what is done in one way has a folder of its own, by number. */
function tried(ways: Ways, of: (way: Way, how: string, at: number) => Case): readonly Case[] {
  return Object.entries(ways).flatMap(([how, some], at) => some.map((way) => of(way, how, at)));
}

function ofHidden(ws: string): readonly Case[] {
  const reads = (name: string): Ways => ({
    "by its name": both((folder) => `grep -q secret ${folder}/${name}`),
    "by its folder's descriptor": onLinux(
      (folder) => `exec 3< ${folder}; grep -q secret /proc/self/fd/3/${name}`,
    ),
    "by /proc/self/root": onLinux((folder) => `grep -q secret /proc/self/root${folder}/${name}`),
    "by /proc/1/root": onLinux((folder) => `grep -q secret /proc/1/root${folder}/${name}`),
    "by a link made inside": both(
      (folder) => `ln -sfn ${name} ${folder}/${name}-link; grep -q secret ${folder}/${name}-link`,
    ),
    "by a hard link made inside": bySecondName(
      (folder) => `ln ${folder}/${name} ${folder}/${name}-hard && grep -q secret ${folder}/${name}-hard`,
    ),
    "once its mode was changed": both(
      (folder) => `chmod 644 ${folder}/${name} && grep -q secret ${folder}/${name}`,
    ),
    "once it was moved": both(
      (folder) => `mv ${folder}/${name} ${folder}/${name}-away && grep -q secret ${folder}/${name}-away`,
    ),
    "by a link that was there": both((folder) => `grep -q secret ${folder}/to-${name}`),
  });
  return ["hidden", "hidden-by-glob.key"].flatMap((name) =>
    tried(reads(name), ({ on, line, twin }, how, at) => ({
      on,
      claim: "fs.read",
      title: `a hidden file (${name}) cannot be read ${how}`,
      attack: line(ws),
      twin: twin(line(`${ws}/free/${at}`)),
    })),
  );
}

function ofMissing(ws: string): readonly Case[] {
  return ["missing", "no/such/missing", "missing.json"].flatMap((name) =>
    tried(MAKINGS, ({ on, line, twin }, how, at) => {
      const make = (folder: string): string =>
        `mkdir -p $(dirname ${folder}/${name}) && ${line(`${folder}/${name}`)}`;
      return {
        on,
        claim: "fs.missing",
        title: `a missing name (${name}) cannot be made ${how}`,
        attack: make(ws),
        twin: twin(make(`${ws}/free/${at}`)),
      };
    }),
  );
}

function ofFolders(ws: string): readonly Case[] {
  const acts: readonly (readonly [title: string, line: (folder: string) => string])[] = [
    ["the folder that holds a protected file cannot be moved away", (at) => `mv ${at}/deep/a ${at}/deep/b`],
    ["the folder above that one cannot be moved away", (at) => `mv ${at}/deep ${at}/deep2`],
    [
      "nor exchanged for a link to a copy",
      (at) => `cp -r ${at}/deep ${at}/copy && rm -rf ${at}/deep; ${linked("copy", `${at}/deep`)}`,
    ],
  ];
  const hidden: readonly (readonly [title: string, line: (folder: string) => string])[] = [
    ["be listed", (at) => `[ "$(ls ${at}/closed)" = key ]`],
    ["be read from", (at) => `grep -q secret ${at}/closed/key`],
    ["be opened up by its mode", (at) => `chmod 755 ${at}/closed && ls ${at}/closed`],
    ["be written into", (at) => `echo x > ${at}/closed/new`],
    ["be removed", (at) => `rm -rf ${at}/closed && [ ! -e ${at}/closed ]`],
  ];
  return [
    ...acts.map(([title, line], at): Case => {
      return {
        on: "both",
        claim: "fs.rename",
        title,
        attack: line(ws),
        twin: granted(line(`${ws}/free/${at}`)),
      };
    }),
    ...hidden.map(([what, line], at): Case => {
      const title = `a hidden folder cannot ${what}`;
      return {
        on: "both",
        claim: "fs.read",
        title,
        attack: line(ws),
        twin: granted(line(`${ws}/free/${at}`)),
      };
    }),
  ];
}

function ofReadOnlyRoot(ws: string, docs: string): readonly Case[] {
  const acts: Ways = {
    "a file made": both((folder) => `echo x > ${folder}/made`),
    "a file changed": both((folder) => `echo x >> ${folder}/page`),
    "a file removed": both((folder) => `rm -f ${folder}/page && [ ! -e ${folder}/page ]`),
    "a file moved in": both((folder) => `echo x > ${ws}/moved-in && mv ${ws}/moved-in ${folder}/moved-in`),
    "a mode changed": both((folder) => `chmod 700 ${folder}`),
    "a link made": both((folder) => `ln -s x ${folder}/link`),
    "a hard link taken out": bySecondName((folder) => `ln ${folder}/page ${ws}/taken-out`),
    "the root itself removed": both((folder) => `rm -rf ${folder} && [ ! -e ${folder} ]`),
  };
  return tried(acts, ({ on, line, twin }, what, at) => ({
    on,
    claim: "fs.write",
    title: `in a root to read there is not ${what}`,
    attack: line(docs),
    twin: twin(line(`${ws}/free/${at}/docs`)),
  }));
}
