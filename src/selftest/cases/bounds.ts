import { type Case, granted, on, type Target } from "../case.ts";

/** What the battery's config allows; only Linux bounds scratch space. */
export const BOUNDS = {
  linux: { file_size: "2MiB", open_files: 64, scratch: "4MiB" },
  darwin: { file_size: "2MiB", open_files: 64 },
} as const;

/** Limits hold; less than each is given. */
export function ofBounds({ ws, notes }: Target): readonly Case[] {
  const fill = (file: string, mebibytes: number): string =>
    `dd if=/dev/zero of=${file} bs=1048576 count=${mebibytes} && [ $(($(wc -c < ${file}))) = $((${mebibytes} * 1048576)) ]`;
  const open = (count: number): string =>
    `perl -e 'my @h; for (1 .. ${count}) { open my $f, "<", "/dev/null" or exit 1; push @h, $f }'`;
  const files = (folder: string, count: number): string =>
    `i=0; while [ $i -lt ${count} ]; do dd if=/dev/zero of=${folder}/.fill$i bs=1M count=1 || exit 1; i=$((i + 1)); done; rm ${folder}/.fill*`;
  const everywhere = on("both", [
    {
      claim: "limit",
      title: "no file grows beyond its size",
      attack: fill(`${ws}/large`, 3),
      twin: granted(fill(`${ws}/small`, 1)),
    },
    {
      claim: "limit",
      title: "no process opens more files",
      attack: open(100),
      twin: granted(open(20)),
    },
    ...ofSuffixes(notes, ws),
  ]);
  const ofScratch = on("linux", [
    {
      claim: "limit",
      title: "scratch space takes no more",
      attack: files("/tmp", 6),
      twin: granted(files("/tmp", 2)),
    },
    {
      claim: "fs.views",
      title: "shared memory takes no more either",
      attack: files("/dev/shm", 6),
      twin: granted(files("/dev/shm", 2)),
    },
  ]);
  return [...everywhere, ...ofScratch];
}

function ofSuffixes(notes: string, ws: string): readonly Omit<Case, "on">[] {
  return [
    {
      claim: "suffix",
      title: "a file with another ending cannot be read",
      attack: `grep -q secret ${notes}/other.txt`,
      twin: granted(`grep -q secret ${notes}/note.md`),
    },
    {
      claim: "suffix",
      title: "nor by a link with the right ending",
      attack: `ln -sfn ${notes}/other.txt ${ws}/link.md && grep -q secret ${ws}/link.md`,
      twin: granted(`ln -sfn ${notes}/note.md ${ws}/link2.md && grep -q secret ${ws}/link2.md`),
    },
    {
      claim: "suffix",
      title: "no file is made there",
      attack: `echo x > ${notes}/made.txt`,
      twin: granted(`echo x >> ${notes}/note.md`),
    },
  ];
}
