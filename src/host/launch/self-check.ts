import { attacksAtStart, PROTECTIONS } from "../../attacks/at-start.ts";
import { CofferdamError } from "../../errors.ts";
import { ROOT } from "../../profile/path.ts";
import { normalProfile } from "../../profile/profile.ts";
import type { Runtime } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import { FactsMemory, lookUpFacts, type MachineFacts } from "./facts.ts";
import { platformOf } from "./platform.ts";
import type { AttackPlace, StartScript } from "./platform-parts.ts";
import { run } from "./run.ts";
import { keepResult, keptResult, type SelfCheckFinding, type SelfCheckResult } from "./self-check-result.ts";
import { trialAnswers, trialScript } from "./trial-script.ts";

const MAX_MS = 30_000;

/**
 * Tries the attacks of the start-up check in a real sandbox, or takes the result kept for this launcher, kernel, user,
 * feature set and table of attacks. Throws `SANDBOX_UNAVAILABLE` if no sandbox can be started at all.
 */
export async function selfCheck(
  host: Host,
  machine: MachineFacts,
  system: Runtime,
  isFresh = false,
): Promise<SelfCheckResult> {
  const platform = platformOf(host);
  const key = platform.checkedFor(host, machine);
  const kept = isFresh ? null : keptResult(host, key);
  if (kept !== null) return kept;
  const start = starter(host, machine, system);
  const found = await platform.inAttackPlace(host, machine, start, (place) =>
    tryAttacks(host, machine, start, place),
  );
  const result = { key, at: new Date(host.now()).toISOString(), ...found };
  keepResult(host, result);
  return result;
}

async function tryAttacks(
  host: Host,
  { devices }: MachineFacts,
  start: StartScript,
  { target, ...place }: AttackPlace,
): Promise<Omit<SelfCheckResult, "key" | "at">> {
  // A plan reports missing device nodes itself.
  const attacks = attacksAtStart(target, host.platform).filter(
    ({ isOpenWithoutDevices }) => isOpenWithoutDevices === undefined || devices.kind === "made",
  );
  const script = trialScript(attacks.map(({ line }) => line));
  const [ended, controls, features] = await Promise.all([
    start(script, { wallMs: MAX_MS, ...place.options }),
    place.tryControls(attacks),
    place.tryFeatures(),
  ]);
  const answers = trialAnswers(ended.stdout.bytes.toString());
  if (answers.length !== attacks.length || controls.length !== attacks.length)
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the self-check did not finish", {
      hint: "run `cofferdam doctor`",
    });
  const isTouched = place.isTouched();
  const findings = attacks.map(({ claim, atStart }, at): SelfCheckFinding => {
    const holds = answers[at] === false && !isTouched;
    return { name: atStart.act, protection: PROTECTIONS[claim], holds, control: controls[at] === true };
  });
  return { findings, ...features };
}

/** The attacks that succeeded inside: each weakens its protection. */
export function failures(result: SelfCheckResult): readonly SelfCheckFinding[] {
  return result.findings.filter((finding) => !finding.holds);
}

/** Starts scripts in sandboxes that grant only the system's own programs. */
function starter(host: Host, machine: MachineFacts, system: Runtime): StartScript {
  const platform = platformOf(host);
  const profile = normalProfile({
    files: system.read.map((path) => ({ path, access: "read", suffixes: "any" })),
  });
  const memory = new FactsMemory();
  return async (script, more) => {
    const facts = await lookUpFacts(host, machine, [profile], memory);
    const argv = [machine.launcher.shell, "-c", script] as const;
    const launch = { argv, cwd: ROOT, env: { PATH: system.path.join(":") } };
    const rendering = platform.render(profile, launch, facts);
    if (rendering.kind === "refusal")
      throw new CofferdamError("SANDBOX_UNAVAILABLE", rendering.refusal.reason, {
        hint: rendering.refusal.remedy,
      });
    const { surroundings: shared } = more;
    using surroundings =
      shared === undefined
        ? await platform.surroundings(host, machine)
        : { ...shared, [Symbol.dispose]: () => undefined };
    return await run(rendering.plan, {
      ...{ stdin: null, wallMs: null, outputBytes: 65_536, sinks: null, signal: null, onProven: null },
      ...{ runAs: machine.user.isCaller ? null : machine.user, ...more, surroundings },
    });
  };
}
