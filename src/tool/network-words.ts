import { printNetwork } from "../profile/in-words.ts";
import { normalNetwork } from "../profile/network.ts";
import { networkFrom } from "../profile/sections.ts";
import type { ShellNetwork } from "./settings.ts";

/** The network of commands in words: what they reach, and whether somebody is asked about other hosts. */
export function networkWords(section: ShellNetwork): string {
  const listed = printNetwork(normalNetwork(networkFrom(section)));
  const isAsked = typeof section === "object" && section.ask === "unlisted";
  return isAsked ? `${listed}; others are asked about` : listed;
}
