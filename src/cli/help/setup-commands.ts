import { CONFIG_OPTIONS, type CommandHelp, JSON_OPTION } from "./command-help.ts";

/** Commands that make a config usable. */
export const SETUP_COMMANDS = {
  init: {
    group: "Set up",
    purpose: "write a starter config for the current folder",
    usage: "init [OPTIONS]",
    notes: [
      "The file is `cofferdam.yaml`. It lists this folder, the runtimes of the project's languages and a few shell rules, with comments. An existing file is never overwritten.",
    ],
    options: {
      Config: [["--profile NAME", "list this operator profile in the file; repeatable", "profile"]],
      Output: [JSON_OPTION],
    },
    examples: ["cofferdam init", "cofferdam init --profile no-network"],
  },
  trust: {
    group: "Set up",
    purpose: "show what a config allows, and trust it",
    usage: "trust [OPTIONS] [FILE]",
    notes: [
      "Without FILE, cofferdam uses the nearest `cofferdam.yaml`. A config is not used until you trust it. Any change to the file requires trusting it again.",
      "Running sessions take a trusted change over before their next call. A change that is not trusted can only restrict them. `--revoke` stops what runs by the config.",
    ],
    words: "file",
    options: {
      Action: [
        ["--yes", "trust the config without asking"],
        ["--list", "list the trusted configs, and the processes that run by them"],
        ["--revoke FILE", "stop trusting this config", "file"],
      ],
      Output: [JSON_OPTION],
    },
    examples: ["cofferdam trust", "cofferdam trust --list"],
  },
  check: {
    group: "Set up",
    purpose: "check the config and its profiles without running anything",
    usage: "check [OPTIONS]",
    notes: [
      "Reports syntax errors, rules that never apply, paths that masks hide or protect, and the size of the sandbox plan. A config that is not trusted yet is checked too. Exits with 65 if it finds an error.",
    ],
    options: { Config: CONFIG_OPTIONS, Output: [JSON_OPTION] },
    examples: ["cofferdam check", "cofferdam check --profile strict"],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;
