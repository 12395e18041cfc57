import type { SupervisorOptions } from "../../../src/index.ts";
import type { Settings } from "../battery/place.ts";
import { ASKS, Fates } from "./fates.ts";

/** Variables of a process. */
export type Variables = Readonly<Record<string, string>>;

/** The config that passes what tells processes apart: terminals, servers and workers. */
export const PASSED = ["LANG", "LC_*", "TERM", "TZ", "FLAVOUR", "API_TOKEN"];
export const PASSES: Settings = { ...ASKS, sandbox: { env: { pass: PASSED } } };

/** The process that asks, and the one that uses the answer. */
export const ASKER: Variables = {
  TERM: "xterm-256color",
  TZ: "Asia/Tokyo",
  LANG: "C.UTF-8",
  FLAVOUR: "a=b 'c' \"d\"",
};
export const OTHER: Variables = { TERM: "dumb", TZ: "UTC", LC_TIME: "C" };

/** Each process of these fates has the variables of that moment, and none of those that the tests' own process has. */
export class Elsewhere extends Fates {
  env: Variables = ASKER;

  override supervisor(settings: Settings = PASSES, more: SupervisorOptions = {}) {
    const host = this.place.host();
    const own = Object.entries(host.env).filter(([name]) => !/^(LANG|LC_.*|TERM|TZ|PWD)$/.test(name));
    return super.supervisor(settings, {
      host: { ...host, env: { ...Object.fromEntries(own), ...this.env } },
      ...more,
    });
  }
}

/** The variables that `env` printed. */
export function variablesIn(printed: string): Variables {
  const lines = printed.split("\n").filter((line) => line.includes("="));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
