import { CofferdamError } from "../../errors.ts";
import type { Appeared } from "../../host/appeared.ts";
import { lookUpFacts } from "../../host/facts.ts";
import { flatMapInTurns } from "../../host/turns.ts";
import { standingIn } from "../standing.ts";
import type { AfterCall } from "./after-call.ts";
import { isRepository, unmade } from "./new-repositories.ts";
import { IN_THE_WAY, type PlantedByCall } from "./planted.ts";
import type { Fates } from "./take-away.ts";

/** A repository takes about so many mounts, with the folders that it lies in. */
const MOUNTS_OF_A_REPOSITORY = 6;

/** Fewer than so many leave room in every plan. */
const FEW_MOUNTS = 128;

/**
 * The repositories that a call made and that stayed, where a later call could not be given its sandbox any more: one of many mounts,
 * which the planner itself is asked about.
 */
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

/** Whether a call could be made now. The next one looks the same up again, and finds what was laid out for it. */
async function hasRoom({ shared }: AfterCall): Promise<boolean> {
  const { host, walls, memory, ledger, standing, loaded } = shared;
  if (walls.kind === "unavailable") return true;
  const { facts: machine } = walls.machine;
  const profiles = [standing.unasked.profile, standing.onYes.profile];
  try {
    const facts = await lookUpFacts(host, machine, profiles, memory, ledger.held());
    const launch = { argv: [machine.launcher.shell], cwd: loaded.config.workspace, env: {} } as const;
    const { backend, unasked, onYes } = standingIn(standing, facts);
    return [unasked, onYes].every(({ profile }) => backend.render(profile, launch, facts).kind === "plan");
  } catch (cause) {
    if (cause instanceof CofferdamError) return false;
    throw cause;
  }
}
