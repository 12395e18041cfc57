import { createSupervisor, toolResult } from "cofferdam";

/** Runs an approved call by its id: in another process, after a restart, on another day. */
const [, , approvalId = ""] = process.argv;
const supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
try {
  const outcome = await supervisor.resume(approvalId);
  console.log(JSON.stringify("stdout" in outcome ? outcome.kind : toolResult(outcome)));
} finally {
  await supervisor.close();
}
