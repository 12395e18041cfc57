import { intersect } from "../profile/intersect.ts";
import type { Needs, ToolSettings } from "../tool/derive.ts";
import type { Runtime } from "../tool/facts.ts";
import { mayPass } from "../tool/obeyed-names.ts";
import { type CallPolicy, cutDown, type ToolAccess } from "./call-policy.ts";

/**
 * The meet of the trusted policy and of the policy of a changed config: no call gets more than either grants, and the
 * rules of both apply. `around` has the config and the ceiling of both.
 */
export function meetPolicies(
  trusted: CallPolicy,
  changed: CallPolicy,
  { config, ceiling }: Pick<CallPolicy, "config" | "ceiling">,
): CallPolicy {
  const met = (a: ToolAccess, b: ToolAccess): ToolAccess => cutDown(meetNeeds(a.needs, b.needs), ceiling);
  return {
    ...trusted,
    settings: meetSettings(trusted.settings, changed.settings),
    config,
    ceiling,
    ...met(trusted, changed),
    files: {
      reading: met(trusted.files.reading, changed.files.reading),
      writing: met(trusted.files.writing, changed.files.writing),
    },
    meetOf: [trusted, changed],
  };
}

/** The policies whose rules apply to each call: one, or two while a changed config is not trusted. */
export function rulesIn(policy: CallPolicy): readonly [CallPolicy, ...CallPolicy[]] {
  return policy.meetOf ?? [policy];
}

function meetNeeds(a: Needs, b: Needs): Needs {
  return {
    withoutApproval: intersect(a.withoutApproval, b.withoutApproval),
    withApproval: intersect(a.withApproval, b.withApproval),
  };
}

/** The trusted settings, without runtimes and variables that the changed config does not list. */
function meetSettings(trusted: ToolSettings, changed: ToolSettings): ToolSettings {
  const { env } = trusted.sandbox;
  const pass = env.pass.filter((name) => name.includes("*") || mayPass(changed.sandbox.env.pass, name));
  return {
    ...trusted,
    runtimes: trusted.runtimes.flatMap((runtime) => meetRuntime(runtime, changed.runtimes) ?? []),
    sandbox: { ...trusted.sandbox, env: { ...env, pass } },
    ownFiles: [...new Set([...trusted.ownFiles, ...changed.ownFiles])],
  };
}

/** A runtime that both list, with the folders of both: a program outside of them is not found. */
function meetRuntime(runtime: Runtime, others: readonly Runtime[]): Runtime | null {
  const other = others.find(({ name }) => name === runtime.name);
  if (other === undefined) return null;
  const read = runtime.read.filter((path) => other.read.includes(path));
  const path = runtime.path.filter((folder) => other.path.includes(folder));
  return { ...runtime, read, path };
}
