import type { Position } from "../errors.ts";
import type { Config } from "./config.ts";
import { pathKey, type YamlPath } from "./yaml.ts";

/** A part of a valid config that does not have the apparent effect. An error keeps calls from working. */
export interface ConfigFinding {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  readonly at: Position | null;
}

/** A finding about a part that works, but not as it seems. */
export function warning(message: string, hint: string, at: Position | null): ConfigFinding {
  return { severity: "warning", message, hint, at };
}

/** A finding about a part that keeps calls from working. */
export function failure(message: string, hint: string, at: Position | null): ConfigFinding {
  return { severity: "error", message, hint, at };
}

/** The position of a part of a config; null if it is not written. */
export function placeOf(config: Config, path: YamlPath): Position | null {
  return config.positions.get(pathKey(path)) ?? null;
}
