import { z } from "zod";

/** A pinned action: what a tag names can be changed, what a commit names can't. */
const Pinned = z.string().regex(/^[\w.-]+(?:\/[\w.-]+)+@[0-9a-f]{40}$/, "is pinned by no commit");

const Checkout = z.strictObject({
  uses: Pinned.startsWith("actions/checkout@", "is no checkout"),
  with: z.strictObject({ "persist-credentials": z.literal(false) }),
});

const SetupNode = z.strictObject({
  uses: Pinned.startsWith("actions/setup-node@", "is no Node"),
  with: z.strictObject({ "node-version": z.string().regex(/^\d+$/) }),
});

const Run = z.strictObject({
  name: z.string().optional(),
  if: z.literal("${{ !cancelled() }}").optional(),
  // What is put into a line before a shell reads it is read as part of the line.
  run: z.string().refine((line) => !line.includes("${{"), "holds an expression"),
  env: z.record(z.string(), z.string()).optional(),
});

const Job = z.strictObject({
  name: z.string(),
  strategy: z
    .strictObject({
      "fail-fast": z.literal(false),
      matrix: z.strictObject({ image: z.array(z.string()).min(2) }),
    })
    .optional(),
  "runs-on": z.string(),
  "timeout-minutes": z.int().min(5).max(120),
  steps: z.tuple([Checkout, SetupNode], Run),
});
export type Job = z.infer<typeof Job>;

const Trigger = z.strictObject({
  push: z.strictObject({ branches: z.tuple([z.literal("main")]) }).optional(),
  pull_request: z.null().optional(),
  schedule: z.array(z.strictObject({ cron: z.string() })).optional(),
  workflow_dispatch: z.null().optional(),
});

/** A workflow as we write them: of all that GitHub knows, what is used here, and a further key is a decision. */
export const Workflow = z.strictObject({
  name: z.string(),
  on: Trigger,
  permissions: z.strictObject({ contents: z.literal("read") }),
  concurrency: z.strictObject({
    group: z.string().endsWith("-${{ github.ref }}"),
    "cancel-in-progress": z.literal(true),
  }),
  jobs: z.record(z.string(), Job),
});
export type Workflow = z.infer<typeof Workflow>;

/** The images that a job runs on. */
export function imagesOf(job: Job): readonly string[] {
  return job.strategy?.matrix.image ?? [job["runs-on"]];
}

/** The steps of a job that run a line, which are all but the first two. */
export function runsOf({ steps: [, , ...runs] }: Job): readonly z.infer<typeof Run>[] {
  return runs;
}
