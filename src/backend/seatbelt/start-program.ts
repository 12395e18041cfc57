import type { Limits } from "../../profile/limits.ts";
import type { AcceptedPartial } from "../backend.ts";
import { goWords, type ProxyWay, proxyLines } from "../proxy-way.ts";

/** Marks the place in the rules of the tag by which the kernel's log tells calls apart: 16 hex digits. */
export const TAG_MARK = "cofferdam-0000000000000000";

/** Parameters of the text (`-D`): the call's own places, the only ones whose names differ from call to call. */
export const CALL_PARAMETERS = { folder: "CALL", home: "HOME", temporary: "TMP", given: "GIVEN" } as const;

/**
 * Variables of the start program, never the program's. `outside`: a process of the same user; `names`: the program's
 * variables, each with spaces around it.
 */
export const START_VARIABLES = {
  folder: "cofferdam_call",
  cwd: "cofferdam_cwd",
  outside: "cofferdam_outside",
  covered: "cofferdam_covered",
  names: "cofferdam_names",
} as const;

/** Names in the call's own folder. The rules and the canary cannot be read or written inside. */
export const CALL_NAMES = {
  rules: "rules.sb",
  canary: "canary",
  given: "given",
  home: "home",
  temporary: "tmp",
  control: "control",
  made: "made",
} as const;

/** The descriptor between the start program and the host, for both directions. */
export const START_FD = 3;

/** The descriptor that keeps the program's standard error, while the start program's own messages are dropped. */
const PROGRAM_STDERR = 4;

/** Variables that some shells export by themselves, besides `PWD`, the program's start folder. */
const SHELLS_OWN = ["LOGNAME", "OLDPWD", "SHLVL"] as const;

/** The highest descriptor that the start program checks; the host covers inherited ones above it. */
const MAX_LOOKED_FOR = 255;

/** The highest pid (`PID_MAX`, bsd/sys/proc_internal.h). */
const HIGHEST_PID = 99_999;

/** The maximum of passes over every pid, as long as each finds others. */
const MAX_PASSES = 16;

/** Reports of the start program, each the first word of a line. */
export const SAID = {
  /** The sandbox holds; the program waits. */
  ready: "r",
  /** A limit could not be set. */
  limit: "l",
  /** The program's folder cannot be entered. */
  folder: "c",
  /** A forbidden act succeeded, or a granted one failed; then its key in `TRIED`. */
  open: "o",
  /** The helper's pid. */
  helper: "h",
  /** The program ended; then its status. */
  ended: "e",
  /** The requested kills were tried; then the pids for which that was allowed. */
  killed: "k",
} as const;

/** Checks of the start program, by the word that it reports when one fails. */
export const TRIED = {
  read: "a hidden file can be read",
  write: "a hidden file can be written",
  create: "a file can be created in a read-only place",
  list: "a hidden folder can be listed",
  scratch: "the folder for temporary files is not writable",
  signal: "processes outside can be signalled",
  own: "the program can't signal itself",
  descriptor: "an unexpected descriptor is open",
  descriptors: "the open descriptors can't be seen in /dev/fd",
} as const;

/** Commands of the host after the opening line. `kill`: with pids; `own`: with the reader's pid; `all`: every pid. */
export const COMMANDS = { kill: "kill", all: "all", own: "own", end: "end" } as const;

/** The only reason for which processes may be `partial` under rules. */
export const MAY_BE_LEFT =
  "a process that ends the start program or its killer, or forks faster than processes can be listed, may outlive the call";

/** The only reason for which system calls may be `partial` under rules. */
export const NOT_BY_NUMBER =
  "macOS does not filter system calls by number: rules cover the operations of calls";

/** Protections that may be `partial`: see `Backend`. */
export const ACCEPTS: readonly AcceptedPartial[] = [
  { protection: "processes", reason: MAY_BE_LEFT },
  { protection: "syscalls", reason: NOT_BY_NUMBER },
];

/**
 * The default is shared with programs outside, by confstr(3), not by TMPDIR (clang/test/Driver/modules-cache-path.m).
 */
const CLANG_MODULES = "CLANG_MODULE_CACHE_PATH";

