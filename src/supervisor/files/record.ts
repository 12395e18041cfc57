import type { Trail } from "../../journal/trail.ts";
import type { Receipt } from "../outcome.ts";
import type { Granted } from "../prepare.ts";
import type { Walls } from "../shared.ts";
import type { FileWorker } from "./worker.ts";

/** The call that a worker was started for tells of it. */
export function tellStarted({ plan, standings }: FileWorker, granted: Granted, trail: Trail): void {
  trail.record({
    type: "call.planned",
    backend: plan.backend,
    granted: granted.digest,
    env: [],
    placeholders: [...plan.placeholders],
    approximations: plan.approximations.map((one) => one.reason),
  });
  trail.record({ type: "walls.proven", backend: plan.backend, standings });
}

/** What stood around the worker that made a call. */
export function receiptOf(worker: FileWorker, granted: Granted, argsHash: string, walls: Walls): Receipt {
  const { plan, standings } = worker;
  return {
    backend: plan.backend,
    version: plan.version,
    granted: granted.digest,
    argsHash,
    runAs: walls.kind === "standing" ? walls.machine.facts.user.uid : -1,
    standings,
    approximations: plan.approximations,
    mountChanges: worker.mountChanges(),
  };
}
