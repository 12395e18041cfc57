import type { Limits } from "../../profile/limits.ts";
import type { Accepted } from "../backend.ts";
import { goWords, type ProxyWay, proxyLines } from "../proxy-way.ts";

/** Stands in the text of the rules where the tag goes by which the kernel's log tells calls apart: 16 hex digits. */
export const TAG_MARK = "cofferdam-0000000000000000";

/** Parameters of the text (`-D`): the call's own places, the only ones whose names differ from call to call. */
export const CALL_PARAMETERS = { folder: "CALL", home: "HOME", temporary: "TMP", given: "GIVEN" } as const;

/**
 * Variables that the gate is handed and the program never has: the call's folder, where the program starts, a process of
 * the same user outside, the descriptors that were covered, and the names of the program's own variables, each of these with
 * a space on both sides.
 */
export const GATE_VARIABLES = {
  folder: "cofferdam_call",
  cwd: "cofferdam_cwd",
  outside: "cofferdam_outside",
  covered: "cofferdam_covered",
  names: "cofferdam_names",
} as const;

/**
 * Names in the call's own folder. Neither the rules nor the canary can be read or written inside. The gate leaves its twin
 * in the place for temporary files, which the host removes before it lets the program go; what it must not be able to make
 * has a name, too.
 */
export const CALL_NAMES = {
  rules: "rules.sb",
  canary: "canary",
  given: "given",
  home: "home",
  temporary: "tmp",
  twin: "twin",
  made: "made",
} as const;

/** The descriptor by which the gate and the host speak, in both directions. */
export const GATE_FD = 3;

/** Where the gate keeps the program's standard error, while its own words go nowhere. */
const PROGRAM_STDERR = 4;

/** Variables that one shell or another exports by itself, besides `PWD`, which says where the program starts. */
const SHELLS_OWN = ["LOGNAME", "OLDPWD", "SHLVL"] as const;

/** The highest descriptor that the gate looks for; the host covers what it inherited above. */
const MOST_LOOKED_FOR = 255;

/** There is no pid above (`PID_MAX`, bsd/sys/proc_internal.h). */
const HIGHEST_PID = 99_999;

/** So often every pid is tried in a row, where each time others are found. */
const MOST_PASSES = 16;

/** What the gate says, each as the first word of a line. */
export const SAID = {
  /** The walls hold; the program waits. */
  ready: "r",
  /** A limit could not be set. */
  limit: "l",
  /** The program's folder can't be entered. */
  folder: "c",
  /** What the rules refuse succeeded, or what they grant failed; then which: a key of `TRIED`. */
  open: "o",
  /** The helper's pid. */
  helper: "h",
  /** The program ended; then its status. */
  ended: "e",
  /** What was to be killed was tried; then the pids for which that was let. */
  killed: "k",
} as const;

/** What the gate tries, by the word that it says when that goes wrong. */
export const TRIED = {
  read: "what is hidden can be read",
  write: "what is hidden can be written",
  create: "a file can be made where nothing may be written",
  list: "names can be listed in a folder that is hidden",
  scratch: "nothing can be kept in the place for temporary files",
  signal: "processes outside can be signalled",
  own: "the program can't signal itself",
  descriptor: "a descriptor is open that was not handed in",
  descriptors: "the open descriptors can't be seen in /dev/fd",
} as const;

/**
 * What the host says after the line that opens the gate, a line each. `kill` has pids behind it, `own` that of what reads this; `all` is every pid that there
 * can be.
 */
export const TOLD = {
  kill: "kill",
  all: "all",
  own: "own",
  end: "end",
} as const;

/** The one reason for which processes may stand at `partial` behind rules. */
export const MAY_BE_LEFT =
  "a process that ends the gate or what kills for it, or forks faster than can be listed, may be left when the call ends";

/** The one reason for which system calls may stand at `partial` behind rules. */
export const NOT_BY_NUMBER = "macOS filters no system calls by number: rules are asked about what they do";

/** What may stand at partial: see `Backend`. */
export const ACCEPTS: readonly Accepted[] = [
  { protection: "processes", reason: MAY_BE_LEFT },
  { protection: "syscalls", reason: NOT_BY_NUMBER },
];

/**
 * Where clang and swiftc keep modules, unless the config says where: else in a folder that programs outside share, by
 * confstr(3) and not by TMPDIR (clang/test/Driver/modules-cache-path.m).
 */
const CLANG_MODULES = "CLANG_MODULE_CACHE_PATH";