/**
 * The start program, for a POSIX shell (on macOS bash, zsh or dash, by `/private/var/select/sh`). The program and
 * its words are in `"$@"`. It checks the sandbox by trying each act beside a control that must succeed:
 * 1. outside the call's places the canary cannot be opened, no file made, no names listed; in the place for temporary
 *    files one can be made, read and listed. Only opens count: a file read may lack the end of its line;
 * 2. neither its parent process nor one of its own user outside can be signalled, and it itself can; only its own
 *    descriptors are open: zsh has one more, the first free from 10 on, which no program gets. `kill -0` is checked
 *    like any other signal (xnu, bsd/kern/kern_sig.c: `cansignal`);
 * 3. it goes to the program's folder, tries the limits in a subshell, says `r`, and waits for the line `go`: at the end
 *    of the stream nothing runs. With the secret at the end of the line it sets the proxy variables. Hard limits hold
 *    for the program only, so that none of them ends the helper;
 * 4. it leaves a helper in the same sandbox, which kills pids on request and reports those allowed: the kernel lets it
 *    signal no process outside (`(allow signal (target same-sandbox))`), as was just tried;
 * 5. it runs the program and reports its status: 126 or 127 if it cannot start, 128+n after signal n. It ends when the
 *    helper is asked to. Requests to end are for the program; messages of its own are dropped, such as bash's about the
 *    end of a child. The program's `TMOUT`, by which bash bounds reads, bounds none of its own.
 */
export function startScript(limits: Limits, proxy: ProxyWay | null): string {
  const bounds = ulimits(limits).join(" && ");
  const { folder, cwd, outside, covered, names } = START_VARIABLES;
  const place = (name: keyof typeof CALL_NAMES): string => `$${folder}/${CALL_NAMES[name]}`;
  const inTemporary = `${place("temporary")}/${CALL_NAMES.control}`;
  const says = (line: string): string => `printf '${line}\\n' >&${START_FD}`;
  const open = (what: keyof typeof TRIED): string => `{ ${says(`${SAID.open} ${what}`)}; exit 125; }`;
  const canBe = (act: string): string => `if { ${act}; } 2>/dev/null; then`;
  return [
    `${canBe(`true <"${place("canary")}"`)} ${open("read")}; fi`,
    `${canBe(`true >>"${place("canary")}"`)} ${open("write")}; fi`,
    `${canBe(`true >"${place("made")}"`)} ${open("create")}; fi`,
    `for cofferdam_x in "$${folder}"/*; do case $cofferdam_x in *'/*') ;; *) ${open("list")} ;; esac; done`,
    `{ printf 'x\\n' >"${inTemporary}" && IFS= read -r cofferdam_x <"${inTemporary}"; } 2>/dev/null || ${open("scratch")}`,
    `for cofferdam_x in "${place("temporary")}"/*; do case $cofferdam_x in *'/*') ${open("scratch")} ;; esac; done`,
    `for cofferdam_x in "$PPID" "$${outside}"; do ${canBe('kill -0 "$cofferdam_x"')} ${open("signal")}; fi; done`,
    `kill -0 "$$" 2>/dev/null || ${open("own")}`,
    `[ -e /dev/fd/${START_FD} ] || ${open("descriptors")}`,
    `cofferdam_x=${START_FD} cofferdam_own=\${ZSH_VERSION:+y}`,
    `while [ "$cofferdam_x" -lt ${MAX_LOOKED_FOR} ]; do`,
    "  cofferdam_x=$((cofferdam_x + 1))",
    `  case $${covered} in *" $cofferdam_x "*) continue ;; esac`,
    `  [ -e "/dev/fd/$cofferdam_x" ] || continue`,
    `  if [ "$cofferdam_own" = y ] && [ "$cofferdam_x" -gt 9 ]; then cofferdam_own=; continue; fi`,
    `  ${open("descriptor")}`,
    "done",
    `cd -P -- "$${cwd}" 2>/dev/null || { ${says(SAID.folder)}; exit 125; }`,
    `(${bounds}) 2>/dev/null || { ${says(SAID.limit)}; exit 125; }`,
    `HOME=${place("home")} TMPDIR=${place("temporary")}`,
    `${CLANG_MODULES}=\${${CLANG_MODULES}-$TMPDIR/clang-modules}`,
    `export HOME TMPDIR ${CLANG_MODULES}`,
    `for cofferdam_x in ${SHELLS_OWN.join(" ")}; do`,
    `  case $${names} in *" $cofferdam_x "*) ;; *) unset "$cofferdam_x" ;; esac`,
    "done",
    `unset ${Object.values(START_VARIABLES).join(" ")} cofferdam_x cofferdam_own`,
    "trap : HUP INT QUIT TERM",
    says(SAID.ready),
    `IFS=" " TMOUT=0 read -r cofferdam_go ${goWords(proxy)} <&${START_FD} && [ "$cofferdam_go" = go ] || exit 125`,
    `[ "$cofferdam_in" = pipe ] || exec </dev/null`,
    "unset cofferdam_go cofferdam_in",
    ...proxyLines(proxy),
    `exec ${PROGRAM_STDERR}>&2 2>/dev/null`,
    ...HELPER,
    `printf '${SAID.helper} %s\\n' "$!" >&${START_FD}`,
    `(${bounds} && exec ${START_FD}>&- 2>&${PROGRAM_STDERR} ${PROGRAM_STDERR}>&- && exec "$@")`,
    `printf '${SAID.ended} %s\\n' "$?" >&${START_FD}`,
    "trap '' HUP INT QUIT TERM",
    `exec </dev/null >/dev/null ${PROGRAM_STDERR}>&-`,
    "wait",
    "exit 0",
  ].join("\n");
}

