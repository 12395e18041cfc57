import type { ReadStream } from "node:tty";
import { openTty } from "./tty.ts";

const MAX_CHARACTERS = 1024;

/**
 * Asks the person at the controlling terminal a yes-or-no question, whatever stdin and stdout are. Only `y` or `yes` is
 * an approval: an empty line, the end of the terminal and an abort are a no. Keys typed before the prompt do not count.
 * Null without a terminal.
 */
export async function confirmAtTerminal(
  question: string,
  prompt: string,
  signal: AbortSignal | null,
): Promise<boolean | null> {
  const tty = openTty();
  if (tty === null) return null;
  try {
    tty.write(question);
    // A line that is typed but not ended cannot be read in the terminal's usual mode (termios(3), ICANON).
    tty.setRaw(true);
    tty.forgetTyped();
    tty.setRaw(false);
    tty.write(`${prompt} [y/N] `);
    const answer = await readLine(tty.input, signal);
    if (answer === null) tty.write("\n");
    return answer !== null && /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    tty.close();
  }
}

/** The typed line; null if the terminal ends, the signal comes, or the line has no end. */
function readLine(input: ReadStream, signal: AbortSignal | null): Promise<string | null> {
  return new Promise((resolve) => {
    let typed = "";
    input.on("data", (keys: Buffer) => {
      typed += keys.toString("utf8");
      const end = typed.search(/[\r\n]/);
      if (end >= 0) resolve(typed.slice(0, end));
      else if (typed.length > MAX_CHARACTERS) resolve(null);
    });
    for (const event of ["end", "error", "close"]) input.once(event, () => resolve(null));
    signal?.addEventListener("abort", () => resolve(null), { once: true });
    if (signal?.aborted === true) resolve(null);
  });
}
