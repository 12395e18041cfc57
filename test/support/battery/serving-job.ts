import { z } from "zod";
import { Job, Reply } from "./job.ts";

/** A job for a process that does one after another, and the environment that its supervisor sees. */
export const Serving = z.strictObject({ job: Job, env: z.record(z.string(), z.string()) });
export type Serving = z.infer<typeof Serving>;

/** What came of it; `problem` is what was thrown that no supervisor throws. */
export const Served = z.strictObject({ replies: z.array(Reply), problem: z.string().nullable() });
export type Served = z.infer<typeof Served>;
