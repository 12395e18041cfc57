import type { Launcher } from "../../backend/facts.ts";
import type { Loaded } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CofferdamError, ERRORS } from "../../errors.ts";
import { attest, failures } from "../../host/attest.ts";
import type { Attestation } from "../../host/attestation.ts";
import { lookAtDevices } from "../../host/devices.ts";
import { type Probe, surveyMachine } from "../../host/doctor.ts";
import { type Host, thisHost } from "../../host/host.ts";
import type { Probed } from "../../host/mac/probes/run.ts";
import { lookAtMachine } from "../../host/machine.ts";
import { ownerOfRoots } from "../../host/owner.ts";
import { platformOf } from "../../host/platform.ts";
import { findRuntimes } from "../../host/runtimes.ts";
import { makeStateFolder, problemOfState } from "../../host/state-folder.ts";
import { COMMON, chosen, readArguments, takeWords } from "../arguments.ts";
import { type Diagnosis, diagnosisJson, showDiagnosis } from "../doctor-text.ts";
import type { Print } from "../print.ts";

const OPTIONS = { ...COMMON, attest: { type: "boolean" } } as const;

/** Says what this machine can enforce; 69 when the walls can't be had. Without `--attest` nothing is written that stays. */
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
  const platform = platformOf(host);
  const loaded = orProblem(() => loadConfig(host, choice));
  const roots = loaded instanceof CofferdamError ? [] : loaded.config.roots;
  const runAs = ownerOfRoots(host, roots);
  const launcher = await platform.findLauncher(host, "read").catch(problemOf);
  const probes = launcher instanceof CofferdamError ? [] : await platform.tryParts(host, launcher, runAs);
  const state = problemOfState(host);
  const kernel = await askKernel(host, launcher, probes, isAttested && state === null);
  const broken = problemIn(launcher, probes) ?? problemInKernel(kernel) ?? state?.message ?? null;
  const battery = !isAttested || broken !== null ? null : await attestNow(host, roots).catch(problemOf);
  return {
    host,
    survey: surveyMachine(host),
    config: loaded,
    runAs: runAs?.uid ?? host.user.uid,
    devices: lookAtDevices(host, runAs ?? host.user),
    tree: platform.lookAtTree(host),
    launcher,
    state,
    probes,
    kernel,
    battery,
    problem: broken ?? problemInBattery(battery),
  };
}

/** What was found out about it; nothing where no sandbox can be had. */
async function askKernel(
  host: Host,
  launcher: Launcher | CofferdamError,
  probes: readonly Probe[],
  isKept: boolean,
): Promise<readonly Probed[]> {
  if (launcher instanceof CofferdamError || problemIn(launcher, probes) !== null) return [];
  if (isKept) makeStateFolder(host);
  const found = await platformOf(host)
    .askKernel(host, launcher, isKept ? "keep" : "read")
    .catch(problemOf);
  return found instanceof CofferdamError ? [unasked(found)] : found;
}

function unasked({ message: says }: CofferdamError): Probed {
  const [asks, relies] = ["what else walls rely on", "each call tries its own before its program starts"];
  return { id: "all", asks, relies, value: "not-tried", says, standing: "not-tried", tookMs: 0 };
}

/** What keeps the walls from being built, in one line. */
function problemIn(launcher: Launcher | CofferdamError, probes: readonly Probe[]): string | null {
  if (launcher instanceof CofferdamError) return launcher.message;
  const failed = probes.find((probe) => probe.isNeeded && probe.result.kind === "fails");
  return failed === undefined ? null : `${failed.name} cannot be had`;
}

function problemInKernel(kernel: readonly Probed[]): string | null {
  const found = kernel.find(({ standing }) => standing === "problem");
  return found === undefined
    ? null
    : `the kernel does not do what they rely on: ${found.asks}: ${found.says}`;
}

function problemInBattery(battery: Attestation | CofferdamError | null): string | null {
  if (battery === null) return null;
  if (battery instanceof CofferdamError) return battery.message;
  const [first] = failures(battery);
  return first === undefined ? null : `a process in a real sandbox could ${first.name}`;
}

async function attestNow(host: Host, roots: Loaded["config"]["roots"]): Promise<Attestation> {
  makeStateFolder(host);
  await platformOf(host).prepare(host, roots, []);
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
