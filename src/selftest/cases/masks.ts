import { type Case, granted, type Target } from "../case.ts";

/** Ways to change a file or its name, each with the path of the file. */
const CHANGES: Readonly<Record<string, (path: string) => string>> = {
  "written to": (path) => `echo x >> ${path}`,
  "cut to nothing": (path) => `: > ${path}`,
  "written through a link made inside": (path) => `ln -sfn ${path} ${path}-link; echo x >> ${path}-link`,
  "written through a link to /proc": (path) =>
    `ln -sfn /proc/self/root${path} ${path}-proc; echo x >> ${path}-proc`,
  "written through a hard link made inside": (path) => `ln ${path} ${path}-hard && echo x >> ${path}-hard`,
  "given another mode": (path) => `chmod 777 ${path}`,
  "given another time": (path) => `touch -d 2001-01-01 ${path}`,
  "replaced by a file": (path) => `echo x > ${path}-new && mv -f ${path}-new ${path}`,
  "replaced by a link": (path) => `ln -sfn /etc/passwd ${path}`,
  "moved away": (path) => `mv ${path} ${path}-away`,
  removed: (path) => `rm -f ${path} && [ ! -e ${path} ]`,
};

/** Ways to make something at a path where nothing is. */
const MAKINGS: Readonly<Record<string, (path: string) => string>> = {
  "as a file": (path) => `echo x > ${path}`,
  "as a folder": (path) => `mkdir ${path}`,
  "as a link": (path) => `ln -s x ${path}`,
  "by a file that is moved there": (path) => `echo x > ${path}-new && mv -fT ${path}-new ${path}`,
  "by a hard link": (path) => `echo x > ${path}-new && ln ${path}-new ${path}`,
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
    Object.entries(CHANGES).map(([how, line], at): Case => {
      return {
        claim: how === "moved away" || how === "removed" ? "fs.rename" : "fs.write",
        title: `a read-only file (${name}) cannot be ${how}`,
        attack: line(`${ws}/${name}`),
        twin: granted(line(`${ws}/free/${at}/${name}`)),
      };
    }),
  );
}

function ofHidden(ws: string): readonly Case[] {
  const reads: Readonly<Record<string, (folder: string, name: string) => string>> = {
    "by its name": (folder, name) => `grep -q secret ${folder}/${name}`,
    "by its folder's descriptor": (folder, name) =>
      `exec 3< ${folder}; grep -q secret /proc/self/fd/3/${name}`,
    "by /proc/self/root": (folder, name) => `grep -q secret /proc/self/root${folder}/${name}`,
    "by /proc/1/root": (folder, name) => `grep -q secret /proc/1/root${folder}/${name}`,
    "by a link made inside": (folder, name) =>
      `ln -sfn ${name} ${folder}/${name}-link; grep -q secret ${folder}/${name}-link`,
    "by a hard link made inside": (folder, name) =>
      `ln ${folder}/${name} ${folder}/${name}-hard && grep -q secret ${folder}/${name}-hard`,
    "once its mode was changed": (folder, name) =>
      `chmod 644 ${folder}/${name} && grep -q secret ${folder}/${name}`,
    "once it was moved": (folder, name) =>
      `mv ${folder}/${name} ${folder}/${name}-away && grep -q secret ${folder}/${name}-away`,
    "by a link that was there": (folder, name) => `grep -q secret ${folder}/to-${name}`,
  };
  return ["hidden", "hidden-by-glob.key"].flatMap((name) =>
    Object.entries(reads).map(([how, line], at): Case => {
      return {
        claim: "fs.read",
        title: `a hidden file (${name}) cannot be read ${how}`,
        attack: line(ws, name),
        twin: granted(line(`${ws}/free/${at}`, name)),
      };
    }),
  );
}

function ofMissing(ws: string): readonly Case[] {
  return ["missing", "no/such/missing", "missing.json"].flatMap((name) =>
    Object.entries(MAKINGS).map(([how, line], at): Case => {
      const make = (folder: string): string =>
        `mkdir -p $(dirname ${folder}/${name}) && ${line(`${folder}/${name}`)}`;
      return {
        claim: "fs.missing",
        title: `a missing name (${name}) cannot be made ${how}`,
        attack: make(ws),
        twin: granted(make(`${ws}/free/${at}`)),
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
      (at) => `cp -r ${at}/deep ${at}/copy && rm -rf ${at}/deep; ln -sT copy ${at}/deep`,
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
      return { claim: "fs.rename", title, attack: line(ws), twin: granted(line(`${ws}/free/${at}`)) };
    }),
    ...hidden.map(([what, line], at): Case => {
      const title = `a hidden folder cannot ${what}`;
      return { claim: "fs.read", title, attack: line(ws), twin: granted(line(`${ws}/free/${at}`)) };
    }),
  ];
}

function ofReadOnlyRoot(ws: string, docs: string): readonly Case[] {
  const acts: Readonly<Record<string, (folder: string) => string>> = {
    "a file made": (folder) => `echo x > ${folder}/made`,
    "a file changed": (folder) => `echo x >> ${folder}/page`,
    "a file removed": (folder) => `rm -f ${folder}/page && [ ! -e ${folder}/page ]`,
    "a file moved in": (folder) => `echo x > ${ws}/moved-in && mv ${ws}/moved-in ${folder}/moved-in`,
    "a mode changed": (folder) => `chmod 700 ${folder}`,
    "a link made": (folder) => `ln -s x ${folder}/link`,
    "a hard link taken out": (folder) => `ln ${folder}/page ${ws}/taken-out`,
    "the root itself removed": (folder) => `rm -rf ${folder} && [ ! -e ${folder} ]`,
  };
  return Object.entries(acts).map(([what, line], at): Case => {
    return {
      claim: "fs.write",
      title: `in a root to read there is not ${what}`,
      attack: line(docs),
      twin: granted(line(`${ws}/free/${at}/docs`)),
    };
  });
}
