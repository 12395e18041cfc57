import type { Mapping } from "./mapping.ts";

const SERVER = "test/kernel/mcp-server.test.ts";
const HTTP = "test/kernel/mcp-http.test.ts";

/** How `cofferdam mcp` serves its clients. */
export const MCP: Mapping = {
  framework: "MCP server",
  cells: {
    allow: {
      how: "the tool's result: a text, the same as data, and the receipt",
      test: [SERVER, "runs what rules let pass, and answers with a text, the data, and the receipt"],
    },
    deny: {
      how: "a result that is an error: `Denied: …`, with the reason and what would help",
      test: [SERVER, "denies what a rule forbids, and tells the model which, and asks nobody"],
    },
    ask: {
      how: "a form for the client's user (elicitation), and the config's channels; by the current protocol as an `input_required` result",
      test: [SERVER, "asks the client's user by a form, and runs after a yes"],
    },
    approve: {
      how: "the form's `yes, once`; or anybody who may answers elsewhere while the call waits",
      test: [HTTP, "asks the client's user by a form, and runs after a yes: %s"],
    },
    "reject with note": {
      how: "the form's `no`, with a note that the model reads",
      test: [SERVER, "runs nothing after a no, and tells the model why"],
    },
    "for session": {
      how: "the form's `yes, for this session`, where that can be shown whole; it holds as long as the connection",
      test: [SERVER, "remembers a yes for the session, and asks no more"],
    },
    timeout: {
      how: "`approval.timeout`: then the call is denied, and a later answer counts for nothing",
      test: [SERVER, "denies when nobody answered in time, and takes no answer after that"],
    },
    edit: {
      reason: "a form has fields of plain kinds, and no place for a tool's input; the inbox can edit it",
    },
    "suspend/resume": {
      how: "`approval.wait: suspend`, for clients without forms: the call ends as pending, and runs when it is made again after a yes, in whatever process; it can be answered for `approval.keep`, a week, and over HTTP until its client ends the session",
      test: [
        SERVER,
        "suspends where the config says so: the same call runs when it is made again after a yes",
      ],
    },
    batch: {
      reason: "the protocol knows no turns: each call is asked about by itself, and none waits for another",
    },
  },
};
