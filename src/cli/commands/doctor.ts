import type { Launcher } from "../../backend/facts.ts";
import type { Loaded } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CofferdamError, ERRORS } from "../../errors.ts";
import { type Attestation, attest, failures } from "../../host/attest.ts";
import { lookAtDevices, makeDevices } from "../../host/devices.ts";
import { climbLadder, type Probe, surveyMachine } from "../../host/doctor.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { findLauncher } from "../../host/launcher.ts";
import { lookAtMachine, lookAtTree, ownerOfRoots, writableOf } from "../../host/machine.ts";
import { findRuntimes } from "../../host/runtimes.ts";
import { makeStateFolder, problemOfState } from "../../host/state-folder.ts";
import { COMMON, chosen, readArguments, takeWords } from "../arguments.ts";
import { type Diagnosis, diagnosisJson, showDiagnosis } from "../doctor-text.ts";
import type { Print } from "../print.ts";

const OPTIONS = { ...COMMON, attest: { type: "boolean" } } as const;

/** Says what this machine can enforce; 69 when the walls can't be had. Without `--attest` nothing is written. */
export async function doctor(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("doctor", args, OPTIONS);
  takeWords("doctor", positionals, []);
  const diagnosis = await diagnose(thisHost(), chosen(values), values.attest === true);
  if (values.json === true) print.json(diagnosisJson(diagnosis));
  else showDiagnosis(diagnosis, print);
  return diagnosis.problem === null ? 0 : ERRORS.SANDBOX_UNAVAILABLE.exit;
}

async function diagnose(
  host: Host,
  choice: ReturnType<typeof chosen>,
  isAttested: boolean,
): Promise<Diagnosis> {
  const loaded = orProblem(() => loadConfig(host, choice));
  const roots = loaded instanceof CofferdamError ? [] : loaded.config.roots;
  const runAs = ownerOfRoots(host, roots);
  const launcher = await findLauncher(host, "read").catch(problemOf);
  const probes = launcher instanceof CofferdamError ? [] : await climbLadder(host, launcher, runAs);
  const state = problemOfState(host);
  const broken = problemIn(launcher, probes) ?? state?.message ?? null;
  const battery = !isAttested || broken !== null ? null : await attestNow(host, roots).catch(problemOf);
  return {
    host,
    survey: surveyMachine(host),
    config: loaded,
    runAs: runAs?.uid ?? host.user.uid,
    devices: lookAtDevices(host, runAs ?? host.user),
    tree: lookAtTree(host),
    launcher,
    state,
    probes,
    battery,
    problem: broken ?? problemInBattery(battery),
  };
}

/** What keeps the walls from being built, in one line. */
function problemIn(launcher: Launcher | CofferdamError, probes: readonly Probe[]): string | null {
  if (launcher instanceof CofferdamError) return launcher.message;
  const failed = probes.find((probe) => probe.isNeeded && probe.result.kind === "fails");
  return failed === undefined ? null : `${failed.name} cannot be had`;
}

function problemInBattery(battery: Attestation | CofferdamError | null): string | null {
  if (battery === null) return null;
  if (battery instanceof CofferdamError) return battery.message;
  const [first] = failures(battery);
  return first === undefined ? null : `a process in a real sandbox could ${first.name}`;
}

async function attestNow(host: Host, roots: Loaded["config"]["roots"]): Promise<Attestation> {
  makeStateFolder(host);
  await makeDevices(host, ownerOfRoots(host, roots) ?? host.user, writableOf(roots));
  const runtimes = findRuntimes(
    host,
    ["system"],
    roots.map((root) => root.path),
  );
  const [system] = runtimes;
  if (system === undefined)
    throw new CofferdamError("SANDBOX_UNAVAILABLE", "the system's own programs were not found", {
      hint: "run `cofferdam check`",
    });
  return attest(host, await lookAtMachine(host, roots, runtimes), system, true);
}

function orProblem<Value>(load: () => Value): Value | CofferdamError {
  try {
    return load();
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): CofferdamError {
  if (error instanceof CofferdamError) return error;
  throw error;
}
