import { readFileSync } from "node:fs";
import { BlockList, isIPv4 } from "node:net";
import { codeOf } from "../system-error.ts";

/**
 * True if a route alone makes an address this machine's own (ip-route(8), type `local`), by the kernel's tables of the
 * last second; false without tables, as on macOS. Throws the error of a table that exists but can't be read.
 */
export function isRoutedHere(address: string): boolean {
  return isIPv4(address) ? ROUTES.ipv4().check(address, "ipv4") : ROUTES.ipv6().check(address, "ipv6");
}

/**
 * The networks of type `local` in the table `local` of `/proc/net/fib_trie`
 * (https://docs.kernel.org/networking/fib_trie.html). Other tables have such routes for marked packets, as those to a
 * transparent proxy.
 */
function localNetworks(trie: string): BlockList {
  const networks = new BlockList();
  const [, tables = ""] = `\n${trie}`.split("\nLocal:\n");
  let network = "";
  for (const line of tables.split("\n")) {
    if (line !== "" && !line.startsWith(" ")) break;
    network = /^ *\|-- (\S+)$/.exec(line)?.[1] ?? network;
    const length = /^ *\/(\d+) \S+ LOCAL\b/.exec(line)?.[1];
    if (length !== undefined) networks.addSubnet(network, Number(length), "ipv4");
  }
  return networks;
}

/** `RTF_LOCAL` of linux/ipv6_route.h, in the highest of eight hexadecimal digits. */
const LOCAL_FLAG = 0x8;

/**
 * The networks in `/proc/net/ipv6_route`: network, length of its prefix, and so on to the flags, all hexadecimal. It
 * doesn't distinguish the tables; a route for everything is not of the table `local`.
 */
function localNetworks6(routes: string): BlockList {
  const networks = new BlockList();
  for (const line of routes.split("\n")) {
    const [network = "", length = "", , , , , , , flags = ""] = line.split(" ");
    const bits = Number.parseInt(length, 16);
    if (bits > 0 && (Number.parseInt(flags.charAt(0), 16) & LOCAL_FLAG) !== 0)
      networks.addSubnet(network.replace(/(?<=.)(?=(?:.{4})+$)/g, ":"), bits, "ipv6");
  }
  return networks;
}

/** Milliseconds for which a table that was read counts: a name may lead to many addresses, a table have many routes. */
const FRESH_MS = 1000;

function tableAt(path: string, networksOf: (table: string) => BlockList): () => BlockList {
  let [networks, readAt] = [new BlockList(), -Infinity];
  return () => {
    const now = performance.now();
    if (now - readAt > FRESH_MS) [networks, readAt] = [networksOf(readTable(path)), now];
    return networks;
  };
}

function readTable(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

const ROUTES = {
  ipv4: tableAt("/proc/net/fib_trie", localNetworks),
  ipv6: tableAt("/proc/net/ipv6_route", localNetworks6),
};
