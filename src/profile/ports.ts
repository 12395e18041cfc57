import { z } from "zod";

/** The lowest port open to every user (ip(7), `ip_unprivileged_port_start`), and the highest port. */
const [LOWEST, HIGHEST] = [1024, 65_535] as const;

/** A port of this machine's loopback that may lead into a call. */
export const Port = z
  .int({ error: `a port is a whole number from ${LOWEST} to ${HIGHEST}` })
  .min(LOWEST, `a port is a whole number from ${LOWEST} to ${HIGHEST}`)
  .max(HIGHEST, `a port is a whole number from ${LOWEST} to ${HIGHEST}`);

/** `ports:` in YAML, and in calls: ports by their numbers, none in an empty list. */
export const PortsSection = z.array(Port).max(64);

/** Ports of this machine's loopback that lead to a server inside on the same port, from this machine only. */
export type Ports = "any" | readonly number[];

/** Listed ports in order, each once. */
export function normalPorts(ports: Ports): Ports {
  return ports === "any" ? ports : [...new Set(ports)].sort((a, b) => a - b);
}

/** The ports that both allow. */
export function meetPorts(a: Ports, b: Ports): Ports {
  if (a === "any") return b;
  return a.filter((port) => isPortIn(b, port));
}

export function listedPorts(ports: Ports): readonly number[] {
  return ports === "any" ? [] : ports;
}

/** True if the port may lead into a call. */
export function isPortIn(ports: Ports, port: number): boolean {
  return ports === "any" || ports.includes(port);
}

/** A port that `a` allows and `b` does not; null if there is none. */
export function portOutside(a: Ports, b: Ports): number | null {
  if (a !== "any") return a.find((port) => !isPortIn(b, port)) ?? null;
  for (let port: number = LOWEST; port <= HIGHEST; port += 1) if (!isPortIn(b, port)) return port;
  return null;
}

/** Ports in words: `5173, 8080`. */
export function printPorts(ports: Ports): string {
  return ports === "any" ? "any" : ports.join(", ");
}
