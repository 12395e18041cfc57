/**
 * Test files that nothing but Linux can run, each with what it needs of Linux; macOS leaves them out and says so. A tool that
 * is missing is no reason to be here: that is for the test to say.
 */
export const LINUX_ONLY: Readonly<Record<string, string>> = {
  "test/kernel/*.test.ts": "starts bubblewrap, or looks at its processes in /proc",
  "test/unit/host/ask.test.ts": "finds what a helper started in /proc",
  "test/unit/host/cgroups.test.ts": "lays out and enters cgroups",
  "test/unit/host/open-folder.test.ts": "opens folders by the names of /proc/self/fd",
  "test/unit/host/open-inputs.test.ts": "counts what is open in /proc/self/fd",
  "test/unit/host/procfs-links.test.ts": "follows links of /proc",
  "test/unit/host/quarantine/{elsewhere,full-disk,killed,killed.long,many,rights}.test.ts":
    "keeps things in /dev/shm, or in mounts of its own",
  "test/unit/host/runtimes-bwrap.test.ts": "starts what is found in bubblewrap",
  "test/unit/worker/descriptors.slow.test.ts": "looks at a worker's descriptors in /proc",
};

/** What tests are left out on a platform: patterns of files, with the reason. */
export function leftOutOn(platform: string): Readonly<Record<string, string>> {
  return platform === "darwin" ? LINUX_ONLY : {};
}
