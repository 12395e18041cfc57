import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";

/** Something that happens to a tree between two looks; what can't be done to it is not done. */
export interface Change {
  readonly what: "file" | "folder" | "link" | "remove" | "move" | "replace" | "swap" | "chmod" | "touch";
  readonly at: string;
  readonly to: string;
  /** The folders that hold it have the same old time before and after. */
  readonly isHushed: boolean;
}

const NAMES = ["a", "b", ".env", ".git", "HEAD", "objects", "refs", "hooks", "commondir"] as const;
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => names.join("/"));

export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    what: fc.constantFrom<Change["what"]>(
      "file",
      "folder",
      "link",
      "remove",
      "move",
      "replace",
      "swap",
      "chmod",
      "touch",
    ),
    at: path,
    to: path,
    isHushed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Seconds since 1970, whole ones: no more can be set exactly. */
const OLD = 1_000;

/** Gives a folder the time that all hushed ones have. */
export function hush(folder: string): void {
  utimesSync(folder, OLD, OLD);
}

/** Makes the changes one after another. */
export function change(top: string, all: readonly Change[]): void {
  for (const { what, at, to, isHushed } of all) {
    const paths = [join(top, at), join(top, to)] as const;
    try {
      MAKE[what](...paths);
    } catch (cause) {
      if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    }
    if (isHushed) for (const folder of paths.map(dirname)) if (existsSync(folder)) hush(folder);
  }
}

const MAKE: Readonly<Record<Change["what"], (at: string, to: string) => void>> = {
  file: (at) => writeFileSync(at, ""),
  folder: (at) => mkdirSync(at, { recursive: true }),
  link: (at, to) => symlinkSync(to, at),
  remove: (at) => rmSync(at, { recursive: true }),
  move: (at, to) => renameSync(at, to),
  replace: (at) => {
    rmSync(at, { recursive: true });
    mkdirSync(at);
  },
  swap: (at, to) => {
    renameSync(at, `${at}.away`);
    renameSync(to, at);
    renameSync(`${at}.away`, to);
  },
  chmod: (at) => chmodSync(at, 0o711),
  touch: (at) => utimesSync(at, 1, 1),
};
