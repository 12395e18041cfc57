import { type Attack, type AttackTarget, granted, on, type Row, row } from "./attack.ts";

/** Limits in the selftest's config; only Linux bounds scratch space. */
export const BOUNDS = {
  linux: { file_size: "2MiB", open_files: 64, scratch: "4MiB" },
  darwin: { file_size: "2MiB", open_files: 64 },
} as const;

/** Limits hold; less than each is available. */
export function ofBounds({ ws, notes }: AttackTarget): readonly Attack[] {
  const fill = (file: string, mebibytes: number): string =>
    `dd if=/dev/zero of=${file} bs=1048576 count=${mebibytes} && [ $(($(wc -c < ${file}))) = $((${mebibytes} * 1048576)) ]`;
  const open = (count: number): string =>
    `perl -e 'my @h; for (1 .. ${count}) { open my $f, "<", "/dev/null" or exit 1; push @h, $f }'`;
  const files = (folder: string, count: number): string =>
    `i=0; while [ $i -lt ${count} ]; do dd if=/dev/zero of=${folder}/.fill$i bs=1M count=1 || exit 1; i=$((i + 1)); done; rm ${folder}/.fill*`;
  const everywhere = on("both", [
    row("limit", "no file grows beyond `file_size`", fill(`${ws}/large`, 3), granted(fill(`${ws}/small`, 1))),
    row("limit", "no process opens more than `open_files`", open(100), granted(open(20))),
    ...ofSuffixes(notes, ws),
  ]);
  const ofScratch = on("linux", [
    row("limit", "scratch space does not exceed `scratch`", files("/tmp", 6), granted(files("/tmp", 2))),
    row(
      "fs.views",
      "shared memory does not exceed `shared_memory`",
      files("/dev/shm", 6),
      granted(files("/dev/shm", 2)),
    ),
  ]);
  return [...everywhere, ...ofScratch];
}

function ofSuffixes(notes: string, ws: string): readonly Row[] {
  return [
    row(
      "suffix",
      "a file with another ending cannot be read",
      `grep -q secret ${notes}/other.txt`,
      granted(`grep -q secret ${notes}/note.md`),
    ),
    row(
      "suffix",
      "a file with another ending cannot be read by a link with the right one",
      `ln -sfn ${notes}/other.txt ${ws}/link.md && grep -q secret ${ws}/link.md`,
      granted(`ln -sfn ${notes}/note.md ${ws}/link2.md && grep -q secret ${ws}/link2.md`),
    ),
    row(
      "suffix",
      "no file can be created in a folder with a suffix list",
      `echo x > ${notes}/made.txt`,
      granted(`echo x >> ${notes}/note.md`),
    ),
  ];
}
