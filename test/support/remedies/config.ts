import { writeFileSync } from "node:fs";
import { findings } from "../../../src/config/check.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { proxyFindings } from "../../../src/config/proxy-findings.ts";
import type { Host } from "../../../src/host/look/host.ts";
import type { Machine } from "../../unit/config/machine.ts";
import type { Situation } from "./row.ts";

export const CONFIG = "home/ann/project/cofferdam.yaml";
export const PROFILE = "home/ann/.config/cofferdam/profiles.d/own.yaml";

/** `HOME` stands for the machine's home. */
type Text = string | ((told: string, at: Machine) => string);

/** What else there is beside the config. */
interface Beside {
  /** Files by their path from the machine's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** What an operator's profile says. */
  readonly profile?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A config with this text, loaded and looked through as `cofferdam check` does. Without `sandbox:` it asks for no programs. */
export const config =
  (text: Text, { files = {}, profile, env }: Beside = {}): Situation =>
  (at, told) => {
    const written = typeof text === "string" ? text : text(told, at);
    const sandbox = /^sandbox:/m.test(written) ? "" : "sandbox: { runtimes: [] }\n";
    at.write({
      ...files,
      ...(profile === undefined ? {} : { [PROFILE]: `profile: own\n${profile}\n` }),
      [CONFIG]: `version: 1\n${sandbox}${written.replaceAll("HOME", at.home)}\n`,
    });
    return checked(at, env === undefined ? {} : { env });
  };

/** A config that asks for nothing, below an operator's profile with this text. */
export const operator = (profile: string, beside: Beside = {}): Situation =>
  config("", { ...beside, profile });

/** What is told to do about the machine's config, errors and warnings. */
export function checked(at: Machine, more: Partial<Host> = {}): readonly string[] {
  const host = { ...at.host, ...more };
  const loaded = loadConfig(host, { config: at.at(CONFIG) });
  return [...findings(loaded), ...proxyFindings(host, loaded)].map(({ hint }) => hint);
}

/** A config of just this text, or of these bytes behind it. */
export const file =
  (text: Text, bytes: readonly number[] = []): Situation =>
  (at, told) => {
    at.write({ [CONFIG]: "" });
    const written = Buffer.from(typeof text === "string" ? text : text(told, at));
    writeFileSync(at.at(CONFIG), Buffer.concat([written, Buffer.from(bytes)]));
    return checked(at);
  };
