import { CofferdamError } from "../errors.ts";
import { canonicalHost } from "../profile/host-name.ts";
import type { Place } from "../tool/fetch/reach.ts";

/** A host and a port as a program names them, in the one spelling; null for what is no host, or no port. */
export function placeOf(host: string, port: number): Place | null {
  const name = Number.isInteger(port) && port >= 1 && port <= 65_535 ? canonicalName(host) : "";
  return name === "" ? null : { host: name, port };
}

/** Empty for what is no host. */
function canonicalName(host: string): string {
  try {
    return canonicalHost(host);
  } catch (error) {
    if (error instanceof CofferdamError) return "";
    throw error;
  }
}
