import { registerHooks } from "node:module";
import { parse } from "yaml";
import type { z } from "zod";
import { missingFrom, syntaxFaults, unreadVariables } from "./mentions.ts";
import { imagesOf, type Job, runsOf, Workflow } from "./schema.ts";

const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await parser();

/** What is wrong with a workflow, in words; `root` is the checkout that it names scripts of. */
export async function workflowFaults(root: string, text: string): Promise<readonly string[]> {
  const language = await languageFaults(text);
  if (language.length > 0) return language;
  const { data, error } = Workflow.safeParse(parse(text));
  if (error !== undefined) return error.issues.map(inWords);
  const faults = Object.entries(data.jobs).flatMap(([name, job]) =>
    faultsInJob(root, job).map((fault) => `${name}: ${fault}`),
  );
  return [...unversioned(text), ...faults];
}

/** By GitHub's own reader of workflows: keys, contexts of expressions, schedules. */
async function languageFaults(text: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow(
    { name: "workflow.yml", content: text },
    new NoOperationTraceWriter(),
  );
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message.replace(/^workflow\.yml /, ""));
}

/** It imports its schemas without saying that they are JSON, and Node wants that said. */
async function parser(): Promise<typeof import("@actions/workflow-parser")> {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith(".min.json") ? { ...context, importAttributes: { type: "json" } } : context),
  });
  try {
    return await import("@actions/workflow-parser");
  } finally {
    hooks.deregister();
  }
}

function inWords({ path, message }: z.core.$ZodIssue): string {
  return `${path.join(".")}: ${message}`;
}

/** The version of a pinned action is in a comment, where whoever renews it looks. */
function unversioned(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => /^(?:- )?uses:/.test(line) && !/ # v\d+\.\d+\.\d+$/.test(line))
    .map((line) => `no version beside ${line.replace(/^(?:- )?uses: |@.*$/g, "")}`);
}

function faultsInJob(root: string, job: Job): readonly string[] {
  const lines = runsOf(job).flatMap(({ run, env = {} }) => [
    ...syntaxFaults(run),
    ...missingFrom(root, run),
    ...unreadVariables(root, Object.keys(env).join(" ")),
  ]);
  return [...lines, ...rootOnMacos(job), ...unsureImages(job)];
}

/** The sandbox of macOS is for ordinary users, and is tried as one. */
function rootOnMacos(job: Job): readonly string[] {
  const isMacos = imagesOf(job).some((image) => image.startsWith("macos-"));
  return isMacos && runsOf(job).some(({ run }) => /\bsudo\b/.test(run)) ? ["becomes root on macOS"] : [];
}

/** A job with a matrix runs on what the matrix says, one without on Linux; and nothing moves to a new macOS by itself. */
function unsureImages(job: Job): readonly string[] {
  const expected = job.strategy === undefined ? "ubuntu-latest" : "${{ matrix.image }}";
  const moving = imagesOf(job).filter((image) => image === "macos-latest");
  return [
    ...(job["runs-on"] === expected ? [] : [`runs on ${job["runs-on"]}, not on ${expected}`]),
    ...moving.map((image) => `${image} is another macOS next year`),
  ];
}
