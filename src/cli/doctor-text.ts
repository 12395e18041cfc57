import { HOST_DEVICES } from "../backend/bubblewrap/standings.ts";
import { INSTALL_PERL } from "../backend/bubblewrap/terminal.ts";
import type { DeviceNodes, Facts, Launcher } from "../backend/facts.ts";
import { columns, indented } from "../channel/columns.ts";
import type { Loaded } from "../config/config.ts";
import { installationJson, installationWords } from "../config/installation-words.ts";
import { CofferdamError, escapeInvisible } from "../errors.ts";
import type { Attestation } from "../host/attestation.ts";
import type { Probe, Survey } from "../host/doctor.ts";
import type { Host } from "../host/host.ts";
import type { Probed } from "../host/mac/probes/run.ts";
import { statsOf } from "../host/nodes.ts";
import { homesOf, whyHome } from "../host/user.ts";
import { joinPath } from "../profile/path.ts";
import { proxyVariable } from "../profile/upstream.ts";
import { homeRows } from "./home-rows.ts";
import type { Print } from "./print.ts";
import { proxyRows } from "./proxy-row.ts";

/** What was found out about one machine. */
export interface Diagnosis {
  readonly host: Host;
  readonly survey: Survey;
  readonly config: Loaded | CofferdamError;
  /** Whom tools run as under that config. */
  readonly runAs: number;
  readonly devices: DeviceNodes;
  /** Whether a cgroup can be made for each call. */
  readonly tree: Facts["tree"];
  readonly launcher: Launcher | CofferdamError;
  /** What is wrong with the state folder, or null. */
  readonly state: CofferdamError | null;
  readonly probes: readonly Probe[];
  /** What the kernel was found to do, where that is not written down. */
  readonly kernel: readonly Probed[];
  readonly battery: Attestation | CofferdamError | null;
  /** Why the walls can't be had, or null. */
  readonly problem: string | null;
}

/** Prints a diagnosis: the machine, the launcher, each probe with its fix, the battery, and one line to end with. */
export function showDiagnosis(diagnosis: Diagnosis, print: Print): void {
  const { ink } = print;
  for (const line of columns(machineRows(diagnosis), [ink.bold])) print.result(line);
  const { launcher, state, probes, kernel, battery, problem } = diagnosis;
  if (state !== null) showFix(state.message, state.hint ?? "", print);
  if (launcher instanceof CofferdamError) showFix(launcher.message, launcher.hint ?? "", print);
  if (probes.length > 0) title("each part of a sandbox, tried by itself", print);
  const width = Math.max(0, ...probes.map((probe) => probe.name.length));
  for (const probe of probes) showProbe(probe, width, print);
  if (kernel.length > 0) showKernel(kernel, print);
  if (battery instanceof CofferdamError) showFix(battery.message, battery.hint ?? "", print);
  else if (battery !== null) showBattery(battery, print);
  print.result();
  if (problem === null)
    print.result(
      ink.good(
        battery === null
          ? "the walls can be had here; `--attest` tries attacks on them"
          : "the walls stand here",
      ),
    );
  else print.result(ink.bad(`no walls can be had here: ${escapeInvisible(problem)}`));
}

/** A diagnosis as JSON. */
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
  battery,
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
    battery: battery instanceof CofferdamError ? { error: failed(battery) } : battery,
  };
}

function machineRows(diagnosis: Diagnosis): readonly (readonly string[])[] {
  const { host, survey, config, runAs, devices, launcher } = diagnosis;
  const { platform, arch, user, stateFolder } = host;
  const tools =
    runAs === user.uid
      ? runAs === 0
        ? "as root, bounded by the walls alone"
        : "as the same user"
      : `as user ${runAs}, who owns the writable roots`;
  const stats = statsOf(stateFolder);
  const state = stats === null ? "not made yet" : (stats.mode & 0o777).toString(8).padStart(4, "0");
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
      : [["inherited", `descriptors ${survey.leaked.join(", ")}, covered in every sandbox`]]),
    [
      "config",
      config instanceof CofferdamError
        ? `cannot be used: ${config.message}`
        : (config.notes[0] ?? "").replace(/^config: /, ""),
    ],
    [
      "launcher",
      launcher instanceof CofferdamError
        ? "none"
        : `${launcher.path} ${launcher.version}${printOptions(launcher)}`,
    ],
    ...(launcher instanceof CofferdamError || platform !== "linux" ? [] : [perlRow(launcher)]),
  ];
}

