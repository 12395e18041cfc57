import { printHostRule } from "./host-rule.ts";
import { LIMITS, type LimitName, type Limits } from "./limits.ts";
import type { Network } from "./network.ts";
import { printDuration, printSize } from "./quantity.ts";
import type { Proxies } from "./upstream.ts";

/** A network in one word, or its hosts. */
export function printNetwork(network: Network): string {
  switch (network) {
    case "none":
      return "none";
    case "open":
      return "every public address, through the proxy";
    case "host":
      return "the machine's own";
    default:
      return [
        ...network.hosts.map(printHostRule),
        ...network.never.map((rule) => `never ${printHostRule(rule)}`),
        ...(network.strictSni === true ? ["strict_sni"] : []),
        ...proxyWords(network.proxies),
      ].join(", ");
  }
}

/** The proxies for names, in words; empty if there are none. */
export function proxyWords(proxies: Proxies | undefined): readonly string[] {
  if (proxies === undefined) return [];
  return [proxies === "any" ? "through any proxy" : `through the proxy ${proxies.join(" or ")}`];
}

/** Each limit in words: `wall 2m`. */
export function printLimits(limits: Limits): readonly string[] {
  const given = LIMITS.flatMap((name) => {
    const value = limits[name];
    return value === undefined ? [] : [`${LIMIT_WORDS[name]} ${printLimit(name, value)}`];
  });
  return limits.strict === true ? [...given, "strict"] : given;
}

const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  wallMs: "wall",
  cpuSeconds: "cpu",
  memoryBytes: "memory",
  processes: "processes",
  fileBytes: "file_size",
  openFiles: "open_files",
  outputBytes: "output",
  scratchBytes: "scratch",
  sharedMemoryBytes: "shared_memory",
  connections: "connections",
  transferBytes: "transfer",
  connectionMs: "connection_time",
};

function printLimit(name: LimitName, value: number): string {
  if (name === "wallMs" || name === "connectionMs") return printDuration(value);
  if (name === "cpuSeconds") return printDuration(value * 1000);
  return name.endsWith("Bytes") ? printSize(value) : String(value);
}
