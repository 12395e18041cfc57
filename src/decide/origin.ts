import type { CallOrigin } from "../policy/bound-call.ts";
import { isSecretName } from "../policy/secret-names.ts";
import { secretsIn } from "../policy/secret-shapes.ts";
import { type AbsolutePath, isAbsolutePath } from "../profile/path.ts";
import type { ProgramStart } from "../tool/launch.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The share of this process in a run: its folder, and the passed variables that the run has. The value of a variable
 * whose name or value looks like a secret is left out, because the origin is stored.
 */
export function originOf(
  from: Pick<CallOrigin, "cwd" | "pwd"> | undefined,
  passed: readonly (readonly [name: string, value: string])[],
  env: ProgramStart["env"],
): CallOrigin | null {
  if (from === undefined) return null;
  const taken = passed.filter(([name, value]) => env[name] === value);
  const secrets = new Set(taken.filter(isSecret).map(([name]) => name));
  return {
    ...from,
    env: Object.fromEntries(taken.filter(([name]) => !secrets.has(name))),
    secrets: [...secrets],
  };
}

/** The folder that relative paths start from: that of the process that planned the run, else this one's. */
export function baseOf(origin: CallOrigin | null, own: AbsolutePath): AbsolutePath {
  return origin !== null && isAbsolutePath(origin.cwd) ? origin.cwd : own;
}

/** The caller's variables of a run that another process planned: its values, and of secrets those of this process. */
export function callerEnvUnder({ env, secrets }: CallOrigin, own: Variables): Variables {
  return { ...Object.fromEntries(secrets.map((name) => [name, own[name]])), ...env };
}

function isSecret([name, value]: readonly [name: string, value: string]): boolean {
  return isSecretName(name) || secretsIn(value).length > 0;
}
