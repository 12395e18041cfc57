import { type Case, granted, on, outside, type Target } from "../../case.ts";

/** Folders of the machine and the user that no call is given. */
export function ofPlaces({ ws, outside: elsewhere, home, word }: Target): readonly Case[] {
  const name = `cofferdam-${word}`;
  // What an attack would make it takes away again.
  const made = (folder: string): string => `: > ${folder}/${name} && rm -f ${folder}/${name}`;
  const listed = (folder: string): string => `ls ${folder}/. && [ -n "$(ls -A ${folder}/.)" ]`;
  const writable = [
    "/private/tmp",
    "/private/var/tmp",
    "/Users/Shared",
    home,
    "/Library/Caches",
    "/etc",
    "/",
  ];
  const readable = ["/private/tmp", home, "/Users", "/Applications", "/private/var/log"];
  const program = (folder: string): string => `${folder}/program`;
  return on("darwin", [
    ...writable.map((folder) => ({
      claim: "fs.write" as const,
      title: `a file cannot be made in ${folder === home ? "the home folder" : folder}`,
      attack: made(folder),
      twin: granted(made(ws)),
    })),
    ...readable.map((folder) => ({
      claim: "fs.read" as const,
      title: `${folder === home ? "the home folder" : folder} cannot be listed`,
      attack: listed(folder),
      twin: outside(listed(folder)),
      twinMayFail: "there is nothing in it, or this program may not look",
    })),
    {
      claim: "fs.read",
      title: "the user's keychain cannot be opened",
      attack: `for f in ${home}/Library/Keychains/*.keychain-db; do ( : < $f ) && exit 0; done; exit 1`,
      twin: outside(
        `for f in ${home}/Library/Keychains/*.keychain-db; do ( : < $f ) && exit 0; done; exit 1`,
      ),
      twinMayFail: "this user has none, or this program may not look",
    },
    {
      claim: "fs.read",
      title: "a program outside cannot be run",
      attack: program(elsewhere),
      twin: granted(program(ws)),
    },
    {
      claim: "fs.read",
      title: "nor by the shell that it is for",
      attack: `sh ${program(elsewhere)}`,
      twin: granted(`sh ${program(ws)}`),
    },
  ]);
}
