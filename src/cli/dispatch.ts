import { packageVersion } from "../host/version.ts";
import { COMMANDS, type CommandName, helpFor, isCommand, overview } from "./help.ts";
import { Print } from "./print.ts";

/** A command: it takes the words behind its name, prints, and answers with the exit status. */
export type Command = (args: readonly string[], print: Print) => Promise<number>;

/** As programs end that write to a pipe without a reader: 128 and SIGPIPE. */
const NOBODY_READS = 141;
const USAGE = 64;

/** Loads the one command that is asked for and runs it. Help and version load nothing else. */
export async function dispatch(
  args: readonly string[],
  print: Print = new Print(process.stdout, process.stderr, process.env),
): Promise<number> {
  try {
    const status = await answer(args, print);
    return print.broken.aborted ? NOBODY_READS : status;
  } catch (error) {
    const { tellFailure } = await import("./failure.ts");
    return tellFailure(print, error, hasOption(args, "--json"));
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
  if (name === "help" || name === "--help" || name === "-h") return help(rest[0], print);
  if (!isCommand(name)) throw await unknownWord(name);
  if (hasOption(rest, "--help") || hasOption(rest, "-h")) return help(name, print);
  return (await load(name))(rest, print);
}

async function help(name: string | undefined, print: Print): Promise<number> {
  if (name !== undefined && !isCommand(name)) throw await unknownWord(name);
  print.result(name === undefined ? overview() : helpFor(name));
  return 0;
}

/** An option of ours: what stands behind `--` is another program's. */
function hasOption(args: readonly string[], option: string): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes(option);
}

async function unknownWord(name: string): Promise<Error> {
  const { CofferdamError, visible } = await import("../errors.ts");
  const { suggestion } = await import("./arguments.ts");
  const known = [...Object.keys(COMMANDS), "help", "--help", "--version"];
  return new CofferdamError(
    "USAGE",
    `there is no ${name.startsWith("-") ? "option" : "command"} ${visible(name)}`,
    {
      hint: suggestion(name, known) ?? "run `cofferdam --help`",
    },
  );
}

async function load(name: CommandName): Promise<Command> {
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
  }
}
