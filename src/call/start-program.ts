import type { ProgramOutcome } from "../decide/outcome.ts";
import type { ResidentProgramSpec } from "../decide/resident-program.ts";
import type { ProgramRunOptions } from "./call-options.ts";
import { runCall } from "./pipeline.ts";
import {
  type FollowResident,
  type ResidentOptions,
  type ResidentProgram,
  startResident,
} from "./resident.ts";
import { endWhenTooWide, type ResidentSpecIn } from "./resident-end.ts";
import type { SessionContext } from "./session-context.ts";
import type { SessionTools } from "./session-tools.ts";

/** A program to start, and what it is by each config that comes into force. */
export interface FollowedProgram {
  readonly program: ResidentProgramSpec;
  readonly specIn: ResidentSpecIn;
}

/** Starts a resident program through the gate of its session, and ends it once a changed config gives it less. */
export function startProgram(
  context: SessionContext,
  tools: Pick<SessionTools, "residentRunner">,
  { program, specIn }: FollowedProgram,
  options: ResidentOptions,
): Promise<ResidentProgram | ProgramOutcome> {
  const run = (own: ProgramRunOptions): Promise<ProgramOutcome> =>
    runCall(context, tools.residentRunner(program, own), own);
  const follow: FollowResident = (started, end) => endWhenTooWide(started, program, specIn, context, end);
  return startResident(run, options, context.shutdown, follow);
}