/** What depends on perl: without it there is all else. */
function perlRow({ perl }: Launcher): readonly string[] {
  return perl === null
    ? ["perl", `none, so no terminals of their own for commands, and no hosts by name: ${INSTALL_PERL}`]
    : ["perl", `${perl}, for terminals of their own and the way to hosts by name`];
}

/** What limits hold here, and of which they would speak too if a cgroup could be made. */
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
        ? [["", `not ${what}: ${bound.reason}; ${bound.fix}`]]
        : bound.except === null
          ? []
          : [["", `${what} is not bounded in full: ${bound.except}`]],
    ),
  ];
}

/** Nothing is said of nodes that tools can't change anyway. */
function deviceRows(devices: DeviceNodes): readonly (readonly string[])[] {
  switch (devices.kind) {
    case "host":
      return [];
    case "made":
      return [
        [
          "devices",
          `${statsOf(devices.folder) === null ? "to be made" : "made"} for tools, in ${devices.folder}`,
        ],
      ];
    case "exposed":
      return [["devices", `${HOST_DEVICES}: ${devices.reason}`]];
  }
}

/** Options that newer launchers have and that make a difference. */
const OF_INTEREST = ["size", "disable-userns", "bind-fd", "overlay"] as const;

function printOptions({ options }: Launcher): string {
  // One that says of none has none to choose from.
  if (options.size === 0) return "";
  const [has, lacks] = [
    OF_INTEREST.filter((one) => options.has(one)),
    OF_INTEREST.filter((one) => !options.has(one)),
  ];
  const told = [
    ...(has.length === 0 ? [] : [`has --${has.join(", --")}`]),
    ...(lacks.length === 0 ? [] : [`no --${lacks.join(", --")}`]),
  ];
  return `; ${told.join("; ")}`;
}

function showProbe({ name, isNeeded, result }: Probe, width: number, print: Print): void {
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

/** In one word each, and how bad it is. */
const STANDINGS = {
  expected: ["as expected", "good"],
  harmless: ["harmless", "good"],
  weaker: ["WEAKER", "warn"],
  problem: ["PROBLEM", "bad"],
  "not-tried": ["not tried", "warn"],
} as const satisfies Record<Probed["standing"], readonly [string, "good" | "warn" | "bad"]>;

/** Something that took so long is told, in milliseconds. */
const LONG_MS = 1_000;

/** Every answer; beside those that are not as expected, what depends on them. */
function showKernel(kernel: readonly Probed[], print: Print): void {
  title("what this kernel does, where that is not written down", print);
  for (const { asks, says, relies, standing, tookMs } of kernel) {
    const [word, ink] = STANDINGS[standing];
    const took = tookMs < LONG_MS ? "" : ` (took ${(tookMs / 1_000).toFixed(1)} s)`;
    print.result(`  ${print.ink[ink](word.padEnd(11))}  ${asks}: ${escapeInvisible(says)}${took}`);
    if (standing !== "expected") print.result(`               ${print.ink.dim(`walls: ${relies}`)}`);
  }
}

function showBattery({ findings, hasShelter, coversLinks }: Attestation, print: Print): void {
  title("attacks in a real sandbox, and the same outside of it", print);
  const rows = findings.map(({ name, holds, control }) => [
    name,
    holds ? "refused" : "POSSIBLE",
    control ? "possible outside" : "not possible outside either, so it proves nothing",
  ]);
  for (const line of indented(columns(rows, [undefined, undefined, print.ink.dim]))) print.result(line);
  const beside = hasShelter
    ? "in a shelter, where links lead nowhere"
    : "only when that one has ended: no launcher may run inside another here";
  print.result(`  walls beside another call that may write there are built ${beside}`);
  const links = coversLinks
    ? "the link alone is held"
    : "its folder is read-only: a mount can't be put on a link here (perl, Linux 5.12, a launcher inside another)";
  print.result(`  of a protected symlink ${links}`);
}

function showFix(message: string, hint: string, print: Print): void {
  print.result();
  print.result(`${print.ink.bad("problem:")} ${escapeInvisible(message)}`);
  print.result(`  ${print.ink.dim("do:")} ${escapeInvisible(hint)}`);
}

function title(text: string, print: Print): void {
  print.result();
  print.result(print.ink.bold(text));
}
