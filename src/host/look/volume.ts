import { lstatSync, readdirSync } from "node:fs";
import type { Volume } from "../../backend/facts.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf, upwards } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { systemPath } from "./nodes.ts";

/** The volumes that paths lie on, each looked at once. */
export class Volumes {
  readonly #folds = new Map<bigint, boolean>();
  readonly #untold: boolean;

  /** `untold`: the answer for a volume that holds no name with a letter. */
  constructor(untold = process.platform === "darwin") {
    this.#untold = untold;
  }

  at(path: AbsolutePath): Volume {
    const there = [...upwards(path)].filter((one) => numbersAt(one) !== null);
    const device = numbersAt(there[0] ?? path)?.dev ?? 0n;
    const outside = there.findIndex((one) => numbersAt(one)?.dev !== device);
    const within = outside === -1 ? there : there.slice(0, outside);
    const point = within.at(-1) ?? path;
    const foldsCase = this.#folds.get(device) ?? foldsCaseBy(namesOn(within, device)) ?? this.#untold;
    this.#folds.set(device, foldsCase);
    return { point, foldsCase };
  }
}

/** Paths whose last name tests a volume: those on the way, whose folders lie on it, then the names in its folders. */
function* namesOn(within: readonly AbsolutePath[], device: bigint): Generator<AbsolutePath> {
  yield* within.slice(0, -1);
  for (const folder of within)
    for (const name of namesIn(folder)) {
      const path = joinPath(folder, name);
      if (numbersAt(path)?.dev === device) yield path;
    }
}

/** True if a name in another case is the same, by the first that has a letter; null if none has. */
function foldsCaseBy(paths: Iterable<AbsolutePath>): boolean | null {
  for (const path of paths) {
    const other = inOtherCase(nameOf(path));
    if (other === nameOf(path)) continue;
    const [one, two] = [numbersAt(path), numbersAt(joinPath(parentOf(path), other))];
    return one !== null && one.dev === two?.dev && one.ino === two.ino;
  }
  return null;
}

/** Only letters of ASCII, which every file system that folds case folds. */
function inOtherCase(name: string): string {
  return name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function numbersAt(path: AbsolutePath): { readonly dev: bigint; readonly ino: bigint } | null {
  return orNull(() => lstatSync(systemPath(path), { bigint: true }));
}

function namesIn(folder: AbsolutePath): readonly string[] {
  return orNull(() => readdirSync(systemPath(folder)).filter((name) => name.isWellFormed())) ?? [];
}
