import { HOST_DEVICES } from "../backend/bubblewrap/enforcement.ts";
import { INSTALL_PERL } from "../backend/bubblewrap/terminal.ts";
import type { DeviceNodes, Facts, Launcher } from "../backend/facts.ts";
import { columns, indented } from "../channel/columns.ts";
import type { LoadedConfig } from "../config/config.ts";
import { installationJson, installationWords } from "../config/installation-words.ts";
import { CofferdamError, escapeInvisible } from "../errors.ts";
import type { SandboxProbe, Survey } from "../host/launch/doctor.ts";
import type { Probed } from "../host/launch/mac/probes/run.ts";
import type { SelfCheckResult } from "../host/launch/self-check-result.ts";
import type { Host } from "../host/look/host.ts";
import { statsOf } from "../host/look/nodes.ts";
import { homesOf, whyHome } from "../host/look/user.ts";
import { joinPath } from "../profile/path.ts";
import { proxyVariable } from "../profile/upstream.ts";
import { printTitle } from "./headings.ts";
import { homeRows } from "./home-rows.ts";
import type { Print } from "./print.ts";
import { proxyRows } from "./proxy-row.ts";

/** The results for one machine. */
export interface Diagnosis {
  readonly host: Host;
  readonly survey: Survey;
  readonly config: LoadedConfig | CofferdamError;
  readonly runAs: number;
  readonly devices: DeviceNodes;
  /** Whether a cgroup can be created for each call. */
  readonly tree: Facts["tree"];
  readonly launcher: Launcher | CofferdamError;
  /** The problem with the state folder, or null. */
  readonly state: CofferdamError | null;
  readonly probes: readonly SandboxProbe[];
  readonly kernel: readonly Probed[];
  readonly selfCheck: SelfCheckResult | CofferdamError | null;
  /** The reason why no sandbox works, or null. */
  readonly problem: string | null;
}

/** Prints a diagnosis: the machine, the launcher, each probe with its fix, the self-check, and a last line. */
export function showDiagnosis(diagnosis: Diagnosis, print: Print): void {
  const { ink } = print;
  for (const line of columns(machineRows(diagnosis), [ink.bold])) print.result(line);
  const { launcher, state, probes, kernel, selfCheck, problem } = diagnosis;
  if (state !== null) showFix(state.message, state.hint ?? "", print);
  if (launcher instanceof CofferdamError) showFix(launcher.message, launcher.hint ?? "", print);
  if (probes.length > 0) printTitle("parts of the sandbox, each tried separately", print);
  const width = Math.max(0, ...probes.map((probe) => probe.name.length));
  for (const probe of probes) showProbe(probe, width, print);
  if (kernel.length > 0) showKernel(kernel, print);
  if (selfCheck instanceof CofferdamError) showFix(selfCheck.message, selfCheck.hint ?? "", print);
  else if (selfCheck !== null) showSelfCheck(selfCheck, print);
  print.result();
  if (problem === null)
    print.result(
      ink.good(
        selfCheck === null
          ? "the sandbox works on this machine; `--attest` also tries attacks"
          : "the sandbox works on this machine, and refused every attack",
      ),
    );
  else print.result(ink.bad(`no sandbox can be built on this machine: ${escapeInvisible(problem)}`));
}

export function diagnosisJson({
  host,
  survey,
  config,
  runAs,
  devices,
  tree,
  launcher,
  state,
  probes,
  kernel,
  selfCheck,
  problem,
}: Diagnosis): unknown {
  const { platform, arch, user, stateFolder } = host;
  const failed = (error: CofferdamError) => ({
    code: error.code,
    message: error.message,
    hint: error.hint ?? null,
  });
  return {
    problem,
    platform,
    arch,
    user,
    home: { path: user.home, because: whyHome(host), others: homesOf(host).slice(1) },
    stateFolder,
    trustFolder: joinPath(stateFolder, "trust"),
    state: state === null ? null : { error: failed(state) },
    ...survey,
    installation: installationJson(host, config instanceof CofferdamError ? [] : config.config.roots),
    config: config instanceof CofferdamError ? { error: failed(config) } : config.config.origin,
    runAs,
    devices,
    tree,
    launcher:
      launcher instanceof CofferdamError
        ? { error: failed(launcher) }
        : { ...launcher, options: [...launcher.options] },
    proxyVariable: proxyVariable(host.env),
    probes,
    kernel,
    battery: selfCheck instanceof CofferdamError ? { error: failed(selfCheck) } : selfCheck,
  };
}

