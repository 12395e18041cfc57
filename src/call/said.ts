import type { Plan } from "../backend/plan.ts";
import { type Captured, type OutputSink, Tail } from "../host/launch/output.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import type { Sinks } from "./call-options.ts";

/** Maximum of bytes at a stream's end that are searched for complaints. */
const MAX_READ = 16 * 1024;

type Stream = keyof Sinks;

/** Keeps the end of the streams in which a program complains, while it runs. */
export class ProgramMessages {
  readonly #tails: readonly (readonly [Stream, Tail])[];

  constructor(plan: Plan, call: Call) {
    this.#tails = streamsOf(plan, call).map((stream) => [stream, new Tail()]);
  }

  /** Wraps sinks so that their output is kept here as well. */
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

  /** The kept text, with output that was captured instead of sent to sinks. */
  whole(captured: Readonly<Record<Stream, Captured>>): string {
    const parts = this.#tails.flatMap(([stream, tail]) => {
      const { bytes, tail: dropped } = captured[stream];
      return [bytes.subarray(-MAX_READ), tail.bytes(), dropped];
    });
    return Buffer.concat(parts).toString();
  }
}

/** A terminal has one stream for all output, and many shell lines join both (`2>&1 | tail`). */
function streamsOf(plan: Plan, call: Call): readonly Stream[] {
  if (plan.kind !== "rules" && plan.sizesFd !== null) return ["stdout"];
  return /2>\s*&1|&>|\|&/.test(wordsOf(call.input).join(" ")) ? ["stderr", "stdout"] : ["stderr"];
}
