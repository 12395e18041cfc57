import type { Stats } from "node:fs";
import { type AbsolutePath, nameOf } from "../profile/path.ts";
import { claimsOfFile } from "./manifest-claims.ts";
import { statsOf, systemPath } from "./nodes.ts";
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
  readonly #known = new Map<AbsolutePath, Known>();
  #last: readonly AbsolutePath[] = [];

  /** Takes the manifests that the last look found. */
  saw(paths: readonly AbsolutePath[]): void {
    this.#last = paths;
  }

  /** Notes what they say while no call runs. */
  note(): void {
    for (const path of this.#last.slice(0, MOST_AHEAD)) this.#read(path, statsOf(path));
  }

  /**
   * The manifests that claim more of our names than they did when they were read last. `isMade` says whether a call may have changed
   * a manifest that was never read before.
   */
  grown(isMade: (stats: Stats, path: AbsolutePath) => boolean): Promise<readonly AbsolutePath[]> {
    return flatMapInTurns(this.#last, (path) => {
      const stats = statsOf(path);
      const before = this.#known.get(path);
      if (stats === null || before?.stamp === stampOf(stats)) return [];
      const claims = this.#read(path, stats);
      if (before === undefined && !isMade(stats, path)) return [];
      return [...claims].some((claim) => before?.claims.has(claim) !== true) ? path : [];
    });
  }

  #read(path: AbsolutePath, stats: Stats | null): ReadonlySet<string> {
    const known = this.#known.get(path);
    if (stats === null) return NOTHING;
    const stamp = stampOf(stats);
    if (known?.stamp === stamp) return known.claims;
    const claims = claimsAt(path);
    this.#known.set(path, { stamp, claims });
    return claims;
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** The change time is the kernel's own: a process can set any other. */
function stampOf({ dev, ino, ctimeMs, size }: Stats): string {
  return `${dev}:${ino}:${ctimeMs}:${size}`;
}

function claimsAt(path: AbsolutePath): ReadonlySet<string> {
  try {
    using file = openPlainFile(systemPath(path));
    if (file === null) return NOTHING;
    if (file.stats.size > MOST_BYTES) return new Set([`all ${stampOf(file.stats)}`]);
    return claimsOfFile(nameOf(path), Buffer.from(file.read()));
  } catch {
    // It can't be read by this user, for whom package managers run, or is gone.
    return NOTHING;
  }
}
