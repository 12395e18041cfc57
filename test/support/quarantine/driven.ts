import { spawnSync } from "node:child_process";
import { CALLER, checkoutFor, compileCacheFor, type Person, runFile } from "../battery/people.ts";

/** How a driver is run: as whom, and after which commands in a mount namespace of its own; those take root. */
export interface Driving {
  readonly person?: Person;
  readonly mounting?: string;
}

/** Runs the driver of quarantines in a process of its own; what it printed, line by line. */
export function driven(
  words: readonly string[],
  { person = CALLER, mounting }: Driving = {},
): readonly string[] {
  const { uid, gid } = person;
  const driver = [...runFile(checkoutFor(person), "quarantine-driver.ts"), ...words];
  const become =
    uid === 0 ? [] : ["/usr/bin/setpriv", "--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups", "--"];
  const [program = "", ...others] =
    mounting === undefined
      ? driver
      : ["/usr/bin/unshare", "-m", "/bin/sh", "-c", `${mounting} && exec "$@"`, "sh", ...become, ...driver];
  const { status, stdout, stderr } = spawnSync(program, others, {
    ...(mounting === undefined ? person.runAs : {}),
    cwd: "/",
    encoding: "utf8",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE_COMPILE_CACHE: compileCacheFor(person) },
  });
  if (status !== 0) throw new Error(`the driver ended with ${status}: ${stderr}${stdout}`);
  return stdout.trimEnd().split("\n");
}

/** Has a quarantine in a process of its own do these steps; what came of each. */
export function done(
  state: string,
  steps: readonly (readonly string[])[],
  driving?: Driving,
): readonly unknown[] {
  return driven(["do", state, ...steps.map((step) => JSON.stringify(step))], driving).map((line) =>
    JSON.parse(line),
  );
}
