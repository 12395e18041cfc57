import type { Mapping } from "./mapping.ts";

const CALLS = "test/unit/mcp/wrap-calls.test.ts";
const ASKS = "test/unit/mcp/wrap-asks.test.ts";
const PROTOCOL = "test/unit/mcp/wrap-protocol.test.ts";

/** How `cofferdam mcp --wrap` stands before a server. */
export const WRAP: Mapping = {
  framework: "MCP, wrapped",
  cells: {
    allow: {
      how: "the server gets the call, as it was judged, and the client its answer",
      test: [
        CALLS,
        "is judged by the server's own rules on its bare name, and by all others on its whole name; the strictest wins",
      ],
    },
    deny: {
      how: "a result that is an error: `Denied: …`; nothing of it reaches the server",
      test: [
        CALLS,
        "is judged by the server's own rules on its bare name, and by all others on its whole name; the strictest wins",
      ],
    },
    ask: {
      how: "a form for the client's user, with no word of the server's in it, and the config's channels",
      test: [ASKS, "is asked by a form of ours, and a yes makes the call"],
    },
    approve: {
      how: "the form's `yes, once`; by the current protocol with the same call, made again",
      test: [
        ASKS,
        "is asked by what the call wants first; the same call with a yes is made, with what was judged",
      ],
    },
    "reject with note": {
      how: "the form's `no`, with a note that the model reads",
      test: [CALLS, "never reaches it after a no, which the client's model reads with what would help"],
    },
    "for session": {
      how: "the form's `yes, for this session`: for as long as the tool is defined as it was",
      test: [
        CALLS,
        "is asked about anew when its definition has changed, though it was granted for the session",
      ],
    },
    timeout: {
      how: "`approval.timeout`: whoever comes back too late learns what became of it",
      test: [ASKS, "who comes back too late learns what became of it"],
    },
    edit: {
      how: "an answer of another channel may bring another input: that is what the server gets",
      test: [
        CALLS,
        "is given to the server with what was judged: an edited input, and numbers as they were read",
      ],
    },
    "suspend/resume": {
      reason:
        "a server over standard input and output lives as long as its client's connection, and so do the calls of its tools",
    },
    batch: {
      how: "each message of a list is one of its own",
      test: [PROTOCOL, "is each message of a list by itself"],
    },
  },
};
