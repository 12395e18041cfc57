import { defineTool } from "cofferdam";
import { z } from "zod";

const ticket = z.int();

/** Two functions of a program that has tickets. */
export const tools = [
  defineTool({
    name: "tickets/comment",
    risk: "write",
    input: z.strictObject({ ticket, text: z.string() }),
    run: ({ input }) => `commented on ${input.ticket}`,
  }),
  defineTool({
    name: "tickets/close",
    risk: "write",
    input: z.strictObject({ ticket }),
    run: ({ input }) => `closed ${input.ticket}`,
  }),
];
