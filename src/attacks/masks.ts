import { type Attack, type AttackTarget, type Control, granted, type On, outside } from "./attack.ts";
import { linked, renamed } from "./changes.ts";

interface MaskAct {
  readonly on: On;
  readonly line: (path: string) => string;
  readonly control: (line: string) => Control;
}

function both(line: MaskAct["line"]): readonly MaskAct[] {
  return [{ on: "both", line, control: granted }];
}

function onLinux(line: MaskAct["line"]): readonly MaskAct[] {
  return [{ on: "linux", line, control: granted }];
}

/** On macOS no file is given a second name inside, wherever it lies. */
function bySecondName(line: MaskAct["line"]): readonly MaskAct[] {
  return [...onLinux(line), { on: "darwin", line, control: outside }];
}

type MaskActs = Readonly<Record<string, readonly MaskAct[]>>;

const CHANGES: MaskActs = {
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

const MAKINGS: MaskActs = {
  "as a file": both((path) => `echo x > ${path}`),
  "as a folder": both((path) => `mkdir ${path}`),
  "as a link": both((path) => `ln -s x ${path}`),
  "by a file that is moved there": both((path) => `echo x > ${path}-new && ${renamed(`${path}-new`, path)}`),
  "by a hard link": bySecondName((path) => `echo x > ${path}-new && ln ${path}-new ${path}`),
};

/**
 * Attacks on masks: `locked` is read-only, `hidden` unseen, `missing` not made. Controls are below `ws/free`, unmasked.
 */
export function ofMasks({ ws, docs }: AttackTarget): readonly Attack[] {
  return [...ofLocked(ws), ...ofHidden(ws), ...ofMissing(ws), ...ofFolders(ws), ...ofReadOnlyRoot(ws, docs)];
}

function ofLocked(ws: string): readonly Attack[] {
  return ["locked", "deep/a/locked", "by-glob.locked"].flatMap((name) =>
    tried(CHANGES, ({ on, line, control }, how, at) => ({
      on,
      claim: how === "moved away" || how === "removed" ? "fs.rename" : "fs.write",
      title: `a read-only file (${name}) cannot be ${how}`,
      line: line(`${ws}/${name}`),
      control: control(line(`${ws}/free/${at}/${name}`)),
    })),
  );
}

/** A case for each way; each way has a folder of its own, by number. */
function tried(ways: MaskActs, of: (way: MaskAct, how: string, at: number) => Attack): readonly Attack[] {
  return Object.entries(ways).flatMap(([how, some], at) => some.map((way) => of(way, how, at)));
}

function ofHidden(ws: string): readonly Attack[] {
  const reads = (name: string): MaskActs => ({
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
    "after a change of its mode": both(
      (folder) => `chmod 644 ${folder}/${name} && grep -q secret ${folder}/${name}`,
    ),
    "after a move": both(
      (folder) => `mv ${folder}/${name} ${folder}/${name}-away && grep -q secret ${folder}/${name}-away`,
    ),
    "by an existing link": both((folder) => `grep -q secret ${folder}/to-${name}`),
  });
  return ["hidden", "hidden-by-glob.key"].flatMap((name) =>
    tried(reads(name), ({ on, line, control }, how, at) => ({
      on,
      claim: "fs.read",
      title: `a hidden file (${name}) cannot be read ${how}`,
      line: line(ws),
      control: control(line(`${ws}/free/${at}`)),
    })),
  );
}

function ofMissing(ws: string): readonly Attack[] {
  return ["missing", "no/such/missing", "missing.json"].flatMap((name) =>
    tried(MAKINGS, ({ on, line, control }, how, at) => {
      const make = (folder: string): string =>
        `mkdir -p $(dirname ${folder}/${name}) && ${line(`${folder}/${name}`)}`;
      return {
        on,
        claim: "fs.missing",
        title: `a missing name (${name}) cannot be created ${how}`,
        line: make(ws),
        control: control(make(`${ws}/free/${at}`)),
      };
    }),
  );
}

function ofFolders(ws: string): readonly Attack[] {
  const acts: readonly (readonly [title: string, line: (folder: string) => string])[] = [
    ["the folder of a protected file cannot be moved", (at) => `mv ${at}/deep/a ${at}/deep/b`],
    ["the folder above that folder cannot be moved", (at) => `mv ${at}/deep ${at}/deep2`],
    [
      "that folder cannot be replaced by a link to a copy",
      (at) => `cp -r ${at}/deep ${at}/copy && rm -rf ${at}/deep; ${linked("copy", `${at}/deep`)}`,
    ],
  ];
  const hidden: readonly (readonly [title: string, line: (folder: string) => string])[] = [
    ["be listed", (at) => `[ "$(ls ${at}/closed)" = key ]`],
    ["be read from", (at) => `grep -q secret ${at}/closed/key`],
    ["be opened by a change of its mode", (at) => `chmod 755 ${at}/closed && ls ${at}/closed`],
    ["be written into", (at) => `echo x > ${at}/closed/new`],
    ["be removed", (at) => `rm -rf ${at}/closed && [ ! -e ${at}/closed ]`],
  ];
  return [
    ...acts.map(([title, line], at): Attack => {
      return {
        on: "both",
        claim: "fs.rename",
        title,
        line: line(ws),
        control: granted(line(`${ws}/free/${at}`)),
      };
    }),
    ...hidden.map(([what, line], at): Attack => {
      const title = `a hidden folder cannot ${what}`;
      return {
        on: "both",
        claim: "fs.read",
        title,
        line: line(ws),
        control: granted(line(`${ws}/free/${at}`)),
      };
    }),
  ];
}

function ofReadOnlyRoot(ws: string, docs: string): readonly Attack[] {
  const acts: MaskActs = {
    "no file can be created": both((folder) => `echo x > ${folder}/made`),
    "no file can be changed": both((folder) => `echo x >> ${folder}/page`),
    "no file can be removed": both((folder) => `rm -f ${folder}/page && [ ! -e ${folder}/page ]`),
    "no file can be moved in": both(
      (folder) => `echo x > ${ws}/moved-in && mv ${ws}/moved-in ${folder}/moved-in`,
    ),
    "no mode can be changed": both((folder) => `chmod 700 ${folder}`),
    "no link can be created": both((folder) => `ln -s x ${folder}/link`),
    "no file can be hard-linked outside": bySecondName((folder) => `ln ${folder}/page ${ws}/taken-out`),
    "the root itself cannot be removed": both((folder) => `rm -rf ${folder} && [ ! -e ${folder} ]`),
  };
  return tried(acts, ({ on, line, control }, what, at) => ({
    on,
    claim: "fs.write",
    title: `in a read-only root, ${what}`,
    line: line(docs),
    control: control(line(`${ws}/free/${at}/docs`)),
  }));
}
