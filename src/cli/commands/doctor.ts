import type { Launcher } from "../../backend/facts.ts";
import type { LoadedConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CofferdamError, ERRORS } from "../../errors.ts";
import { lookAtDevices } from "../../host/launch/devices.ts";
import { type SandboxProbe, surveyMachine } from "../../host/launch/doctor.ts";
import type { Probed } from "../../host/launch/mac/probes/run.ts";
import { lookAtMachine } from "../../host/launch/machine.ts";
import { ownerOfRoots } from "../../host/launch/owner.ts";
import { platformOf } from "../../host/launch/platform.ts";
import { failures, selfCheck as runSelfCheck } from "../../host/launch/self-check.ts";
import type { SelfCheckResult } from "../../host/launch/self-check-result.ts";
import { makeStateFolder, problemOfState } from "../../host/launch/state-folder.ts";
import { type Host, thisHost } from "../../host/look/host.ts";
import { findRuntimes } from "../../host/look/runtimes.ts";
import { COMMON, chosen, parseWords, readArguments } from "../arguments.ts";
import { type Diagnosis, diagnosisJson, showDiagnosis } from "../doctor-text.ts";
import type { Print } from "../print.ts";

const OPTIONS = { ...COMMON, attest: { type: "boolean" } } as const;

/** Prints what this machine can enforce; 69 if no sandbox works. Without `--attest` nothing permanent is written. */
export async function doctor(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("doctor", args, OPTIONS);
  parseWords("doctor", positionals, []);
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
  const selfCheck = !isAttested || broken !== null ? null : await checkNow(host, roots).catch(problemOf);
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
    selfCheck,
    problem: broken ?? problemInCheck(selfCheck),
  };
}

/** The kernel's behavior, by tests; empty if no sandbox works. */
async function askKernel(
  host: Host,
  launcher: Launcher | CofferdamError,
  probes: readonly SandboxProbe[],
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
  const [asks, relies] = [
    "other behavior of the kernel",
    "each call checks its own sandbox before its program starts",
  ];
  return { id: "all", asks, relies, value: "not-tried", says, standing: "not-tried", tookMs: 0 };
}

function problemIn(launcher: Launcher | CofferdamError, probes: readonly SandboxProbe[]): string | null {
  if (launcher instanceof CofferdamError) return launcher.message;
  const failed = probes.find((probe) => probe.isNeeded && probe.result.kind === "fails");
  return failed === undefined ? null : `${failed.name} does not work`;
}

function problemInKernel(kernel: readonly Probed[]): string | null {
  const found = kernel.find(({ standing }) => standing === "problem");
  return found === undefined ? null : `unexpected behavior of the kernel: ${found.asks}: ${found.says}`;
}

function problemInCheck(selfCheck: SelfCheckResult | CofferdamError | null): string | null {
  if (selfCheck === null) return null;
  if (selfCheck instanceof CofferdamError) return selfCheck.message;
  const [first] = failures(selfCheck);
  return first === undefined ? null : `a process in a real sandbox could ${first.name}`;
}

async function checkNow(host: Host, roots: LoadedConfig["config"]["roots"]): Promise<SelfCheckResult> {
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
  return runSelfCheck(host, await lookAtMachine(host, roots, runtimes), system, true);
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
