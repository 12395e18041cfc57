import { visible } from "../errors.ts";
import type { Comparison, Witness } from "../profile/compare.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { addressClass, printHostRule, type Target } from "../profile/host-rule.ts";
import { printMacosGroup } from "../profile/macos.ts";
import type { Network } from "../profile/network.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";

/**
 * What one profile allows and another does not, in words; for files also how far the other goes. `networks` are those of
 * both.
 */
function printWitness(witness: Witness, networks: readonly Network[]): string {
  switch (witness.field) {
    case "files": {
      const { path, has, limit, facts } = witness;
      const what = facts.kind === "folder" ? "" : ", a file";
      return `${has} ${visible(path)}${what} (${limit === "none" ? "nothing there" : `only ${limit}`} in the other)`;
    }
    case "network": {
      const { target } = witness;
      if (target === "host") return "use the machine's own network";
      const place = visible(printHostRule({ name: target.host, port: target.port, private: false }));
      const hello = target.serverName === undefined ? "" : ", and ask for another host in its TLS hello";
      return `connect ${place}${wayOf(target, networks)}${hello}`;
    }
    case "sockets":
      if (witness.path === "own") return "have unix sockets of its own";
      return witness.path === "any" ? "connect to any unix socket" : `connect ${visible(witness.path)}`;
    case "env":
      return `see the variable ${visible(witness.name)}`;
    case "terminal":
      return "have a terminal of its own";
    case "syscalls":
      return printSyscallGroup(witness.group);
    case "devices":
      return printDeviceGroup(witness.group);
    case "macos":
      return `on macOS ${printMacosGroup(witness.group)}`;
    case "ports":
      return `be reached at the port ${witness.port} of this machine's loopback`;
    case "limits":
      return witness.name === "strict"
        ? "go on where a limit can't be enforced"
        : `use more: ${witness.name}`;
  }
}

/** How it is reached. An address that neither network lists stands for every one of its class: nobody wrote it. */
function wayOf({ address, proxy }: Target, networks: readonly Network[]): string {
  if (proxy !== undefined) return ` by the proxy ${proxy}`;
  const rules = networks.flatMap((one) => (typeof one === "string" ? [] : [...one.hosts, ...one.never]));
  if (rules.some(({ name, at }) => name === address || at === address)) return ` at ${address}`;
  return addressClass(address) === "public" ? "" : " at a private address";
}

/** What makes a comparison come out as wider, in words. `networks` are those of the two profiles. */
export function printWider(
  comparison: Exclude<Comparison, { readonly kind: "within" }>,
  networks: readonly Network[],
): string {
  if (comparison.kind === "exceeds") return printWitness(comparison.witness, networks);
  return `perhaps something that the mask ${visible(comparison.mask.pattern.text)} of the other takes away: the two can't be compared`;
}
