import { CONFIG_OPTIONS, type CommandHelp, JSON_OPTION } from "./command-help.ts";

/** Commands about this machine, and about the command line itself. */
export const MACHINE_COMMANDS = {
  doctor: {
    group: "This machine",
    purpose: "show what this machine can enforce, and how to fix problems",
    usage: "doctor [OPTIONS]",
    notes: [
      "Tries each part of the sandbox separately. For each part that fails, it prints the cause and the fix. Exits with 69 if no sandbox can be built or an attack succeeds.",
    ],
    options: {
      Test: [["--attest", "try attacks in a real sandbox; on macOS, also save the results"]],
      Config: CONFIG_OPTIONS,
      Output: [JSON_OPTION],
    },
    examples: ["cofferdam doctor", "cofferdam doctor --attest"],
  },
  selftest: {
    group: "This machine",
    purpose: "try attacks against the sandbox on this machine",
    usage: "selftest [OPTIONS]",
    notes: [
      "Each attack runs in a real call, in temporary folders. Each has a control: the same action where it is allowed, or outside the sandbox. Exits with 69 if an attack succeeds or a control fails.",
    ],
    options: { Output: [["--all", "list every attack, not only the problems"], JSON_OPTION] },
    examples: ["cofferdam selftest"],
  },
  help: {
    group: "Help",
    purpose: "show help on a command or a topic",
    usage: "help [COMMAND|TOPIC]",
    notes: ["Without an argument, lists all commands and topics."],
    options: { Options: [] },
    examples: ["cofferdam help run", "cofferdam help exit-codes"],
  },
  completion: {
    group: "Help",
    purpose: "print a completion script for bash, zsh or fish",
    usage: "completion bash|zsh|fish",
    notes: [
      "To install it for bash, write the script to ~/.local/share/bash-completion/completions/cofferdam. The package bash-completion must be installed.",
      "For zsh, write it to a file `_cofferdam` in a folder of $fpath, and run `compinit`.",
      "For fish, write it to ~/.config/fish/completions/cofferdam.fish.",
      "Open a new shell afterwards. To try it in the current bash or zsh, use the first or second example.",
    ],
    actions: [
      ["bash", "print the script for bash 3.2 or newer"],
      ["zsh", "print the script for zsh 5 or newer"],
      ["fish", "print the script for fish 3 or newer"],
    ],
    options: { Options: [] },
    examples: [
      'eval "$(cofferdam completion bash)"',
      "source <(cofferdam completion zsh)",
      "cofferdam completion fish >~/.config/fish/completions/cofferdam.fish",
    ],
  },
} as const satisfies Readonly<Record<string, CommandHelp>>;
