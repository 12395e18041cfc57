import { type Attack, type AttackTarget, granted, on, row, sameOutside } from "../attack.ts";

/** Folders of the machine and the user that no call is given. */
export function ofPlaces({ ws, outside: elsewhere, home, word }: AttackTarget): readonly Attack[] {
  const name = `cofferdam-${word}`;
  // A file that an attack makes is removed again.
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
  const keychains = `for f in ${home}/Library/Keychains/*.keychain-db; do ( : < $f ) && exit 0; done; exit 1`;
  return on("darwin", [
    ...writable.map((folder) => ({
      claim: "fs.write" as const,
      title: `a file cannot be created in ${folder === home ? "the home folder" : folder}`,
      line: made(folder),
      control: granted(made(ws)),
    })),
    ...readable.map((folder) =>
      sameOutside(
        "fs.read",
        `${folder === home ? "the home folder" : folder} cannot be listed`,
        listed(folder),
        { controlMayFail: "it is empty, or this program may not list it" },
      ),
    ),
    sameOutside("fs.read", "the user's keychain cannot be opened", keychains, {
      controlMayFail: "this user has none, or this program may not open it",
    }),
    row(
      "fs.read",
      "a program outside cannot be run by its shell",
      `sh ${elsewhere}/program`,
      granted(`sh ${ws}/program`),
    ),
  ]);
}
