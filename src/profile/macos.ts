import { z } from "zod";

/**
 * A service that programs on macOS request from the system besides files and the network; refused unless granted. On
 * Linux, where programs request none of it, it means nothing:
 * - `java`: the write to `kern.grade_cputype` without which its runtime does not start on Apple silicon;
 * - `listen`: to accept connections on this machine's loopback, which all its programs share;
 * - `openmp`: shared memory by the names that OpenMP's runtime registers itself under;
 * - `prefs`: the user's preferences, read by `cfprefsd`: locale, but also recent documents and servers;
 * - `processes`: the list of all processes, by `sysmond` and `kern.proc`, for pgrep and similar programs;
 * - `pty`: pseudo-terminals of its own;
 * - `python`: POSIX semaphores, which `multiprocessing` makes;
 * - `tls`: certificates checked by `trustd`, as Go and Swift do: it may fetch the URLs in a certificate;
 * - `watch`: changes of files as the system reports them: of all files, by name.
 */
export const MacosGroup = z.enum([
  "java",
  "listen",
  "openmp",
  "prefs",
  "processes",
  "pty",
  "python",
  "tls",
  "watch",
]);
export type MacosGroup = z.infer<typeof MacosGroup>;

/** `macos:` in YAML: groups by their names, none in an empty list. */
export const MacosSection = z.array(MacosGroup).max(16);

/** Granted services of macOS; the least is none. */
export type Macos = readonly MacosGroup[];

/** All groups. */
export const MACOS_GROUPS: Macos = MacosGroup.options;

/** The effect of a group on macOS, in words that follow "may" or "to". */
export function printMacosGroup(group: MacosGroup): string {
  return EFFECTS[group];
}

const EFFECTS: Readonly<Record<MacosGroup, string>> = {
  java: "start Java on Apple silicon",
  listen: "accept connections on this machine's loopback",
  openmp: "share memory as OpenMP does",
  prefs: "read the user's preferences",
  processes: "list all processes of this machine",
  pty: "open pseudo-terminals",
  python: "make POSIX semaphores",
  tls: "let the system check certificates, which may fetch URLs that they name",
  watch: "get notified by the system about changed files anywhere",
};
