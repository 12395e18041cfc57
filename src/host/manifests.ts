import type { Stats } from "node:fs";
import { type AbsolutePath, nameOf } from "../profile/path.ts";
import { claimsOfFile } from "./manifest-claims.ts";
import { realPathOf, statsOf, systemPath } from "./nodes.ts";
import { openPlainFile } from "./plain-file.ts";
import { flatMapInTurns } from "./turns.ts";

/** A larger manifest is not read: it counts as one that says all that it could, and something new at each change. */
const MOST_BYTES = 1024 * 1024;

/** The most manifests that are read before a call. Any other counts as if it had claimed nothing before. */
const MOST_AHEAD = 64;

/** What one manifest said when it was read, and which file it was then. */
interface Known {
  readonly stamp: string;
  readonly claims: ReadonlySet<string>;
}

/**
 * Manifests (`package.json`, and what pnpm takes for one) in which a call could say that something else is started, or imported,
 * under our name. `npx`, `pnpm` and `yarn` take a command of the project's own before an installed one
 * (https://docs.npmjs.com/cli/commands/npm-exec, https://pnpm.io/cli/run), and Node a package's own name before an installed one's
 * (https://nodejs.org/api/packages.html#self-referencing-a-package-using-its-name).
 */
export class Manifests {
  #known: ReadonlyMap<AbsolutePath, Known> = new Map();
  #last: readonly AbsolutePath[] = [];

  /** Takes the manifests that the last look found. */
  saw(paths: readonly AbsolutePath[]): void {
    this.#last = paths;
  }

  /** Notes what they say while no call runs: what one said that is gone by now counts for nothing. */
  note(): void {
    const known = this.#last
      .slice(0, MOST_AHEAD)
      .flatMap((path): readonly (readonly [AbsolutePath, Known])[] => {
        const states = statesOf(path);
        if (states.length === 0) return [];
        const stamp = stampOf(states);
        const before = this.#known.get(path);
        return [[path, before?.stamp === stamp ? before : { stamp, claims: claimsAt(path) }]];
      });
    this.#known = new Map(known);
  }

  /**
   * The manifests that claim more of our names than they did when that was noted last. `isMade` says whether a call may have made or
   * changed a manifest of which nothing was noted.
   */
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

/** What stands at a path, and what it leads to where that is a link; nothing where there is nothing. */
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
    if (file.stats.size > MOST_BYTES) return new Set([`all ${stampOf([file.stats])}`]);
    return claimsOfFile(nameOf(path), Buffer.from(file.read()));
  } catch {
    // It can't be read by this user, for whom package managers run, or is gone.
    return NOTHING;
  }
}
