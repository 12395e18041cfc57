import { withRepositories } from "../../decide/call-policy.ts";
import { CofferdamError } from "../../errors.ts";
import type { Appeared } from "../../host/launch/appeared.ts";
import { FEW_MOUNTS, lookUpFacts, MOUNTS_OF_A_REPOSITORY } from "../../host/launch/facts.ts";
import { flatMapInTurns } from "../../host/turns.ts";
import type { AfterCall } from "./after-call.ts";
import { isRepository, unmade } from "./new-repositories.ts";
import { IN_THE_WAY, type PlantedByCall } from "./planted.ts";
import type { Fates } from "./take-away.ts";

/** Finds repositories made by a call that leave too few mounts for a later call's sandbox, by asking the planner. */
export async function repositoriesInTheWay(
  found: readonly Appeared[],
  fates: Fates,
  call: AfterCall,
): Promise<readonly PlantedByCall[]> {
  const { before, startedAt } = call;
  const stayed = await flatMapInTurns(found, (one) =>
    one.kind === "repository" &&
    ["quarantined", undefined].includes(fates.get(one)?.kind) &&
    isRepository(one.path)
      ? one
      : [],
  );
  const mounts = MOUNTS_OF_A_REPOSITORY * (before.repositories.length + stayed.length);
  if (stayed.length === 0 || before.hits.length + found.length + mounts < FEW_MOUNTS) return [];
  if (await hasRoom(call)) return [];
  return flatMapInTurns(stayed, (appeared) => ({
    appeared,
    take: unmade(appeared.path, startedAt).map((path) => ({ path, ...IN_THE_WAY })),
  }));
}

/** True if a call could get its sandbox now. The next call uses the same layout, as long as nothing changes. */
async function hasRoom({ shared }: AfterCall): Promise<boolean> {
  const { host, sandbox, memory, ledger, policy, loaded } = shared;
  if (sandbox.kind === "unavailable") return true;
  const { facts: machine } = sandbox.machine;
  const profiles = [policy.withoutApproval.profile, policy.withApproval.profile];
  try {
    const facts = await lookUpFacts(host, machine, profiles, memory, ledger.held());
    const launch = { argv: [machine.launcher.shell], cwd: loaded.config.workspace, env: {} } as const;
    const { backend, withoutApproval, withApproval } = withRepositories(policy, facts);
    return [withoutApproval, withApproval].every(
      ({ profile }) => backend.render(profile, launch, facts).kind === "plan",
    );
  } catch (cause) {
    if (cause instanceof CofferdamError) return false;
    throw cause;
  }
}
