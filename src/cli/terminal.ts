import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";

const TERMINAL = "/dev/tty";
/** Nobody writes a longer yes. */
const MOST_CHARACTERS = 1024;

/**
 * Asks the person at the controlling terminal a question that is answered by yes or no, whatever stdin and stdout are.
 * Only `y` or `yes` is a yes: an empty line, the end of the terminal and an abort are a no. Keys typed before the
 * prompt stood there count for nothing. Null when there is no terminal, so that nobody was asked.
 */
export async function askOnTerminal(
  question: string,
  prompt: string,
  signal: AbortSignal | null,
): Promise<boolean | null> {
  const fd = openTerminal(constants.O_RDWR);
  if (fd === null) return null;
  const input = new ReadStream(fd);
  try {
    writeSync(fd, question);
    forgetTypedKeys(input);
    writeSync(fd, `${prompt} [y/N] `);
    const answer = await readLine(input, signal);
    if (answer === null) writeSync(fd, "\n");
    return answer !== null && /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    input.destroy();
  }
}

function openTerminal(flags: number): number | null {
  try {
    return openSync(TERMINAL, flags | constants.O_NOCTTY);
  } catch {
    return null;
  }
}

/**
 * Empties the terminal's input. A line that is typed but not ended can't be read in the terminal's usual mode, only
 * when it hands over every key by itself (termios(3), ICANON): so it is put into that mode for a moment.
 */
function forgetTypedKeys(input: ReadStream): void {
  const fd = openTerminal(constants.O_RDONLY | constants.O_NONBLOCK);
  if (fd === null) return;
  const keys = Buffer.alloc(4096);
  input.setRawMode(true);
  try {
    while (readSync(fd, keys) > 0);
  } catch {
    // EAGAIN: nothing is left.
  } finally {
    input.setRawMode(false);
    closeSync(fd);
  }
}

/** What is typed up to the end of the line; null when the terminal ends, the signal comes, or the line has no end. */
function readLine(input: ReadStream, signal: AbortSignal | null): Promise<string | null> {
  return new Promise((resolve) => {
    let typed = "";
    input.on("data", (keys: Buffer) => {
      typed += keys.toString("utf8");
      const end = typed.search(/[\r\n]/);
      if (end >= 0) resolve(typed.slice(0, end));
      else if (typed.length > MOST_CHARACTERS) resolve(null);
    });
    for (const event of ["end", "error", "close"]) input.once(event, () => resolve(null));
    signal?.addEventListener("abort", () => resolve(null), { once: true });
    if (signal?.aborted === true) resolve(null);
  });
}
