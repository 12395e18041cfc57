import { packageVersion } from "../host/look/version.ts";
import { COMMAND_NAMES, type CommandName, helpFor, isCommand, overview } from "./help.ts";
import { Print } from "./print.ts";

/** A command: takes the words after its name, prints, and returns the exit status. */
export type CommandRunner = (args: readonly string[], print: Print) => Promise<number>;

/** The exit status after the reader closed the output: 128 plus SIGPIPE. */
const NOBODY_READS = 141;
const USAGE = 64;

/** Loads one command and runs it. `--help` and `--version` load nothing else. */
export async function dispatch(
  args: readonly string[],
  print: Print = new Print(process.stdout, process.stderr, process.env),
): Promise<number> {
  try {
    const status = await answer(args, print);
    return print.broken.aborted ? NOBODY_READS : status;
  } catch (error) {
    const { reportFailure } = await import("./failure.ts");
    return reportFailure(print, error, hasOption(args, "--json"));
  }
}

async function answer([name, ...rest]: readonly string[], print: Print): Promise<number> {
  if (name === undefined) {
    print.talk(overview());
    return USAGE;
  }
  if (name === "--version") {
    print.result(packageVersion());
    return 0;
  }
  if (name === "--help" || name === "-h") {
    if (rest.length > 0) return (await load("help"))(rest, print);
    print.result(overview());
    return 0;
  }
  if (!isCommand(name)) throw await unknownWord(name);
  if (hasOption(rest, "--help") || hasOption(rest, "-h")) {
    print.result(helpFor(name));
    return 0;
  }
  return (await load(name))(rest, print);
}

/** True for an option of cofferdam: the words after `--` belong to another program. */
function hasOption(args: readonly string[], option: string): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes(option);
}

async function unknownWord(name: string): Promise<Error> {
  const { CofferdamError, visible } = await import("../errors.ts");
  const { suggestion } = await import("../policy/nearest.ts");
  const kind = name.startsWith("-") ? "option" : "command";
  return new CofferdamError("USAGE", `unknown ${kind} ${visible(name)}`, {
    hint: suggestion(name, [...COMMAND_NAMES, "--help", "--version"]) ?? "run `cofferdam --help`",
  });
}

async function load(name: CommandName): Promise<CommandRunner> {
  switch (name) {
    case "init":
      return (await import("./commands/init.ts")).init;
    case "trust":
      return (await import("./commands/trust.ts")).trust;
    case "run":
      return (await import("./commands/run.ts")).run;
    case "call":
      return (await import("./commands/call.ts")).call;
    case "approvals":
      return (await import("./commands/approvals.ts")).approvals;
    case "rules":
      return (await import("./commands/rules.ts")).rules;
    case "grants":
      return (await import("./commands/grants.ts")).grants;
    case "quarantine":
      return (await import("./commands/quarantine.ts")).quarantine;
    case "resume":
      return (await import("./commands/resume.ts")).resume;
    case "serve":
      return (await import("./commands/serve.ts")).serve;
    case "mcp":
      return (await import("./commands/mcp.ts")).mcp;
    case "tools":
      return (await import("./commands/tools.ts")).tools;
    case "check":
      return (await import("./commands/check.ts")).check;
    case "explain":
      return (await import("./commands/explain.ts")).explain;
    case "profile":
      return (await import("./commands/profile.ts")).profile;
    case "doctor":
      return (await import("./commands/doctor.ts")).doctor;
    case "selftest":
      return (await import("./commands/selftest.ts")).selftest;
    case "journal":
      return (await import("./commands/journal.ts")).journal;
    case "schema":
      return (await import("./commands/schema.ts")).schema;
    case "help":
      return (await import("./commands/help.ts")).help;
    case "completion":
      return (await import("./commands/completion.ts")).completion;
  }
}
