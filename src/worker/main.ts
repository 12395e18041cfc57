import { Operations } from "./answer.ts";
import { codeOf } from "./faults.ts";
import { FrameReader, MalformedFrame, writeFrame } from "./frames.ts";

/** `EX_SOFTWARE` of sysexits.h: whoever started this does not speak the protocol, or this broke a law of its own. */
const BROKEN = 70;

/**
 * The program inside the walls that works on files: a frame in, a frame out, one at a time, until its input ends. Nothing
 * else is ever written to its output.
 */
function serve(input: number, output: number): void {
  const frames = new FrameReader(input);
  const operations = new Operations();
  for (let frame = frames.next(); frame !== null; frame = frames.next()) {
    const { header, body } = operations.reply(frame.header, frame.body);
    writeFrame(output, header, body);
  }
}

try {
  serve(0, 1);
} catch (error) {
  // Nobody is there any more to be answered.
  if (codeOf(error) !== "EPIPE") {
    process.stderr.write(`${error instanceof MalformedFrame ? error.message : String(error)}\n`);
    process.exitCode = BROKEN;
  }
}