/**
 * Reads the host's commands until the stream ends, and then ends all. Each kill is a kill(2) of one pid, never of `-1`:
 * the rules' effect on that was not tried. The host sends its own pid, which it must spare when it tries every one; it
 * could ask a child, but not when no more can start. For a zombie a kill succeeds, whoever owns it (xnu,
 * bsd/kern/kern_sig.c: `kill`, for `pzfind`), so it is done when two passes find the same pids.
 */
const HELPER = [
  "(",
  "trap '' HUP INT QUIT TERM",
  `exec >/dev/null </dev/null ${PROGRAM_STDERR}>&-`,
  "cofferdam_own=",
  "cofferdam_end_all() {",
  "  cofferdam_found=- cofferdam_pass=0",
  '  while [ -z "$cofferdam_own" ] && [ "$cofferdam_pass" -lt 1000 ]; do',
  "    cofferdam_own=$(exec /bin/sh -c 'echo $PPID') cofferdam_pass=$((cofferdam_pass + 1))",
  "  done",
  "  cofferdam_pass=0",
  `  while [ "$cofferdam_pass" -lt ${MAX_PASSES} ]; do`,
  "    cofferdam_before=$cofferdam_found cofferdam_found= cofferdam_pid=1 cofferdam_pass=$((cofferdam_pass + 1))",
  `    while [ "$cofferdam_pid" -lt ${HIGHEST_PID} ]; do`,
  "      cofferdam_pid=$((cofferdam_pid + 1))",
  "      case $cofferdam_pid in",
  '      "$$" | "$cofferdam_own") ;;',
  '      *) if kill -9 "$cofferdam_pid"; then cofferdam_found="$cofferdam_found $cofferdam_pid"; fi ;;',
  "      esac",
  "    done",
  '    [ "$cofferdam_found" != "$cofferdam_before" ] || break',
  "  done",
  "}",
  `while IFS=" " TMOUT=0 read -r cofferdam_word cofferdam_pids <&${START_FD}; do`,
  "  case $cofferdam_word in",
  `  ${COMMANDS.kill})`,
  "    cofferdam_found=",
  "    for cofferdam_pid in $cofferdam_pids; do",
  '      if kill -9 "$cofferdam_pid"; then cofferdam_found="$cofferdam_found $cofferdam_pid"; fi',
  "    done",
  `    printf '${SAID.killed}%s\\n' "$cofferdam_found" >&${START_FD} ;;`,
  `  ${COMMANDS.own}) cofferdam_own=$cofferdam_pids ;;`,
  `  ${COMMANDS.all})`,
  "    cofferdam_end_all",
  `    printf '${SAID.killed}\\n' >&${START_FD} ;;`,
  `  ${COMMANDS.end}) exit 0 ;;`,
  "  esac",
  "done",
  "cofferdam_end_all",
  'kill -9 "$$"',
  ") &",
] as const;

/**
 * Units are those of POSIX `ulimit`: 512-byte blocks for `-f` and `-c`, seconds for `-t`. Darwin counts all processes
 * of a user (getrlimit(2), `RLIMIT_NPROC`), so that a bound for one call is impossible, and enforces none on data or
 * address space.
 */
function ulimits({ fileBytes, cpuSeconds, openFiles }: Limits): readonly string[] {
  return [
    "ulimit -c 0",
    ...(cpuSeconds === undefined
      ? []
      : [`ulimit -S -t ${cpuSeconds} && { ulimit -H -t ${cpuSeconds + 1} || ulimit -H -t ${cpuSeconds}; }`]),
    ...(fileBytes === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileBytes / 512))}`]),
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
  ];
}
