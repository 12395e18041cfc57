import type { Position } from "../errors.ts";
import type { Config } from "./config.ts";
import { pathKey, type YamlPath } from "./yaml.ts";

/** Something about a config that loads and yet does not do what it seems to say. An error keeps calls from working. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  readonly at: Position | null;
}

/** Something that works, and not as it seems. */
export function warning(message: string, hint: string, at: Position | null): Finding {
  return { severity: "warning", message, hint, at };
}

/** Where a part of a config stands; null for what is not written. */
export function placeOf(config: Config, path: YamlPath): Position | null {
  return config.positions.get(pathKey(path)) ?? null;
}
