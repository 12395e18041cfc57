import { Operations } from "./answer.ts";
import { codeOf } from "./faults.ts";
import { MalformedFrame, WorkerFrameReader, writeFrame } from "./frames.ts";

/** `EX_SOFTWARE` of sysexits.h: the other side does not speak the protocol, or this program broke an invariant. */
const BROKEN = 70;

/**
 * The program in the sandbox that works on files: a frame in, a frame out, until its input ends. Nothing else is
 * written to its output.
 */
function serve(input: number, output: number): void {
  const frames = new WorkerFrameReader(input);
  const operations = new Operations();
  for (let frame = frames.next(); frame !== null; frame = frames.next()) {
    const { header, body } = operations.reply(frame.header, frame.body);
    writeFrame(output, header, body);
  }
}

try {
  serve(0, 1);
} catch (error) {
  // The reader of the answers is gone.
  if (codeOf(error) !== "EPIPE") {
    process.stderr.write(`${error instanceof MalformedFrame ? error.message : String(error)}\n`);
    process.exitCode = BROKEN;
  }
}
