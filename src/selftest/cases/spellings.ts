import { basename, dirname, relative } from "node:path";
import { type Case, granted, on, type Target } from "../case.ts";

/** Ways to name a file, each tried on one that is not granted and on one that is. */
export function ofSpellings(target: Target): readonly Case[] {
  const { ws } = target;
  const beside = (folder: string): string => relative(dirname(ws), folder);
  const linked = (name: string, to: string): string => `$(ln -sfn ${to} ${ws}/${name}; echo ${ws}/${name})`;
  const everywhere: Spellings = {
    "by its path": (folder) => folder,
    "by `..` from the root": (folder) => `${ws}/../${beside(folder)}`,
    "by a symlink made inside": (folder) => linked("link", folder),
    "by a relative symlink made inside": (folder) => linked("relative", `../${beside(folder)}`),
    "by a symlink that was there": (folder) => `${ws}/to-${basename(folder)}`,
  };
  const byProc: Spellings = {
    "by /proc/self/root": (folder) => `/proc/self/root${folder}`,
    "by /proc/1/root": (folder) => `/proc/1/root${folder}`,
    "by /proc/self/cwd": (folder) => `/proc/self/cwd/../${beside(folder)}`,
    "by a descriptor of the root": (folder) => `/proc/self/fd/3/../${beside(folder)}`,
    "by /dev/fd": (folder) => `/dev/fd/3/../${beside(folder)}`,
    "by a symlink to /proc/1/root": (folder) => linked("through-proc", `/proc/1/root${folder}`),
  };
  return [...on("both", spelled(everywhere, target)), ...on("linux", spelled(byProc, target))];
}

/** What the way to a name makes of a folder. */
export type Spellings = Readonly<Record<string, (folder: string) => string>>;

/** Reads and writes a file by each spelling; the twin does the same to one that is granted. */
export function spelled(spellings: Spellings, { ws, outside }: Target): readonly Omit<Case, "on">[] {
  const read = (path: string): string =>
    `cd ${ws}; exec 3< .; IFS= read -r x < ${path}/canary; [ "$x" = secret ]`;
  const write = (path: string): string => `cd ${ws}; exec 3< .; echo x >> ${path}/canary`;
  return Object.entries(spellings).flatMap(([how, spell]): Omit<Case, "on">[] => {
    const [path, twin] = [spell(outside), spell(`${ws}/inner`)];
    return [
      {
        claim: "fs.read",
        title: `a file outside cannot be read ${how}`,
        attack: read(path),
        twin: granted(read(twin)),
      },
      {
        claim: "fs.write",
        title: `a file outside cannot be written ${how}`,
        attack: write(path),
        twin: granted(write(twin)),
      },
    ];
  });
}
