import { z } from "zod";
import { JsonData } from "./json-data.ts";

/**
 * The data that a person sees to decide about a call; each channel draws it in its own way. `content` is raw text from
 * a tool: a channel must make it visible first. If it was cut, `fullContent` holds the whole, for a separate view.
 */
export const Presentation = z
  .strictObject({
    type: z.enum(["text", "diff", "file_content", "command", "structured"]).describe("the kind of content"),
    content: z.string().describe("raw text from a tool; show its invisible characters as escapes"),
    language: z.string().optional().describe("the language of a file's content, by its usual name: `python`"),
    about: z.string().optional().describe("a file's canonical path, or the folder in which a command runs"),
    fullContent: z.string().optional().describe("the whole content, if `content` was cut"),
    metadata: z.record(z.string(), JsonData).optional().describe("more data from the tool"),
  })
  .readonly();
export type Presentation = z.infer<typeof Presentation>;
