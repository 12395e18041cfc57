import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { parseProxy, proxyVariable } from "../profile/upstream.ts";

/** The proxy that the environment names, without its password. It may be the only way out of this machine. */
export function proxyRows({ env }: Pick<Host, "env">): readonly (readonly string[])[] {
  const variable = proxyVariable(env);
  if (variable === null) return [];
  const what = "used for listed hosts if the config has `proxy: environment` under `shell.network`";
  try {
    return [["proxy", `${parseProxy(env[variable] ?? "").url}, from ${variable}: ${what}`]];
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return [["proxy", `${variable} is set to an invalid proxy: ${error.message}`]];
  }
}
