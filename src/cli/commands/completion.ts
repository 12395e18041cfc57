import { shippedNames } from "../../config/shipped.ts";
import { knownWord, parseWords, readArguments } from "../arguments.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import type { Print } from "../print.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Prints the completion script of a shell. */
export async function completion(args: readonly string[], print: Print): Promise<number> {
  const { positionals } = readArguments("completion", args, { help: { type: "boolean", short: "h" } });
  parseWords("completion", positionals, ["bash|zsh|fish"]);
  const shell = knownWord("completion", "shell", positionals[0] ?? "", SHELLS);
  print.result(SCRIPTS[shell](shippedNames()));
  return 0;
}
