import { defineTool } from "cofferdam";
import { z } from "zod";

const users = new Map([
  ["ann", 3],
  ["bob", 5],
]);

/** Four functions of a program as tools, with their inputs and risks. */
export const tools = [
  defineTool({ name: "search_users", risk: "read_only", run: () => [...users.keys()] }),
  defineTool({
    name: "update_user",
    risk: "write",
    input: z.object({ name: z.string(), orders: z.int() }),
    run: ({ input }) => {
      users.set(input.name, input.orders);
      return `${input.name} has ${input.orders} orders`;
    },
  }),
  defineTool({ name: "delete_user", risk: "destructive", run: () => users.clear() }),
  defineTool({ name: "drop_table", risk: "destructive", run: () => users.clear() }),
];
