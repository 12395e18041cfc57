import { visible } from "../errors.ts";
import type { Comparison, Witness } from "../profile/compare.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { addressClass, type ConnectTarget, printHostRule } from "../profile/host-rule.ts";
import { printMacosGroup } from "../profile/macos.ts";
import type { Network } from "../profile/network.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";

/** The access that one profile allows and another does not, in words; `networks` are those of both profiles. */
function printWitness(witness: Witness, networks: readonly Network[], there: string): string {
  switch (witness.field) {
    case "files": {
      const { path, has, limit, facts } = witness;
      const what = facts.kind === "folder" ? "" : ", a file";
      return `${has} ${visible(path)}${what} (${limit === "none" ? "nothing there" : `only ${limit}`} ${there})`;
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
        ? "run although a limit can't be enforced"
        : `use more: ${witness.name}`;
  }
}

/** The way to it. An address that neither network lists represents its whole class; no config names it. */
function wayOf({ address, proxy }: ConnectTarget, networks: readonly Network[]): string {
  if (proxy !== undefined) return ` by the proxy ${proxy}`;
  const rules = networks.flatMap((one) => (typeof one === "string" ? [] : [...one.hosts, ...one.never]));
  if (rules.some(({ name, at }) => name === address || at === address)) return ` at ${address}`;
  return addressClass(address) === "public" ? "" : " at a private address";
}

/** The reason why a comparison is wider, in words. `networks` are those of the two profiles; `there` names the other. */
export function printWider(
  comparison: Exclude<Comparison, { readonly kind: "within" }>,
  networks: readonly Network[],
  there = "in the other",
): string {
  if (comparison.kind === "exceeds") return printWitness(comparison.witness, networks, there);
  return `perhaps something that the mask ${visible(comparison.mask.pattern.text)} ${there} removes: the two cannot be compared`;
}
