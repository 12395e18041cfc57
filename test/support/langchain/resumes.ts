/** A process that goes on with a conversation which another has begun, and says where it is then, as a line of JSON. */
import { readFileSync } from "node:fs";
import { cofferdamMiddleware } from "../../../src/adapters/langchain.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { createSupervisor } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { TALLY, Talk, type Turn } from "./agents.ts";
import { FileSaver } from "./file-saver.ts";

/** What such a process is told. */
export interface Job {
  readonly config: string;
  readonly cwd: string;
  readonly state: string;
  readonly saver: string;
  readonly turns: readonly Turn[];
  readonly resume: unknown;
}

const job: Job = JSON.parse(readFileSync(0, "utf8"));
const env = { ...process.env, XDG_STATE_HOME: job.state };
const host = thisHost({ env, stateFolder: knownPath(`${job.state}/cofferdam`), operatorFolders: [] });
await using supervisor = await createSupervisor({ config: job.config, cwd: knownPath(job.cwd), host });
await using session = supervisor.session({ tools: [TALLY] });
const talk = new Talk(job.turns, await cofferdamMiddleware(session), new FileSaver(job.saver));
const { asked, told, last } = await talk.resume(job.resume);
console.log(JSON.stringify({ asked, told, last }));
