import { CofferdamError } from "../errors.ts";
import { canonicalHost } from "../profile/host-name.ts";
import type { HostAndPort } from "../tool/fetch/reach.ts";

/** A host and a port as named by a program, in canonical spelling; null if either is invalid. */
export function placeOf(host: string, port: number): HostAndPort | null {
  const name = Number.isInteger(port) && port >= 1 && port <= 65_535 ? canonicalName(host) : "";
  return name === "" ? null : { host: name, port };
}

/** Empty for an invalid host. */
function canonicalName(host: string): string {
  try {
    return canonicalHost(host);
  } catch (error) {
    if (error instanceof CofferdamError) return "";
    throw error;
  }
}
