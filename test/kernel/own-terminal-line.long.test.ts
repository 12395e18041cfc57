import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { cofferdamFor } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { type Relay, relay } from "../support/battery/relay.ts";

sandboxMustWork("a terminal at the end of a slow line");
/** What the line brings, in bytes a millisecond. */
const RATE = 200;
/** More than that takes three seconds, all of which may be on its way when the program has ended. */
const SAYS =
  "stty -echo; head -c 600000 /dev/zero | tr '\\0' x; printf '\\033[c\\033]11;?\\033\\\\said'; : > said";
/** What a terminal is asked: its kind, a colour, where its cursor stands, which was put somewhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const ASKED = /\u001b\[(\d+;\d+)H|\u001b\[6n|\u001b\[c|\u001b\]11;\?\u001b\\/g;

/** Answers as a terminal that reads what was shown at the line's rate. */
function answerSlowly(terminal: Relay, onFinished: OnFinished): void {
  let [read, place, last] = [0, "1;1", performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    const shown = terminal.shown();
    const end = Math.min(shown.length, read + Math.floor((now - last) * RATE));
    // A question that is cut is left for the next time.
    const part = shown.slice(read, end);
    const whole =
      end < shown.length && part.lastIndexOf("\u{1b}") > 0 ? part.lastIndexOf("\u{1b}") : part.length;
    for (const [asked, to] of part.slice(0, whole).matchAll(ASKED)) {
      if (to !== undefined) place = to;
      else if (asked.endsWith("n")) terminal.type(`\u{1b}[${place}R`);
      else terminal.type(asked.endsWith("c") ? "\u{1b}[?62c" : "\u{1b}]11;rgb:1/1/1\u{1b}\\");
    }
    read += whole;
    last = now;
  }, 20);
  onFinished(() => clearInterval(timer));
}

type OnFinished = TestContext["onTestFinished"];

describe.skipIf(unusable !== null).each(PEOPLE)("at the end of a slow line, as $name", (person) => {
  function prepared(): Place {
    const place = new Place(person);
    place.config();
    return place;
  }

  /** Runs it, and then reads for a while what is typed. */
  function start(place: Place): Relay {
    const config = join(place.top, "config.yaml");
    const words = [...cofferdamFor(person), "run", "--quiet", "--terminal", "--config", config];
    const quoted = [...words, "--", "sh", "-c", SAYS]
      .map((one) => `'${one.replaceAll("'", "'\\''")}'`)
      .join(" ");
    place.file(
      "ws/run",
      `${quoted}\n: > over\nstty raw -echo\ntimeout --foreground 5 cat > left\nprintf '[%s]' read\n`,
    );
    return relay(place, ["/bin/sh", "run"]);
  }
  const isOver = (place: Place): boolean => existsSync(join(place.ws, "over"));

  it.concurrent("tty: what the terminal answers late is thrown away too", async ({ onTestFinished }) => {
    using place = prepared();
    const terminal = start(place);
    answerSlowly(terminal, onTestFinished);
    await terminal.sees("[read]");
    expect(place.read("ws/left")).toBe("");
  });

  it.concurrent("tty: whoever does not want to wait for answers presses Ctrl-C, which is nobody's input afterwards", async ({
    onTestFinished,
  }) => {
    using place = prepared();
    const terminal = start(place);
    await terminal.sees("said");
    const timer = setTimeout(() => terminal.type("\u{3}"), 2_000);
    onTestFinished(() => clearTimeout(timer));
    await terminal.sees("[read]");
    expect([isOver(place), place.read("ws/left")]).toEqual([true, ""]);
  });

  it.concurrent("tty: a terminal that never answers is waited for no longer than a slow line would take", async () => {
    using place = prepared();
    const terminal = start(place);
    await terminal.sees("[read]");
    expect(isOver(place)).toBe(true);
  });
});
