import { type Attack, type AttackTarget, granted, on, type Row, row } from "./attack.ts";

/** Ways to name a file, each tried on an ungranted and on a granted one. */
export function ofSpellings(target: AttackTarget): readonly Attack[] {
  const { ws } = target;
  const beside = (folder: string): string => folder.slice(ws.lastIndexOf("/") + 1);
  const linked = (name: string, to: string): string => `$(ln -sfn ${to} ${ws}/${name}; echo ${ws}/${name})`;
  const everywhere: Spellings = {
    "by `..` from the root": (folder) => `${ws}/../${beside(folder)}`,
    "by a symlink made inside": (folder) => linked("link", folder),
    "by a relative symlink made inside": (folder) => linked("relative", `../${beside(folder)}`),
    "by an existing symlink": (folder) => `${ws}/to-${folder.slice(folder.lastIndexOf("/") + 1)}`,
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

/** Spellings of a folder on the way to a name. */
export type Spellings = Readonly<Record<string, (folder: string) => string>>;

/** Reads and writes a file by each spelling; the control does the same to one that is granted. */
export function spelled(spellings: Spellings, { ws, outside }: AttackTarget): readonly Row[] {
  const read = (path: string): string =>
    `cd ${ws}; exec 3< .; IFS= read -r x < ${path}/canary; [ "$x" = secret ]`;
  const write = (path: string): string => `cd ${ws}; exec 3< .; echo x >> ${path}/canary`;
  return Object.entries(spellings).flatMap(([how, spell]): Row[] => {
    const [path, own] = [spell(outside), spell(`${ws}/inner`)];
    return [
      row("fs.read", `a file outside cannot be read ${how}`, read(path), granted(read(own))),
      row("fs.write", `a file outside cannot be written ${how}`, write(path), granted(write(own))),
    ];
  });
}
