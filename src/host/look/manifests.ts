import type { Stats } from "node:fs";
import { type AbsolutePath, nameOf } from "../../profile/path.ts";
import { flatMapInTurns } from "../turns.ts";
import { claimsOfFile } from "./manifest-claims.ts";
import { realPathOf, statsOf, systemPath } from "./nodes.ts";
import { openPlainFile } from "./plain-file.ts";

/** Maximum of bytes of a manifest. A larger one counts as claiming all, and something new at each change. */
const MAX_BYTES = 1024 * 1024;

/** Maximum of manifests that are read before a call. Any other counts as if it had claimed nothing before. */
const MAX_AHEAD = 64;

interface Known {
  readonly stamp: string;
  readonly claims: ReadonlySet<string>;
}

/**
 * Manifests (`package.json`, and pnpm's others) in which a call could claim our name for another command or import.
 * `npx`, `pnpm` and `yarn` take a command of the project's own before an installed one
 * (https://docs.npmjs.com/cli/commands/npm-exec, https://pnpm.io/cli/run), and Node a package's own name before an
 * installed one's (https://nodejs.org/api/packages.html#self-referencing-a-package-using-its-name).
 */
export class Manifests {
  #known: ReadonlyMap<AbsolutePath, Known> = new Map();
  #last: readonly AbsolutePath[] = [];

  saw(paths: readonly AbsolutePath[]): void {
    this.#last = paths;
  }

  /** Notes their claims while no call runs: those of removed manifests count for nothing. */
  note(): void {
    const known = this.#last
      .slice(0, MAX_AHEAD)
      .flatMap((path): readonly (readonly [AbsolutePath, Known])[] => {
        const states = statesOf(path);
        if (states.length === 0) return [];
        const stamp = stampOf(states);
        const before = this.#known.get(path);
        return [[path, before?.stamp === stamp ? before : { stamp, claims: claimsAt(path) }]];
      });
    this.#known = new Map(known);
  }

  /** Manifests that claim more of our names than at the last note; `isMade`: a call may have made or changed one. */
  grown(isMade: (stats: Stats, path: AbsolutePath) => boolean): Promise<readonly AbsolutePath[]> {
    return flatMapInTurns(this.#last, (path) => {
      const states = statesOf(path);
      const before = this.#known.get(path);
      if (states.length === 0 || before?.stamp === stampOf(states)) return [];
      if (before === undefined && !states.some((stats) => isMade(stats, path))) return [];
      return [...claimsAt(path)].some((claim) => before?.claims.has(claim) !== true) ? path : [];
    });
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function statesOf(path: AbsolutePath): readonly Stats[] {
  const stats = statsOf(path);
  if (stats?.isSymbolicLink() !== true) return stats === null ? [] : [stats];
  const end = realPathOf(path);
  return [stats, (end === null ? null : statsOf(end)) ?? []].flat();
}

/** The change time is the kernel's own: a process can set any other. */
function stampOf(states: readonly Stats[]): string {
  return states.map(({ dev, ino, ctimeMs, size }) => `${dev}:${ino}:${ctimeMs}:${size}`).join(" ");
}

function claimsAt(path: AbsolutePath): ReadonlySet<string> {
  try {
    using file = openPlainFile(systemPath(path));
    if (file === null) return NOTHING;
    if (file.stats.size > MAX_BYTES) return new Set([`all ${stampOf([file.stats])}`]);
    return claimsOfFile(nameOf(path), Buffer.from(file.read()));
  } catch {
    // This user, for whom package managers run, can't read it, or it is gone.
    return NOTHING;
  }
}
