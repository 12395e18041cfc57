import { randomBytes } from "node:crypto";
import type { Launcher } from "../../../../backend/facts.ts";
import type { Host } from "../../../look/host.ts";
import { fitHelper } from "../../launcher.ts";
import { ask } from "../../spawn.ts";
import { SHUT, starting } from "./probe.ts";
import type { Probed } from "./run.ts";

/** Time limit for a search of the log, in milliseconds. */
const LOG_MS = 20_000;

const ABOUT = {
  id: "tag-in-log",
  asks: "whether the log shows the tag of a profile's default denial",
  relies: "denials are found by the tag; no protection depends on it",
} as const;

/** Runs one act that is denied by default, and looks for its tag in the log (log(1)), which not every user may read. */
export async function logFinding(host: Host, { path, shell }: Launcher): Promise<Probed> {
  const began = performance.now();
  const answered = (rest: Pick<Probed, "value" | "says" | "standing">): Probed => ({
    ...ABOUT,
    ...rest,
    tookMs: Math.round(performance.now() - began),
  });
  const log = fitHelper(host, "log");
  if (log === null) return answered(notTried("log(1) is missing"));
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
  if (!stdout.startsWith("s\n")) return answered(notTried("its rules are rejected here"));
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
  if (status !== 0) return answered(notTried("the log is not readable"));
  return said.includes(tag)
    ? answered({ value: "yes", says: "yes", standing: "expected" })
    : answered({ value: "no", says: "no: denials are found only by process and time", standing: "harmless" });
}

/** Reading of everything but one harmless, world-readable file. */
const READING =
  '(allow file-read* (require-all (require-any (literal "/") (subpath "/")) (require-not (literal "/private/etc/hosts"))))';

function notTried(says: string): Pick<Probed, "value" | "says" | "standing"> {
  return { value: "not-tried", says, standing: "not-tried" };
}
