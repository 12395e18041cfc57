import { printNetwork } from "../profile/in-words.ts";
import { normalNetwork } from "../profile/network.ts";
import { networkFrom } from "../profile/sections.ts";
import type { ShellNetwork } from "./settings.ts";

/** The network of commands in words: the reachable hosts, and whether a person is asked about others. */
export function networkWords(section: ShellNetwork): string {
  const listed = printNetwork(normalNetwork(networkFrom(section)));
  if (typeof section !== "object") return listed;
  const way = section.proxy === "environment" ? ", through the proxy that the environment names" : "";
  return `${listed}${way}${section.ask === "unlisted" ? "; other hosts need approval" : ""}`;
}
