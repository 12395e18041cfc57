import { randomBytes } from "node:crypto";
import type { Launcher } from "../../../backend/facts.ts";
import type { Host } from "../../host.ts";
import { fitHelper } from "../../launcher.ts";
import { ask } from "../../spawn.ts";
import { SHUT, starting } from "./probe.ts";
import type { Probed } from "./run.ts";

/** How long the log may take to be searched, in milliseconds. */
const LOG_MS = 20_000;

const ABOUT = {
  id: "tag-in-log",
  asks: "whether the log says the tag of what a profile denies by default",
  relies: "what was denied is told by it; no wall depends on it",
} as const;

/** Has one act denied by default, and looks for its tag in the log (log(1)), which not every user may read. */
export async function logFinding(host: Host, { path, shell }: Launcher): Promise<Probed> {
  const began = performance.now();
  const told = (rest: Pick<Probed, "value" | "says" | "standing">): Probed => ({
    ...ABOUT,
    ...rest,
    tookMs: Math.round(performance.now() - began),
  });
  const log = fitHelper(host, "log");
  if (log === null) return told(notTried("there is no log(1)"));
  const tag = `cofferdam-${randomBytes(8).toString("hex")}`;
  const rules = SHUT.replace("(deny default)", `(deny default (with message "${tag}"))`);
  const line = "echo s; : </private/etc/hosts; :";
  const { stdout } = await ask(path, [
    "-p",
    `${rules}${starting("file-read*")}${READING}`,
    "--",
    shell,
    "-c",
    line,
  ]);
  if (!stdout.startsWith("s\n")) return told(notTried("its rules are not taken here"));
  const words = [
    "show",
    "--last",
    "30s",
    "--style",
    "ndjson",
    "--predicate",
    `eventMessage CONTAINS "${tag}"`,
  ];
  const { status, stdout: said } = await ask(log, words, { timeoutMs: LOG_MS });
  if (status !== 0) return told(notTried("the log may not be read"));
  return said.includes(tag)
    ? told({ value: "yes", says: "yes", standing: "expected" })
    : told({ value: "no", says: "no: denials are told by process and time alone", standing: "harmless" });
}

/** All but one file, which everybody may read and nobody is told anything by. */
const READING =
  '(allow file-read* (require-all (require-any (literal "/") (subpath "/")) (require-not (literal "/private/etc/hosts"))))';

function notTried(says: string): Pick<Probed, "value" | "says" | "standing"> {
  return { value: "not-tried", says, standing: "not-tried" };
}
