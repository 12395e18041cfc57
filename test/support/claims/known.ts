/** Something that is known to have gone wrong in sandboxes, and the tests that it can't here. */
export interface Known {
  /** What it is found by: a CVE, or the trap's own name. */
  readonly name: string;
  readonly lesson: string;
  /** Titles with the claim's id, as `tty: no input…`, or how they begin. */
  readonly tests: readonly string[];
}

/** Holes that were found in programs of this kind, as far as they could be here, by what each taught. */
export const HISTORY: readonly Known[] = [
  {
    name: "CVE-2017-5226",
    lesson: "input pushed into the caller's terminal (TIOCSTI)",
    tests: [
      "tty: no input can be pushed into a terminal (TIOCSTI)",
      "tty: what a process pushes does not arrive",
    ],
  },
  {
    name: "CVE-2019-10063",
    lesson: "a filter that compares more of a request's bits than the kernel does",
    tests: ["tty: no input can be pushed with other high bits (TIOCSTI)"],
  },
  {
    name: "CVE-2023-28100, CVE-2023-1523",
    lesson: "input pushed by way of a console (TIOCLINUX)",
    tests: ["tty: no input can be pushed into a terminal (TIOCLINUX)"],
  },
  {
    name: "CVE-2020-5291, CVE-2026-41163",
    lesson: "a setuid launcher",
    tests: ["helper: one that is not root's own is refused"],
  },
  {
    name: "CVE-2019-5736, CVE-2019-8308",
    lesson: "a program of the host changed through /proc/self/exe",
    tests: ["fs.write: the file of a running program cannot be changed through /proc"],
  },
  {
    name: "CVE-2024-21626, CVE-2016-9962",
    lesson: "a descriptor of the host that leaks in, and a folder reached by it",
    tests: ["fd: a descriptor that the supervisor inherited", "fd: of hundreds of every kind"],
  },
  {
    name: "CVE-2021-41133",
    lesson: "system calls that are newer than the list of those refused",
    tests: [
      "sys: answers any call with any arguments as the table says",
      "priv: a file system cannot be mounted",
    ],
  },
  {
    name: "CVE-2024-32462",
    lesson: "a program's name that is taken for an option of the launcher",
    tests: ["fs.read: a program that is named like an option of the launcher is a program"],
  },
  {
    name: "CVE-2021-21261",
    lesson: "variables of the sandboxed side that reach a program of the trusted side",
    tests: ["env: nothing of the caller's is seen", "env: no secret is in the arguments of any process"],
  },
  {
    name: "CVE-2021-43860, CVE-2023-28101",
    lesson: "text that hides or forges what a person is asked",
    tests: ["approve.forge: what the screen shows is what was drawn"],
  },
  {
    name: "CVE-2022-21682",
    lesson: "a narrower grant that overrides a denial",
    tests: ["never-weaker: an operator profile that grants everything gives nothing more"],
  },
  {
    name: "CVE-2026-87766",
    lesson: "a link in the place of a mount point leads the set-up outside",
    tests: [
      "fs.dest: where %s is swapped for a link, no set-up in a shelter is led astray",
      "fs.dest: beside a program that swaps",
    ],
  },
  {
    name: "CVE-2024-42472, CVE-2021-44731, CVE-2022-3328",
    lesson: "a folder that is exchanged for a link between a check and its use",
    tests: ["files.race: by a call that runs at the same time", "fs.dest: beside a program that swaps"],
  },
  {
    name: "CVE-2024-45310, CVE-2026-34079",
    lesson: "files that the trusted side makes or removes where the sandboxed side says",
    tests: [
      "fs.dest: %s nothing through a link",
      "fs.residue: a placeholder that somebody has put something into",
    ],
  },
  {
    name: "CVE-2025-31133, CVE-2026-41579",
    lesson: "a device in whose place something else is shown",
    tests: [
      "fs.write: the mode of a device of the host cannot be changed",
      "fs.views: a file cannot be created in /dev",
    ],
  },
  {
    name: "CVE-2025-52881",
    lesson: "writes to /proc that take effect on the host",
    tests: ["priv: a sysctl cannot be set", "priv: a process's own settings in /proc cannot be changed"],
  },
  {
    name: "CVE-2022-0185, CVE-2024-1086, CVE-2020-14386, CVE-2023-0386, CVE-2026-31431",
    lesson: "kernel code that only nested namespaces, rare socket families or mounts reach",
    tests: [
      "priv: no user namespace can be made",
      "sys: answers any call with any arguments as the table says",
    ],
  },
];