/**
 * What the gate runs, in a POSIX shell (on macOS bash, zsh or dash, by `/private/var/select/sh`); the program and its words
 * are in `"$@"`. Of the walls it tries each act beside a twin that must succeed:
 * 1. beside the call's places the canary can't be opened, no file can be made, and names can't be listed; in the place for
 *    temporary files one can be made, read and listed. It is opens that count: what is read of a file may lack a line's end;
 * 2. neither the process that started it nor one of its own user outside can be signalled, and it itself can; no descriptor
 *    but its own is open: zsh has one more, the first free from 10 on, which no program gets. `kill -0` is checked like
 *    any other signal (xnu, bsd/kern/kern_sig.c: `cansignal`);
 * 3. it goes to the program's folder, tries the limits in a shell of their own, says `r`, and waits for the line `go`: at
 *    the end of the stream nothing runs. With the secret that the line ends with it tells programs where the egress proxy
 *    is. Hard limits are the program's alone, so that none of them ends what ends it;
 * 4. it leaves a helper in the same sandbox, which kills what it is told to and says what it was let: the kernel lets it
 *    signal nothing outside (`(allow signal (target same-sandbox))`), as was just tried;
 * 5. it runs the program, says its status: 126 or 127 when it can't be started, 128+n after signal n, and ends when the
 *    helper was told to. Signals that ask it to end are the program's; its own words go nowhere, such as bash's on what
 *    ended a child. The program's `TMOUT`, by which bash bounds reads, bounds none of the gate's.
 */
export function gateScript(limits: Limits, proxy: ProxyWay | null): string {
  const bounds = ulimits(limits).join(" && ");
  const { folder, cwd, outside, covered, names } = GATE_VARIABLES;
  const place = (name: keyof typeof CALL_NAMES): string => `$${folder}/${CALL_NAMES[name]}`;
  const inTemporary = `${place("temporary")}/${CALL_NAMES.twin}`;
  const says = (line: string): string => `printf '${line}\\n' >&${GATE_FD}`;
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
    `[ -e /dev/fd/${GATE_FD} ] || ${open("descriptors")}`,
    `cofferdam_x=${GATE_FD} cofferdam_own=\${ZSH_VERSION:+y}`,
    `while [ "$cofferdam_x" -lt ${MOST_LOOKED_FOR} ]; do`,
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
    `unset ${Object.values(GATE_VARIABLES).join(" ")} cofferdam_x cofferdam_own`,
    "trap : HUP INT QUIT TERM",
    says(SAID.ready),
    `IFS=" " TMOUT=0 read -r cofferdam_go ${goWords(proxy)} <&${GATE_FD} && [ "$cofferdam_go" = go ] || exit 125`,
    `[ "$cofferdam_in" = pipe ] || exec </dev/null`,
    "unset cofferdam_go cofferdam_in",
    ...proxyLines(proxy),
    `exec ${PROGRAM_STDERR}>&2 2>/dev/null`,
    ...HELPER,
    `printf '${SAID.helper} %s\\n' "$!" >&${GATE_FD}`,
    `(${bounds} && exec ${GATE_FD}>&- 2>&${PROGRAM_STDERR} ${PROGRAM_STDERR}>&- && exec "$@")`,
    `printf '${SAID.ended} %s\\n' "$?" >&${GATE_FD}`,
    "trap '' HUP INT QUIT TERM",
    `exec </dev/null >/dev/null ${PROGRAM_STDERR}>&-`,
    "wait",
    "exit 0",
  ].join("\n");
}

/**
 * Reads what the host says until that is gone, and then ends all. Each kill is a kill(2) of one pid, never of `-1`: what
 * the rules do with that was not tried. The host tells it its own pid, which it must spare when it tries
 * every one; it could ask a child, but not where no more can be started. Of a pid that waits for its parent a kill succeeds, whoever's it is (xnu, bsd/kern/kern_sig.c: `kill`,
 * for `pzfind`), so it is done when twice the same are found.
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
  `  while [ "$cofferdam_pass" -lt ${MOST_PASSES} ]; do`,
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
  `while IFS=" " TMOUT=0 read -r cofferdam_word cofferdam_pids <&${GATE_FD}; do`,
  "  case $cofferdam_word in",
  `  ${TOLD.kill})`,
  "    cofferdam_found=",
  "    for cofferdam_pid in $cofferdam_pids; do",
  '      if kill -9 "$cofferdam_pid"; then cofferdam_found="$cofferdam_found $cofferdam_pid"; fi',
  "    done",
  `    printf '${SAID.killed}%s\\n' "$cofferdam_found" >&${GATE_FD} ;;`,
  `  ${TOLD.own}) cofferdam_own=$cofferdam_pids ;;`,
  `  ${TOLD.all})`,
  "    cofferdam_end_all",
  `    printf '${SAID.killed}\\n' >&${GATE_FD} ;;`,
  `  ${TOLD.end}) exit 0 ;;`,
  "  esac",
  "done",
  "cofferdam_end_all",
  'kill -9 "$$"',
  ") &",
] as const;

/**
 * Units are those of POSIX `ulimit`: 512-byte blocks for `-f` and `-c`, seconds for `-t`. Darwin counts all processes of a
 * user (getrlimit(2), `RLIMIT_NPROC`), so that a bound on those of a call can't be set, and enforces none on data or
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
