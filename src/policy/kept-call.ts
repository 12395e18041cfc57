import { z } from "zod";
import { JsonData } from "./json-data.ts";

/**
 * What it takes to make a call again once it is approved: the tool and the agent stand in its request. It is kept whole, as
 * the program or function would get it, until the call is over or never will be; it is never shown, told or written down.
 */
export const KeptCall = z
  .strictObject({
    input: JsonData,
    /** The folder that the supervisor stood in. */
    cwd: z.string(),
  })
  .readonly();
export type KeptCall = z.infer<typeof KeptCall>;
