import { createSupervisor, toolResult } from "cofferdam";

/** Runs an approved call by its id: in another process, after a restart, on another day. */
const [, , approvalId = ""] = process.argv;
await using supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
const outcome = await supervisor.resume(approvalId);
console.log(JSON.stringify("stdout" in outcome ? outcome.kind : toolResult(outcome)));
