/**
 * The tests that read a clock, each with what for. None expects anything of how long something takes: that depends on
 * what else the machine does, and a test that is red for it says nothing. Counts of work (`support/load`,
 * `linear-time`) and states are expected instead; a bound against hanging is the test's own timeout; figures are the
 * bench's.
 */
export const CLOCKS: Readonly<Record<string, string>> = {
  "kernel/prewarmed-launcher.slow.test.ts": "makes the clock stand still",
  "kernel/files-killed.long.test.ts": "kills are spread over the time that a write takes here",
  "kernel/own-terminal-line.long.test.ts": "plays a terminal at the end of a line of a given rate",
  "kernel/shelter-killed.slow.test.ts": "kills are spread over the time that a start takes here",
  "kernel/terminal-question.slow.test.ts": "a key that came late is not counted",
  "kernel/stale-process.test.ts": "keeps the process busy for a while",
  "kernel/store-processes.long.test.ts": "a storm lasts for a while",
  "kernel/worker-killed.slow.test.ts": "kills are spread over the time that a write takes here",
  "unit/host/plain-file.test.ts": "a race is run until both ways were seen, for a while at most",
  "unit/host/surroundings.test.ts": "looks again and again for a while",
  "unit/journal/retention.slow.test.ts": "a look that came late is not counted",
  "unit/policy/redact-text.test.ts": "processor time, against how slow the machine is",
};

/** What in a test's text reads a clock, or expects something of a duration; with its line. */
export function durationsIn(file: string, text: string): readonly string[] {
  const reads = CLOCKS[file] === undefined ? [READS_A_CLOCK] : [];
  return text
    .split("\n")
    .flatMap((line, at) =>
      [...reads, IS_EXPECTED].some((pattern) => pattern.test(line))
        ? [`${file}:${at + 1} ${line.trim()}`]
        : [],
    );
}

const READS_A_CLOCK =
  /\bperformance\.now\(|\bhrtime\b|\b(?:threadC|c)puUsage\(|\bDate\.now\(\) - [a-z]|\bdate \+%s|\bmonitorEventLoopDelay\b/;

/** A clock or a duration within what is expected. */
const IS_EXPECTED =
  /expect\(.*(?:performance\.now|Date\.now\(\) -|durationMs|elapsed|tookMs).*\)\.(?:toBe(?:Less|Greater)Than|toEqual\(\[)/;
