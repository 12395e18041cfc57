import { type Case, granted, on, type Target } from "../case.ts";

/** Writes back the mode that a file has: done when the mount that the path leads through can be written to by its owner. */
const SAME_MODE = (file: string): string => `m=$(stat -Lc %a ${file}) && chmod "$m" ${file}`;

/** The places that every sandbox has for itself can't be changed where they are ours, and nothing of them is the host's. */
export function ofBase({ ws }: Target): readonly Case[] {
  const acts = (folder: string): readonly (readonly [what: string, line: string])[] => [
    ["a file cannot be made in", `: > ${folder}/made`],
    ["a folder cannot be made in", `mkdir ${folder}/made-folder`],
    ["a link cannot be made in", `ln -s x ${folder}/made-link`],
  ];
  const own = `${ws}/base`;
  const prepared = `mkdir -p ${own}; echo x > ${own}/passwd;`;
  return on("linux", [
    ...["", "/dev", "/etc", "/usr", "/sys", "/var"].flatMap((folder) =>
      acts(folder).map(([what, attack], index) => {
        const name = `${ws}/twin${folder.replaceAll("/", "-")}`;
        return {
          claim: "fs.views" as const,
          title: `${what} ${folder === "" ? "the base" : folder}`,
          attack,
          twin: granted(`mkdir -p ${name}; ${acts(name)[index]?.[1] ?? ""}`),
        };
      }),
    ),
    {
      claim: "fs.write",
      title: "the file of a running program cannot be changed through /proc",
      attack: `for f in /proc/[0-9]*/exe; do ( ${SAME_MODE('"$f"')} ) && exit 0; done; exit 1`,
      twin: granted(`echo x > ${ws}/own; exec 3< ${ws}/own; ${SAME_MODE("/proc/self/fd/3")}`),
    },
    {
      claim: "fs.write",
      title: "the mode of a device of the host cannot be changed",
      attack: SAME_MODE("/dev/null"),
      twin: granted(`mkfifo ${ws}/fifo; ${SAME_MODE(`${ws}/fifo`)}`),
      isOpenWithoutDevices: true,
    },
    {
      claim: "fs.views",
      title: "a made file of /etc cannot be changed",
      attack: "echo x >> /etc/passwd",
      twin: granted(`${prepared} echo x >> ${own}/passwd`),
    },
    {
      claim: "fs.views",
      title: "a made file of /etc cannot be removed",
      attack: "rm /etc/passwd",
      twin: granted(`${prepared} rm ${own}/passwd`),
    },
    {
      claim: "fs.views",
      title: "a folder of the base cannot be moved away",
      attack: "mv /etc /etc2",
      twin: granted(`mkdir -p ${own}/etc; mv ${own}/etc ${own}/etc2`),
    },
    {
      claim: "fs.views",
      title: "the mode of the base cannot be changed",
      attack: "chmod 777 /",
      twin: granted(`mkdir -p ${own}; chmod 777 ${own}`),
    },
  ]);
}
