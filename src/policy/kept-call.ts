import { z } from "zod";
import { JsonData } from "./json-data.ts";

/** Data to make a call again once approved, whole until it ends or never will run. Never shown, reported or logged. */
export const KeptCall = z
  .strictObject({
    input: JsonData,
    /** The folder that the supervisor ran in. */
    cwd: z.string(),
  })
  .readonly();
export type KeptCall = z.infer<typeof KeptCall>;
