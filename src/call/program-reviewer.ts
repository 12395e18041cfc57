import { Readable } from "node:stream";
import { Gate } from "../approval/gate.ts";
import { MAX_ANSWER_BYTES, type ReviewDocument } from "../approval/review.ts";
import type { ReviewRunner } from "../approval/reviewer.ts";
import type { Wait } from "../approval/wait.ts";
import type { ReviewerPlace } from "../config/config.ts";
import { isSameReviewer } from "../config/reviewer-place.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { meetPolicies } from "../decide/meet-policies.ts";
import type { ProgramOutcome } from "../decide/outcome.ts";
import { policyForTool } from "../decide/policy-for-tool.ts";
import { residentTool } from "../decide/resident-program.ts";
import { thrownText } from "../errors.ts";
import { REVIEWER_PREFIX } from "../policy/review-record.ts";
import { quoted } from "../shell/quote.ts";
import type { Runtime } from "../tool/facts.ts";
import { runCall } from "./pipeline.ts";
import { toolKind } from "./program-kinds.ts";
import { ProgramRunner } from "./program-runner.ts";
import type { SessionContext } from "./session-context.ts";
import { gateOptionsOf } from "./session-options.ts";
import type { DecidedProgram } from "./shell-question.ts";

const NEVER: Wait = { timeoutMs: 1, onTimeout: "deny", style: "block" };

/** The name of its calls in rules and records. */
const REVIEWER_TOOL = "reviewer";

/**
 * The program or service of a config. A program runs once for each document, as a call of its own: in a sandbox without
 * any root, with a record and a receipt. Rules may deny its calls, and nobody is asked about them.
 */
export function configuredReviewer(around: Omit<SessionContext, "gate">, place: ReviewerPlace): ReviewRunner {
  const { section, digest, command } = place;
  return {
    by: `${REVIEWER_PREFIX}${digest}`,
    name: section.url ?? quoted(command),
    settings: section,
    ask: async (document, signal) => {
      if (place.isChanged) throw new Error("the reviewer changed after the config was trusted");
      if (section.url !== undefined) return askService(section.url, document, signal);
      if (!isSameReviewer(place)) throw new Error("the reviewer's program changed");
      return answerOf(await runProgram(around, place, document, signal));
    },
  };
}

/** Loaded only if a service is asked. */
async function askService(url: string, document: ReviewDocument, signal: AbortSignal): Promise<string> {
  const { postToLoopback } = await import("../network/loopback-post.ts");
  return postToLoopback({ url, body: JSON.stringify(document), maxBytes: MAX_ANSWER_BYTES, signal });
}

async function runProgram(
  around: Omit<SessionContext, "gate">,
  place: ReviewerPlace,
  document: ReviewDocument,
  signal: AbortSignal,
): Promise<ProgramOutcome> {
  const { watch, sessionId, options } = around;
  const { command, section } = place;
  // No reviewer and no person answers about the reviewer.
  const gate = new Gate({ ...gateOptionsOf(watch, sessionId, options), handlers: [], wait: NEVER });
  const context: SessionContext = { ...around, options: {}, gate };
  const tool = residentTool({
    name: REVIEWER_TOOL,
    command,
    needs: place.start === null ? {} : { cwd: place.start },
    asksToStart: false,
    description: "review a request",
  });
  const run = {
    stdin: Readable.from([Buffer.from(`${JSON.stringify(document)}\n`)]),
    signal,
    timeoutMs: section.budget.timeout,
  };
  const kind = toolKind(context, tool, run, (policy) => reviewerPolicy(policy, place));
  return runCall<DecidedProgram, ProgramOutcome>(context, new ProgramRunner(context, kind, {}, run), run);
}

/** The answer that a program printed. Throws if it did not end well, or printed too much. */
function answerOf(outcome: ProgramOutcome): string {
  if (!("stdout" in outcome))
    throw new Error(
      `the reviewer did not run: ${outcome.kind === "failed" ? thrownText(outcome.error) : outcome.reason}`,
    );
  const { kind, code, stdout } = outcome;
  if (kind === "timed-out") throw new Error("the reviewer did not end in time");
  if (kind === "failed") throw new Error(`the reviewer ended with status ${code}`);
  if (stdout.droppedBytes > 0 || stdout.bytes.length > MAX_ANSWER_BYTES)
    throw new Error("the reviewer's answer is longer than 64 KiB");
  return new TextDecoder("utf-8", { fatal: true }).decode(stdout.bytes);
}

/** No root, no group, no terminal and no port: the runtimes, its own files, its hosts and its variables. */
export function reviewerPolicy(policy: CallPolicy, place: ReviewerPlace): CallPolicy {
  if (policy.meetOf !== undefined) {
    const [trusted, changed] = policy.meetOf;
    return meetPolicies(reviewerPolicy(trusted, place), reviewerPolicy(changed, place), policy);
  }
  const { section, read } = place;
  const { settings } = policy;
  const { hosts, env } = section.needs;
  const own: Runtime = { name: REVIEWER_TOOL, read, links: [], path: [], env: {}, macos: [] };
  const base: CallPolicy = {
    ...policy,
    settings: {
      ...settings,
      runtimes: [...settings.runtimes, own],
      sandbox: {
        ...settings.sandbox,
        env: { pass: env, set: {} },
        limits: { ...settings.sandbox.limits, output: MAX_ANSWER_BYTES, wall: section.budget.timeout },
      },
      shell: {
        ...settings.shell,
        network: hosts.length === 0 ? false : { hosts, never: [], strict_sni: false, ask: "never" },
      },
    },
  };
  const reduced = policyForTool(base, { roots: {}, network: true });
  return { ...reduced, withApproval: reduced.withoutApproval };
}
