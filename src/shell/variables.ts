/** Values of any text, also ones that only bash will know. */
const ANY = null;
const SWITCH = /^(|[01]|true|false|yes|no|on|off)$/;
/** Locales in which bash reads the rest of the line as the parser does; see `localeDoubts`. */
const LOCALE = /^(C|POSIX|[A-Za-z_]+\.(UTF-8|utf8)|C\.(UTF-8|utf8))$/;

/**
 * Variables that may be set for programs too, and their values. None of them makes bash or a program run anything, load
 * code or read a file of the caller's choice: they switch messages, colours, questions and modes.
 */
const HARMLESS: ReadonlyMap<string, RegExp | null> = new Map([
  ...names("CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM VERBOSE QUIET DEBUG LOG_LEVEL", ANY),
  ...names("NODE_ENV APP_ENV RAILS_ENV RACK_ENV BABEL_ENV ENVIRONMENT HOST PORT NODE_NO_WARNINGS", ANY),
  ...names("PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONFAULTHANDLER", ANY),
  ...names("RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR GOOS GOARCH CGO_ENABLED GO111MODULE GOMAXPROCS", ANY),
  ...names("DO_NOT_TRACK NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO", ANY),
  ...names("CUDA_VISIBLE_DEVICES OMP_NUM_THREADS TOKENIZERS_PARALLELISM TF_CPP_MIN_LOG_LEVEL", ANY),
  ...names("GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT", SWITCH),
  // git runs neither a pager of this name nor none; `true` and `:` edit nothing.
  ...names("PAGER GIT_PAGER GH_PAGER", /^(|cat)$/),
  ...names("GIT_EDITOR GIT_SEQUENCE_EDITOR", /^(true|:)$/),
  ...names("LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME", LOCALE),
  // These name a file or a module elsewhere: a zone, a terminal, a codec, a front end.
  ["TZ", /^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/],
  ["TERM", /^(dumb|linux|vt100|xterm(-256color)?|screen(-256color)?|tmux(-256color)?)$/],
  ["PYTHONIOENCODING", /^utf-?8(:[a-z]+)?$/i],
  ["DEBIAN_FRONTEND", /^noninteractive$/],
  ["MPLBACKEND", /^agg$/i],
  [
    "NODE_OPTIONS",
    /^(--(max[-_]old[-_]space[-_]size=\d+|experimental-vm-modules|no-warnings|no-deprecation|enable-source-maps)( |$))+$/,
  ],
]);

function names(list: string, values: RegExp | null): readonly (readonly [string, RegExp | null])[] {
  return list.split(" ").map((name) => [name, values]);
}

/**
 * The words of ordinary names in capitals, as `SERVER_PID` and `OUT2`. None is a variable of bash, and none says how a
 * program is started or found, as `PATH`, `PAGER`, `OPTIONS` or `FLAGS` do.
 */
const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  [
    "ACTUAL ADDED AFTER ALL ANSWER API ARCHIVE AUTHOR AVG BACKUP BASE BEFORE BODY BRANCH BUILD BYTES CASE CASES CHANGED",
    "CHANGES CHECK CLIENT CODE COMMIT COMMITS CONTENT COPY COUNT COUNTER CUR CURRENT DATA DATE DAY DELETED DELTA DEST",
    "DIFF DIR DIRS DIRECTORY DOC DOCS DONE DST DURATION ELAPSED EMPTY END ERR ERROR ERRORS EXIT EXPECTED EXT FAIL",
    "FAILED FAILS FAILURES FEATURE FIELD FILE FILENAME FILES FIRST FOLDER FOUND FROM GOT HASH HEAD HITS HOUR ID IDS IDX IMG",
    "INDEX INFO INPUT ITEM ITEMS ITER JSON KEY KEYS LABEL LAST LATEST LEFT LEN LENGTH LEVEL LIMIT LIST LOC LOCAL LOG",
    "LOGFILE LOGS MAIN MATCH MATCHES MAX MESSAGE MIN MISSING MODE MODEL MODULE MODULES MS MSG NAME NAMES NEW NEXT NOW NUM",
    "NUMBER OK OLD OUT OUTFILE OUTPUT PACKAGE PAGE PARENT PART PARTS PASS PASSED PATTERN PERCENT PID PIDS POS PR PREFIX PREV",
    "PREVIOUS PROJECT RATE RC REF REMAINING REMOVED REPO REPORT REQUEST RESP RESPONSE RESULT RESULTS RET RETRIES RIGHT ROOT",
    "ROUND ROW ROWS RUN RUNS SCORE SCRIPT SEARCH SEC SECS SERVER SHA SIZE SKIPPED SORTED SOURCE SPEC SRC START STAMP STATE",
    "STATUS STEP STEPS STOP SUCCESS SUFFIX SUM SUMMARY TABLE TAG TAGS TARGET TASK TEMP TEST TESTS TEXT TIME TIMESTAMP TITLE",
    "TMP TMPFILE TO TODAY TODO TOKENS TOP TOTAL TRIES TYPE UPDATED URL URLS USAGE VALUE VALUES VERSION WAIT WANT WARNINGS",
    "WEEK WORD WORDS WORK XML YAML YEAR",
  ].flatMap((line) => line.split(" ")),
);

/** Names in small letters that bash obeys, that programs obey in the environment, or that carry words to the gate. */
const OBEYED = /^(histchars|auto_resume|(npm|pnpm|yarn|cofferdam)_.*|.*_proxy)$/i;

/** One way in which a line sets a variable. */
export interface VariableSetting {
  readonly name: string;
  /** Null if only bash will know it. */
  readonly value: string | null;
  /** True if programs get it whether or not they had it before: `export x=1`, `x=1 program`. */
  readonly isExported: boolean;
}

/**
 * The reason why setting a variable may make bash or a program run something; null if it surely can't. The names are an
 * allow-list: some may be set for programs, ordinary ones only for the line itself. A name of bash itself is none of
 * them. Its integer variables (`RANDOM`, `SECONDS`, `OPTIND`) calculate what they are given, and run what stands in an
 * index: `RANDOM='a[$(id)]'`.
 */
export function doubtAboutVariable({ name, value, isExported }: VariableSetting): string | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return "it sets a variable whose name bash calculates";
  const values = HARMLESS.get(name);
  if (values === ANY || (values !== undefined && value !== null && values.test(value))) return null;
  if (values === undefined && !isExported && isOrdinary(name)) return null;
  return `it sets \`${name}\`, which bash or a program may obey`;
}

function isOrdinary(name: string): boolean {
  if (/^[a-z]/.test(name)) return !OBEYED.test(name);
  if (/^[A-Z]\d*$/.test(name)) return true;
  return name.split("_").every((word) => ORDINARY_WORDS.has(word.replace(/\d+$/, "")) || /^\d+$/.test(word));
}
