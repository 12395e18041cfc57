import { type Command, parse, type Redirect, type SyntaxNode, type Word, type WordPart } from "unbash";
import type { Kernel } from "../world/kernel.ts";
import { type Judge, perform } from "../world/perform.ts";
import type { World } from "../world/world.ts";
import { type Ended, type Machine, PROGRAMS } from "./programs.ts";

/** A line that has something in it that this shell does not know. */
export class Unknown extends Error {}

/**
 * Runs a line of shell on a Mac that does not exist, by the system calls that its programs make; true for status 0. Known is
 * what the lines of the selftest have, as POSIX and the manual pages of macOS say it; throws `Unknown` for anything else.
 */
export function runLine(line: string, world: World, judge: Judge, kernel: Kernel): boolean {
  const machine: Machine = {
    world,
    call: (call) => {
      const result = perform(world, call, judge, kernel);
      return result.kind === "done" ? result.returned : null;
    },
  };
  return new Shell(machine).run(parse(line).commands).isDone;
}

class Shell {
  readonly #machine: Machine;
  readonly #variables = new Map<string, string>([["TMPDIR", "TMP"]]);

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** One after another; the last one's status is that of all. */
  run(commands: readonly SyntaxNode[]): Ended {
    let ended: Ended = { isDone: true, stdout: "" };
    for (const command of commands) {
      const { isDone, stdout } = this.#node(command);
      ended = { isDone, stdout: ended.stdout + stdout };
    }
    return ended;
  }

  #node(node: SyntaxNode): Ended {
    switch (node.type) {
      case "Statement":
        return this.#node(node.command);
      case "AndOr": {
        const [first, ...others] = node.commands;
        let ended = first === undefined ? { isDone: true, stdout: "" } : this.#node(first);
        for (const [at, other] of others.entries()) {
          if ((node.operators[at] === "&&") !== ended.isDone) continue;
          const { isDone, stdout } = this.#node(other);
          ended = { isDone, stdout: ended.stdout + stdout };
        }
        return ended;
      }
      case "Subshell":
      case "BraceGroup":
        return this.run(node.body.commands);
      case "Command":
        return this.#command(node);
      default:
        throw new Unknown(`${node.type} in a line`);
    }
  }

  #command({ name, prefix, suffix }: Command): Ended {
    const words = suffix.filter((one): one is Word => one.type === "Word");
    const redirects = suffix.filter((one): one is Redirect => one.type === "Redirect");
    if (
      prefix.some((one) => one.type !== "Assignment" || one.name !== "IFS") ||
      words.length + redirects.length < suffix.length
    )
      throw new Unknown("an assignment, or a document, in a line");
    const [program, ...args] = [...(name === undefined ? [] : [name]), ...words].map((one) =>
      this.#word(one),
    );
    let input = "";
    let hasInput = false;
    for (const redirect of redirects) {
      const read = this.#redirect(redirect);
      if (read === null) return { isDone: false, stdout: "" };
      if (redirect.operator === "<") [input, hasInput] = [read, true];
    }
    if (program === undefined) return { isDone: true, stdout: "" };
    if (program === "exec" && args.length === 0) return { isDone: true, stdout: "" };
    if (program === "read") {
      this.#variables.set(args.at(-1) ?? "", input.split("\n")[0] ?? "");
      return { isDone: hasInput, stdout: "" };
    }
    const isSaid = redirects.some(({ operator }) => operator !== "<");
    const ended = this.#program(program, args);
    return { isDone: ended.isDone, stdout: isSaid ? "" : ended.stdout };
  }

  #program(program: string, args: readonly string[]): Ended {
    const known = PROGRAMS[program];
    if (known !== undefined) return known(this.#machine, args);
    if (!program.startsWith("/")) throw new Unknown(`the program ${program}`);
    return { isDone: this.#machine.call({ call: "exec", path: program }) !== null, stdout: "" };
  }

  /** What was read, or null where it can't be opened. */
  #redirect({ operator, target }: Redirect): string | null {
    const path = target === undefined ? "" : this.#word(target);
    const { call } = this.#machine;
    switch (operator) {
      case "<": {
        const open = call({ call: "open", path, access: "read" });
        if (open?.is !== "descriptor") return null;
        const read = call({ call: "read", descriptor: open.descriptor });
        return read?.is === "bytes" ? read.bytes : "";
      }
      case ">":
      case ">>": {
        const truncates = operator === ">" ? { truncates: true as const } : {};
        const open = call({ call: "open", path, access: "write", creates: "or-opens", ...truncates });
        return open === null ? null : "";
      }
      default:
        throw new Unknown(`${operator} in a line`);
    }
  }

  #word({ parts, value }: Word): string {
    return parts === undefined ? value : parts.map((part) => this.#part(part)).join("");
  }

  #part(part: WordPart): string {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return part.value;
      case "DoubleQuoted":
        return part.parts.map((one) => this.#part(one)).join("");
      case "SimpleExpansion":
        return this.#variables.get(part.text.slice(1)) ?? "";
      case "CommandExpansion":
        return this.run(part.script?.commands ?? []).stdout.replace(/\n+$/, "");
      default:
        throw new Unknown(`${part.type} in a word`);
    }
  }
}