/** Traps of launchers and kernels that cost others dear, by what bites. */
export const TRAPS: readonly Known[] = [
  {
    name: "of several mounts on one path the last one wins",
    lesson: "folders before what is in them",
    tests: [
      "fs.write: a read-only file (deep/a/locked) cannot be written to",
      "proof: each clause of a plan",
    ],
  },
  {
    name: "what is missing can't be mounted over, or is made on the host and stays",
    lesson: "placeholders of our own, of the right type, in a ledger",
    tests: [
      "fs.missing: a missing name (missing) cannot be created as a file",
      "fs.missing: a missing name (no/such/missing) cannot be created as a file",
      "fs.residue: no placeholder stays where a missing file was protected",
    ],
  },
  {
    name: "a file where a folder is expected",
    lesson: "look at what is there first",
    tests: ["git.exec: linked/.git cannot be written"],
  },
  {
    name: "an empty folder over a hidden one can be written to, or opened up by its mode",
    lesson: "sealed by a remount",
    tests: [
      "fs.read: a hidden folder cannot be opened by a change of its mode",
      "fs.read: a hidden folder cannot be written into",
    ],
  },
  {
    name: "a folder above a protected path is moved away",
    lesson: "pins on every folder between",
    tests: [
      "fs.rename: the folder of a protected file cannot be moved",
      "git.exec: repository/.git cannot be moved away",
    ],
  },
  {
    name: "a program of the host replaces a masked file by another one, and the mask is gone",
    lesson: "mounts are watched while a call runs, and told",
    tests: ["fs.mounts: what hides something is lost", "fs.mounts: that lose a mount are replaced"],
  },
  {
    name: "a link can't be pinned",
    lesson: "its folder is read-only, or it is refused",
    tests: ["git.exec: a repository that is reached by a link"],
  },
  {
    name: "other names of a hidden file",
    lesson: "hard links can't be made across mounts, and links lead to what is hidden, too",
    tests: [
      "fs.read: a hidden file (hidden) cannot be read by a hard link made inside",
      "fs.read: a hidden file (hidden) cannot be read by an existing link",
    ],
  },
  {
    name: "a read-only mount does not keep anybody from connecting to a socket",
    lesson: "what is not granted is not there",
    tests: ["sock: a socket in a folder that is not granted cannot be reached"],
  },
  {
    name: "the network's namespace does not hold vsock back, nor does a view hold abstract sockets",
    lesson: "a filter, and a namespace",
    tests: ["net.none: there is no way out", "sock: an abstract socket of the host cannot be reached"],
  },
  {
    name: "the first process keeps the launcher's variables",
    lesson: "the launcher has none",
    tests: [
      "env: an unlisted variable is in no environment of a process inside",
      "env: only planned names are visible",
    ],
  },
  {
    name: "root keeps its capabilities, and owns the files of /proc/sys",
    lesson: "none are left, and /proc is read-only",
    tests: [
      "priv: a process has no capability, can gain none, and is filtered",
      "priv: the base cannot be remounted",
      "priv: a sysctl cannot be set",
    ],
  },
  {
    name: "the number of a user's processes is no bound for root, and counts those of the host",
    lesson: "a cgroup, and a limit set inside",
    tests: [
      "limit: no more processes are had than are listed",
      "limit: as an ordinary user the number of processes",
    ],
  },
  {
    name: "a launcher whose parent dies while it builds leaves its sandbox behind",
    lesson: "nothing goes before its death signal was seen to be set",
    tests: [
      "proc: nothing is left of a sandbox in a shelter",
      "proc: nothing survives supervisors that are killed at every instant of a launch",
    ],
  },
  {
    name: "mounts of the host that arrive later are writable under a read-only bind",
    lesson: "long-lived sandboxes have mounts of their own, others tell",
    tests: ["fs.mounts: a mount that arrives"],
  },
  {
    name: "the base of a sandbox is writable and has no bound",
    lesson: "sized, and sealed at the end",
    tests: [
      "fs.views: a file cannot be created in the base",
      "fs.views: shared memory does not exceed `shared_memory`",
    ],
  },
  {
    name: "a helper that a repository plants where PATH finds it",
    lesson: "helpers are the system's own",
    tests: ["helper: a planted launcher that comes first in PATH is not started"],
  },
  {
    name: "a crash starts a program of the host's",
    lesson: "no core, not to a pipe either",
    tests: ["limit: a crash writes no memory anywhere, and starts nothing on the host"],
  },
];
