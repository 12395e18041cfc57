import { z } from "zod";
import { JsonData } from "./json-data.ts";

/**
 * What a person looks at to decide about a call, as data; each channel draws it in its own way. `content` is text as it
 * comes from a tool: whoever draws it makes it visible first. Of what is cut, `fullContent` holds the whole, for a view.
 */
export const Presentation = z
  .strictObject({
    type: z.enum(["text", "diff", "file_content", "command", "structured"]),
    content: z.string(),
    /** The language of a file's content, by its usual name: `python`. */
    language: z.string().optional(),
    /** What the content is of: a file's canonical path, or the folder in which a command runs. */
    about: z.string().optional(),
    /** The whole content, where `content` was cut. */
    fullContent: z.string().optional(),
    metadata: z.record(z.string(), JsonData).optional(),
  })
  .readonly();
export type Presentation = z.infer<typeof Presentation>;
