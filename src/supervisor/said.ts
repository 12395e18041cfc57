import type { Plan } from "../backend/plan.ts";
import { type Captured, type OutputSink, Tail } from "../host/output.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import type { Sinks } from "./call-options.ts";

/** So much of the end of a stream is looked at for complaints. */
const MAX_READ = 16 * 1024;

type Stream = keyof Sinks;

/** The end of what a program says where it complains, kept while it runs. */
export class Said {
  readonly #tails: readonly (readonly [Stream, Tail])[];

  constructor(plan: Plan, call: Call) {
    this.#tails = streamsOf(plan, call).map((stream) => [stream, new Tail()]);
  }

  /** The same sinks, which hand on what this keeps the end of. */
  hear(sinks: Sinks): Sinks {
    const heard = (stream: Stream): OutputSink => {
      const tail = this.#tails.find(([one]) => one === stream)?.[1];
      return (chunk) => {
        tail?.add(chunk);
        return sinks[stream](chunk);
      };
    };
    return { stdout: heard("stdout"), stderr: heard("stderr") };
  }

  /** All of it, with what was captured instead of handed on. */
  whole(captured: Readonly<Record<Stream, Captured>>): string {
    const parts = this.#tails.flatMap(([stream, tail]) => {
      const { bytes, tail: dropped } = captured[stream];
      return [bytes.subarray(-MAX_READ), tail.bytes(), dropped];
    });
    return Buffer.concat(parts).toString();
  }
}

/** A terminal has one stream for all that is said, and many a line for a shell joins both (`2>&1 | tail`). */
function streamsOf(plan: Plan, call: Call): readonly Stream[] {
  if (plan.kind !== "rules" && plan.sizesFd !== null) return ["stdout"];
  return /2>\s*&1|&>|\|&/.test(wordsOf(call.input).join(" ")) ? ["stderr", "stdout"] : ["stderr"];
}
