import type { Mapping } from "./mapping.ts";

const CALL = "test/kernel/langchain.slow.test.ts";
const LATER = "test/kernel/langchain-later.slow.test.ts";

/** `cofferdam/langchain`. */
export const LANG: Mapping = {
  framework: "LangChain",
  cells: {
    allow: {
      how: "the tool runs",
      test: [CALL, "that nobody has to be asked about runs at once, inside the walls"],
    },
    deny: {
      how: "a `ToolMessage` of status `error`: `Denied:` and the reason",
      test: [
        CALL,
        "that a rule denies is told to the model with the reason, and the agent goes on; the twin runs",
      ],
    },
    ask: {
      how: "`interrupt` with an `ApprovalQuestion`",
      test: [
        CALL,
        "that needs a yes interrupts the agent with all that a page needs and no secret, and runs once by the answer",
      ],
    },
    approve: {
      how: "`new Command({ resume: { [id]: approve(question) } })`",
      test: [
        CALL,
        "that needs a yes interrupts the agent with all that a page needs and no secret, and runs once by the answer",
      ],
    },
    "reject with note": {
      how: "`reject(question, note)`",
      test: [CALL, "that is refused does not run, and the model reads the note; nothing waits any more"],
    },
    "for session": {
      how: '`approve(question, { scope: "session" })`, where `forSession` offers it',
      test: [CALL, "is not asked about again once a yes was for the session, where that is offered"],
    },
    timeout: {
      how: "`approval.timeout` of the config, seen at the next resume: no graph wakes up by itself",
      test: [LATER, "is told that nobody answered in time, whatever comes after that"],
    },
    edit: {
      how: "`approve(question, { editedInput })`, judged again",
      test: [
        CALL,
        "runs with the input that somebody put in place of its own, judged again, and the model reads which",
      ],
    },
    "suspend/resume": {
      how: "in any process with the same checkpointer and state folder",
      test: [
        LATER,
        "goes on in another process, where each call of its turn gets its answer and none runs twice",
      ],
    },
    batch: {
      how: "one interrupt for each call; none waits or falls with another",
      test: [
        CALL,
        "falls with no other of its turn: a no drops neither a yes nor what nobody was asked about, and each runs once",
      ],
    },
  },
};
