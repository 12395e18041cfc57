import { printNetwork } from "../profile/in-words.ts";
import { normalNetwork } from "../profile/network.ts";
import { networkFrom } from "../profile/sections.ts";
import type { ShellNetwork } from "./settings.ts";

/** The network of commands in words: what they reach, and whether somebody is asked about other hosts. */
export function networkWords(section: ShellNetwork): string {
  const listed = printNetwork(normalNetwork(networkFrom(section)));
  if (typeof section !== "object") return listed;
  const way = section.proxy === "environment" ? ", by the proxy that the environment names" : "";
  return `${listed}${way}${section.ask === "unlisted" ? "; others are asked about" : ""}`;
}
