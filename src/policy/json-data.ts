import { z } from "zod";
import type { Json } from "./canonical-json.ts";

/** Any JSON. */
export const JsonData: z.ZodType<Json> = z.json();
