import { sameMode } from "./at-start.ts";
import { type Attack, type AttackTarget, granted, on, type Row, row } from "./attack.ts";

/** The sandbox's own places cannot be changed if they are ours, and nothing in them is the host's. */
export function ofBase({ ws }: AttackTarget): readonly Attack[] {
  const acts = (folder: string): readonly (readonly [what: string, line: string])[] => [
    ["a file cannot be created in", `: > ${folder}/made`],
    ["a folder cannot be created in", `mkdir ${folder}/made-folder`],
    ["a link cannot be created in", `ln -s x ${folder}/made-link`],
  ];
  const own = `${ws}/base`;
  const prepared = `mkdir -p ${own}; echo x > ${own}/passwd;`;
  return on("linux", [
    ...["", "/dev", "/etc", "/usr", "/sys", "/var"].flatMap((folder) =>
      acts(folder).flatMap(([what, line], at): readonly Row[] => {
        // That is tried at the start: see `ofStart`.
        if (folder === "" && at === 0) return [];
        const name = `${ws}/control${folder.replaceAll("/", "-")}`;
        const title = `${what} ${folder === "" ? "the base" : folder}`;
        const control = granted(`mkdir -p ${name}; ${acts(name)[at]?.[1] ?? ""}`);
        return [{ claim: "fs.views", title, line, control }];
      }),
    ),
    row(
      "fs.write",
      "the file of a running program cannot be changed through /proc",
      `for f in /proc/[0-9]*/exe; do ( ${sameMode('"$f"')} ) && exit 0; done; exit 1`,
      granted(`echo x > ${ws}/own; exec 3< ${ws}/own; ${sameMode("/proc/self/fd/3")}`),
    ),
    row(
      "fs.views",
      "a generated file of /etc cannot be changed",
      "echo x >> /etc/passwd",
      granted(`${prepared} echo x >> ${own}/passwd`),
    ),
    row(
      "fs.views",
      "a generated file of /etc cannot be removed",
      "rm /etc/passwd",
      granted(`${prepared} rm ${own}/passwd`),
    ),
    row(
      "fs.views",
      "a folder of the base cannot be moved away",
      "mv /etc /etc2",
      granted(`mkdir -p ${own}/etc; mv ${own}/etc ${own}/etc2`),
    ),
    row(
      "fs.views",
      "the mode of the base cannot be changed",
      "chmod 777 /",
      granted(`mkdir -p ${own}; chmod 777 ${own}`),
    ),
  ]);
}
