import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { parseProxy, proxyVariable } from "../profile/upstream.ts";

/** The proxy that the environment names, without its password; it may be the only way out of this machine. */
export function proxyRows({ env }: Pick<Host, "env">): readonly (readonly string[])[] {
  const variable = proxyVariable(env);
  if (variable === null) return [];
  const what =
    "listed hosts are reached by it where the config says `proxy: environment` under `shell.network`";
  try {
    return [["proxy", `${parseProxy(env[variable] ?? "").url}, by ${variable}: ${what}`]];
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    return [["proxy", `${variable} is set, and names none that can be used: ${error.message}`]];
  }
}