function machineRows(diagnosis: Diagnosis): readonly (readonly string[])[] {
  const { host, survey, config, runAs, devices, launcher } = diagnosis;
  const { platform, arch, user, stateFolder } = host;
  const tools =
    runAs === user.uid
      ? runAs === 0
        ? "as root, limited only by the sandbox"
        : "as the same user"
      : `as user ${runAs}, who owns the writable roots`;
  const stats = statsOf(stateFolder);
  const state = stats === null ? "not created yet" : (stats.mode & 0o777).toString(8).padStart(4, "0");
  return [
    [
      "machine",
      `${platform} ${arch}, kernel ${survey.kernel}${survey.inside.length === 0 ? "" : `, inside ${survey.inside.join(", ")}`}`,
    ],
    ...survey.restrictions.map((line) => ["", line]),
    ["cofferdam", host.installation().folder],
    ...(config instanceof CofferdamError ? [] : installationWords(host, config.config.roots)).map((line) => [
      "",
      line,
    ]),
    ["node", host.installation().node],
    ["user", `${user.name} (${user.uid}); tools run ${tools}`],
    ...homeRows(host),
    ...deviceRows(devices),
    ...limitRows(diagnosis),
    ["state", `${stateFolder} (${state})`],
    ["trust", `${joinPath(stateFolder, "trust")}, one file for each trusted config`],
    ...proxyRows(host),
    ...(survey.leaked.length === 0
      ? []
      : [["inherited", `descriptors ${survey.leaked.join(", ")}, hidden in every sandbox`]]),
    [
      "config",
      config instanceof CofferdamError
        ? `cannot be used: ${config.message}`
        : (config.notes[0] ?? "").replace(/^config: /, ""),
    ],
    ...(config instanceof CofferdamError ? [["", `do: ${config.hint ?? "run `cofferdam check`"}`]] : []),
    [
      "launcher",
      launcher instanceof CofferdamError
        ? "none"
        : `${launcher.path} ${launcher.version}${printOptions(launcher)}`,
    ],
    ...(launcher instanceof CofferdamError || platform !== "linux" ? [] : [perlRow(launcher)]),
  ];
}

/** Features that need perl; everything else works without it. */
function perlRow({ perl }: Launcher): readonly string[] {
  return perl === null
    ? ["perl", `not installed, so commands get no terminal and no network hosts: ${INSTALL_PERL}`]
    : ["perl", `${perl}, for terminals and network hosts`];
}

/** The limits that hold here, and those that would also hold if a cgroup could be created. */
function limitRows({ host, survey, tree, runAs }: Diagnosis): readonly (readonly string[])[] {
  const wanted = [
    { what: "memory of a whole call", bound: tree.memory },
    ...(runAs === 0 ? [{ what: "the number of root's processes", bound: tree.pids }] : []),
  ];
  const held = wanted.filter(({ bound }) => bound.kind === "held").map(({ what }) => what);
  const isEachCounted = runAs !== 0 && host.platform === "linux";
  const others = ["time", "files", "output", ...(isEachCounted ? ["processes"] : [])];
  const version = survey.cgroups === null ? "" : ` v${survey.cgroups}`;
  return [
    ["limits", [...others, ...held.map((what) => `${what} (by a cgroup${version})`)].join(", ")],
    ...wanted.flatMap(({ what, bound }) =>
      bound.kind === "absent"
        ? [["", `not limited: ${what}: ${bound.reason}; ${bound.fix}`]]
        : bound.except === null
          ? []
          : [["", `${what} is not fully limited: ${bound.except}`]],
    ),
  ];
}

