import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { renderBubblewrap } from "../backend/bubblewrap/render.ts";
import type { Protection } from "../backend/plan.ts";
import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import { normalProfile } from "../profile/profile.ts";
import type { Runtime } from "../tool/facts.ts";
import type { Found } from "./attestation.ts";
import { coversLinks } from "./covers-links.ts";
import { FactsMemory, lookUpFacts, type StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import { sweepUnfinished } from "./lock.ts";
import { printProcess, thisProcess } from "./process-id.ts";
import { run } from "./run.ts";
import { hasShelter } from "./shelter.ts";
import { lookAtSurroundings } from "./surroundings.ts";
import { trialAnswers, trialScript } from "./trial-script.ts";

/** An attack the battery tries: a line of POSIX shell that prints `y` when it succeeds. */
interface Attack {
  readonly name: string;
  readonly protection: Protection;
  readonly inside: string;
  readonly control: () => boolean;
}

/**
 * Tries each attack in a real sandbox of bubblewrap. Throws `SANDBOX_UNAVAILABLE` when none can be started at all.
 */
export async function battery(host: Host, standing: StandingFacts, system: Runtime): Promise<Found> {
  mkdirSync(host.stateFolder, { recursive: true, mode: 0o700 });
  // Whoever is killed here remembers nothing, so that the next one comes here too, and finds what was left.
  sweepUnfinished(joinPath(host.stateFolder, "attest"));
  const own = joinPath(host.stateFolder, `attest.${printProcess(thisProcess())}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const folder = knownPath(mkdtempSync(joinPath(own, "canary-")));
  try {
    const canary = joinPath(folder, "canary");
    const secret = randomBytes(16).toString("hex");
    writeFileSync(canary, secret);
    const attacks = attacksOn(canary, secret, standing);
    const script = trialScript(attacks.map(({ inside }) => inside));
    const [answers, isSheltered, isCovering] = await Promise.all([
      runInside(host, standing, system, script),
      hasShelter(standing, folder),
      coversLinks(host, standing, folder),
    ]);
    if (answers.length !== attacks.length)
      throw new CofferdamError("SANDBOX_UNAVAILABLE", "the battery did not run to its end", {
        hint: "run `cofferdam doctor`",
      });
    const isWritten = readFileSync(canary, "utf8") !== secret;
    const findings = attacks.map(({ name, protection, control }, index) => ({
      name,
      protection,
      holds: answers[index] === false && !isWritten,
      control: control(),
    }));
    return { findings, hasShelter: isSheltered, coversLinks: isCovering };
  } finally {
    rmSync(folder, { recursive: true });
    if (readdirSync(own).length === 0) rmdirSync(own);
  }
}

/** Each attack with a control that does the same outside, so that a refusal inside is the sandbox's doing. */
function attacksOn(
  canary: AbsolutePath,
  secret: string,
  { devices, launcher }: StandingFacts,
): readonly Attack[] {
  const sysctl = "/proc/sys/kernel/printk_ratelimit";
  return [
    {
      name: "read a file that is not granted",
      protection: "files",
      inside: `IFS= read -r x < ${canary} || [ -n "$x" ]`,
      control: () => readFileSync(canary, "utf8") === secret,
    },
    {
      name: "write a file that is not granted",
      protection: "files",
      inside: `echo x > ${canary}`,
      control: () => (statSync(canary).mode & 0o200) !== 0,
    },
    {
      name: "write into the base",
      protection: "files",
      inside: ": > /cofferdam-attack",
      control: () => true,
    },
    {
      name: "set a kernel variable",
      protection: "capabilities",
      inside: `read -r v < ${sysctl} && echo "$v" > ${sysctl}`,
      control: () => statSync(sysctl).isFile(),
    },
    {
      name: "remount the base writable",
      protection: "capabilities",
      inside: "mount -o remount,rw /",
      control: () => isInstalled("mount"),
    },
    {
      name: "make a user namespace",
      protection: "capabilities",
      inside: "unshare -U true",
      control: () => isInstalled("unshare"),
    },
    {
      name: "see a process of the host",
      protection: "processes",
      inside: `[ -e /proc/${process.pid} ] && [ "$(cat /proc/${process.pid}/comm)" = "$(printf %s '${commOf()}')" ]`,
      control: () => commOf() !== "",
    },
    {
      name: "reach a network of the host",
      protection: "network",
      inside: `grep -v -e lo: -e '|' /proc/net/dev`,
      control: () => /:/.test(readFileSync("/proc/net/dev", "utf8")),
    },
    attackOnMode("the program of the first process", "/proc/1/exe", launcher.shell),
    // Where none were made, a plan says so itself.
    ...(devices.kind === "made" ? [attackOnMode("a device of the host", "/dev/null", "/dev/null")] : []),
  ];
}

/** The mode stays what it is, also where the attack succeeds. Only its owner, outside, could change it. */
function attackOnMode(what: string, path: string, outside: string): Attack {
  return {
    name: `change the mode of ${what}`,
    protection: "files",
    inside: `m=$(stat -Lc %a ${path}) && chmod "$m" ${path}`,
    control: () => statSync(outside).uid === process.getuid?.(),
  };
}

function isInstalled(name: string): boolean {
  return existsSync(`/usr/bin/${name}`) || existsSync(`/bin/${name}`);
}

function commOf(): string {
  return readFileSync("/proc/self/comm", "utf8")
    .trim()
    .replace(/[^\w.-]/g, "");
}

async function runInside(
  host: Host,
  standing: StandingFacts,
  system: Runtime,
  script: string,
): Promise<readonly boolean[]> {
  const profile = normalProfile({
    files: system.read.map((path) => ({ path, access: "read", suffixes: "any" })),
  });
  const facts = await lookUpFacts(host, standing, [profile], new FactsMemory());
  const launch = {
    argv: [standing.launcher.shell, "-c", script],
    cwd: knownPath("/tmp"),
    env: { PATH: system.path.join(":") },
  } as const;
  const rendering = renderBubblewrap(profile, launch, facts);
  if (rendering.kind === "refusal")
    throw new CofferdamError("SANDBOX_UNAVAILABLE", rendering.refusal.reason, {
      hint: rendering.refusal.remedy,
    });
  using surroundings = await lookAtSurroundings(standing.launcher.shell);
  const runAs = standing.user.isCaller ? null : standing.user;
  const ended = await run(rendering.plan, {
    stdin: null,
    wallMs: 20_000,
    outputBytes: 65_536,
    sinks: null,
    signal: null,
    runAs,
    surroundings,
    onProven: null,
  });
  return trialAnswers(ended.stdout.bytes.toString());
}
