import { z } from "zod";
import { EnvName } from "../profile/env-pattern.ts";
import { Duration } from "../profile/quantity.ts";
import { WrittenHost, WrittenPath } from "../profile/written.ts";
import { coversGlob } from "../shell/glob.ts";

const Word = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, "a word can't contain NUL")
  .refine((word) => word.isWellFormed(), "a word can't contain half a character (a lone surrogate)");

/** A glob on tools' names that leaves some out: a reviewer answers for named tools, never for every one. */
const ReviewedTools = z
  .string()
  .min(1)
  .refine((glob) => !coversGlob(glob, "*"), "name the tools: a reviewer can't answer for every tool");

const LOOPBACK =
  "write a URL of this machine by its address: `http://127.0.0.1:PORT/` or `http://[::1]:PORT/`";

/** A URL by address and never by name: no look-up decides which machine is asked. */
const LoopbackUrl = z.string().refine(isLoopbackUrl, LOOPBACK);

const settings = {
  may: z
    .array(z.enum(["allow_once", "deny"]))
    .min(1)
    .default(["allow_once"])
    .describe("The answers that count. Any other is left to a person."),
  only: z
    .strictObject({
      tools: z
        .array(ReviewedTools)
        .min(1)
        .max(256)
        .meta({
          description:
            "Globs for the names of tools of your own and of MCP servers. Tools of cofferdam, such as `shell`, are never reviewed.",
          examples: [["tickets/*"]],
        }),
      risk: z
        .array(z.enum(["read_only", "write"]))
        .min(1)
        .default(["read_only", "write"])
        .describe("The risks of the tools. Destructive tools are never reviewed."),
    })
    .meta({ description: "The requests that are reviewed.", examples: [{ tools: ["tickets/*"] }] }),
  budget: z
    .strictObject({
      calls: z.int().min(1).default(50).describe("The maximum number of reviews in one session."),
      in_a_row: z
        .int()
        .min(1)
        .default(10)
        .describe("The maximum number of calls that it allows until a person answers a request."),
      deny_stop: z
        .int()
        .min(1)
        .default(3)
        .describe("After this many denials, every request goes to a person until one has answered."),
      timeout: Duration.prefault("20s").describe(
        "The maximum time of a review, with the start of its sandbox.",
      ),
    })
    .prefault({})
    .describe("The limits of a reviewer. Beyond them every request goes to a person."),
};

/** The settings that programs, services and functions share. */
export const ReviewerSettings = z.strictObject(settings);
export type ReviewerSettings = z.infer<typeof ReviewerSettings>;

/**
 * `approval.reviewer` of cofferdam.yaml: a program or service that answers, once, requests that nothing demands a person
 * for. It never gives a call more than the call has without approval.
 */
export const ReviewerSection = z.strictObject({
  command: z
    .array(Word)
    .min(1)
    .max(64)
    .optional()
    .meta({
      description:
        "The words that start the program, in a sandbox of its own. It reads one JSON document and prints its answer.",
      examples: [["/opt/review/bin/review"]],
    }),
  url: LoopbackUrl.optional().meta({
    description: "A service of this machine that is asked by HTTP, in place of `command`.",
    examples: ["http://127.0.0.1:8484/review"],
  }),
  needs: z
    .strictObject({
      read: z
        .array(WrittenPath)
        .max(64)
        .default([])
        .meta({
          description: "Files and folders that the program reads, outside of every writable root.",
          examples: [["/opt/review/lib"]],
        }),
      hosts: z
        .array(WrittenHost)
        .max(64)
        .default([])
        .meta({
          description: "Hosts that the program reaches, as far as operator profiles allow them.",
          examples: [["api.example.org:443"]],
        }),
      env: z
        .array(EnvName)
        .max(64)
        .default([])
        .meta({
          description: "Variables that the program gets from the caller.",
          examples: [["REVIEW_KEY"]],
        }),
    })
    .prefault({})
    .describe("The access of the program. It has no root, and gets nothing else."),
  ...settings,
});
export type ReviewerSection = z.infer<typeof ReviewerSection>;

function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isHere = /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === "[::1]";
  return protocol === "http:" && isHere && username === "" && password === "" && hash === "";
}
