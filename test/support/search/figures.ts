import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { MaskSearch } from "../../../src/host/look/search/search.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { makeNames } from "../files/many-names.ts";

/** What the search of a tree takes, in milliseconds: medians, and for how long it held the event loop at most times. */
export interface SearchFigures {
  readonly first: number;
  readonly warm: number;
  /** The least of all first looks: what else this machine does delays a loop as well. */
  readonly delayP99: number;
}

const FIRST_LOOKS = 7;
const WARM_LOOKS = 31;
const FILES_EACH = 10;

/** Plants so many files in a folder that is not there yet: ten in a folder, a hundred folders in one. */
export function plantFiles(folder: string, files: number): void {
  for (let at = 0; at * FILES_EACH < files; at += 1) {
    const one = join(folder, `p${Math.floor(at / 100)}`, `d${at % 100}`);
    mkdirSync(one, { recursive: true });
    makeNames(
      one,
      Array.from({ length: FILES_EACH }, (_, file) => `file-${file}.ts`),
    );
  }
}

/** Searches for what the profile needs: each first look with an empty memory, the others with that of the last one. */
export async function searchFigures(profile: Profile): Promise<SearchFigures> {
  let search = new MaskSearch();
  await search.find([profile]);
  const first: number[] = [];
  const delays: number[] = [];
  for (let run = 0; run < FIRST_LOOKS; run += 1) {
    search = new MaskSearch();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    first.push(await timed(() => search.find([profile])));
    delay.disable();
    delays.push(delay.percentile(99) / 1e6);
  }
  const warm: number[] = [];
  for (let run = 0; run < WARM_LOOKS; run += 1) warm.push(await timed(() => search.find([profile])));
  return { first: median(first), warm: median(warm), delayP99: Math.min(...delays) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
