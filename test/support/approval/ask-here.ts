import { createSupervisor } from "../../../src/index.ts";
import { hostIn, type Place } from "../../unit/cli/command-line.ts";

/** Calls a tool in this process, as `cofferdam call --suspend` does in its own; the id of the request that is left open. */
export async function askHere(
  at: Pick<Place, "project" | "state">,
  [tool, input]: readonly [tool: string, input: string],
  { cwd = at.project, answer }: { readonly cwd?: string; readonly answer?: "approve" | "reject" } = {},
): Promise<string> {
  const host = hostIn(at, cwd);
  await using supervisor = await createSupervisor({ host });
  const outcome = await supervisor.session({ wait: { style: "suspend" } }).call(tool, JSON.parse(input));
  if (outcome.kind !== "pending") throw new Error(`it was not asked about: ${JSON.stringify(outcome)}`);
  const { approvalId } = outcome;
  if (answer !== undefined)
    await supervisor.broker.respond(approvalId, { approved: answer === "approve" }, host.user.name);
  return approvalId;
}