/** Nodes that tools cannot change anyway are not mentioned. */
function deviceRows(devices: DeviceNodes): readonly (readonly string[])[] {
  switch (devices.kind) {
    case "host":
      return [];
    case "made":
      return [
        [
          "devices",
          `${statsOf(devices.folder) === null ? "to be created" : "created"} for tools, in ${devices.folder}`,
        ],
      ];
    case "exposed":
      return [["devices", `${HOST_DEVICES}: ${devices.reason}`]];
  }
}

/** Options of newer launchers that make a difference. */
const OF_INTEREST = ["size", "disable-userns", "bind-fd", "overlay"] as const;

function printOptions({ options }: Launcher): string {
  // A launcher that reports no options has none to list.
  if (options.size === 0) return "";
  const [has, lacks] = [
    OF_INTEREST.filter((one) => options.has(one)),
    OF_INTEREST.filter((one) => !options.has(one)),
  ];
  const parts = [
    ...(has.length === 0 ? [] : [`has --${has.join(", --")}`]),
    ...(lacks.length === 0 ? [] : [`no --${lacks.join(", --")}`]),
  ];
  return `; ${parts.join("; ")}`;
}

function showProbe({ name, isNeeded, result }: SandboxProbe, width: number, print: Print): void {
  const { good, bad, warn, dim } = print.ink;
  const label = `  ${name.padEnd(width)}  `;
  switch (result.kind) {
    case "works":
      print.result(`${label}${good("works")}`);
      return;
    case "not-tried":
      print.result(`${label}${warn("not tried")}  ${dim(result.reason)}`);
      return;
    case "fails":
      print.result(`${label}${(isNeeded ? bad : warn)("fails")}`);
      for (const line of columns(
        [
          ["why:", result.failure.cause],
          ["do:", result.failure.fix],
        ],
        [dim],
      ))
        print.result(`      ${line}`);
  }
}

const PROBE_RESULTS = {
  expected: ["as expected", "good"],
  harmless: ["harmless", "good"],
  weaker: ["WEAKER", "warn"],
  problem: ["PROBLEM", "bad"],
  "not-tried": ["not tried", "warn"],
} as const satisfies Record<Probed["standing"], readonly [string, "good" | "warn" | "bad"]>;

/** Minimum duration that is printed, in milliseconds. */
const LONG_MS = 1_000;

function showKernel(kernel: readonly Probed[], print: Print): void {
  printTitle("undocumented behavior of this kernel", print);
  for (const { asks, says, relies, standing, tookMs } of kernel) {
    const [word, ink] = PROBE_RESULTS[standing];
    const took = tookMs < LONG_MS ? "" : ` (took ${(tookMs / 1_000).toFixed(1)} s)`;
    print.result(`  ${print.ink[ink](word.padEnd(11))}  ${asks}: ${escapeInvisible(says)}${took}`);
    if (standing !== "expected") print.result(`               ${print.ink.dim(`sandbox: ${relies}`)}`);
  }
}

function showSelfCheck({ findings, hasShelter, coversLinks }: SelfCheckResult, print: Print): void {
  printTitle("attacks in a real sandbox, and the same actions outside", print);
  const rows = findings.map(({ name, holds, control }) => [
    name,
    holds ? "refused" : "POSSIBLE",
    control ? "possible outside" : "not possible outside either, so it proves nothing",
  ]);
  for (const line of indented(columns(rows, [undefined, undefined, print.ink.dim]))) print.result(line);
  const beside = hasShelter
    ? "in a shelter, where links lead nowhere"
    : "only after that call has ended: this machine allows no launcher inside another";
  print.result(`  a sandbox next to a call that can write the same folders is built ${beside}`);
  const links = coversLinks
    ? "only the link itself is protected"
    : "its whole folder is read-only, as this machine cannot mount on a link (perl, Linux 5.12, a launcher inside another)";
  print.result(`  protected symlink: ${links}`);
}

function showFix(message: string, hint: string, print: Print): void {
  print.result();
  print.result(`${print.ink.bad("problem:")} ${escapeInvisible(message)}`);
  print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(hint)}`);
}
