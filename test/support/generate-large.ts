import { digest, printProfile } from "../../src/profile/canonical.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { parsePatterns } from "../../src/profile/pattern.ts";
import { type FileEntry, normalProfile, type Profile } from "../../src/profile/profile.ts";

/** What a derivation does with a profile of this size: meet a ceiling, print the result, take its digest. */
export interface LargeWork {
  readonly entries: readonly [number, number];
  readonly run: () => { readonly granted: Profile; readonly text: string; readonly digest: string };
}

/** The work on two profiles of so many entries each, of which every third is of one of them alone. */
export function largeWork(entries: number): LargeWork {
  const [need, ceiling] = [largeProfile(entries, 0), largeProfile(entries, 1)];
  return {
    entries: [need.files.length, ceiling.files.length],
    run: () => {
      const granted = intersect(need, ceiling);
      return { granted, text: printProfile(granted), digest: digest(granted) };
    },
  };
}

/** A profile of that many entries, each of which changes something, and three masks. */
function largeProfile(entries: number, shift: 0 | 1): Profile {
  const files = Array.from({ length: entries - 1 }, (_, at): FileEntry => {
    const number = 2 * at + (at % 3 === 0 ? shift : 0);
    return {
      path: absolutePath(`/srv/team-${number % 7}/project-${number % 211}/src/module-${number}/lib`),
      access: number % 4 === 0 ? "none" : "write",
      suffixes: number % 5 === 0 ? [".md", ".txt"] : "any",
    };
  });
  const patterns = ["**/.env", "**/*.pem", "/srv/team-3/secret"].flatMap((text) => parsePatterns(text));
  return normalProfile({
    files: [{ path: absolutePath("/srv"), access: "read", suffixes: "any" }, ...files],
    masks: patterns.map((pattern) => ({ pattern, atMost: "none", ignoreCase: false })),
    network: { hosts: [{ name: "registry.example", port: 443, private: false }], never: [] },
    env: ["LANG", "LC_*", "TERM"],
  });
}

/** The median time of some runs, in milliseconds. */
export function medianMs(runs: number, work: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}
