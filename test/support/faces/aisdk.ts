import type { Mapping } from "./mapping.ts";

const TOOLS = "test/kernel/ai-sdk.slow.test.ts";
const ELSEWHERE = "test/kernel/ai-sdk-elsewhere.slow.test.ts";
const RESUME = "test/kernel/ai-sdk-resume.slow.test.ts";

/** How approvals and the AI SDK's own go together. */
export const aiSdk: Mapping = {
  framework: "AI SDK 7",
  cells: {
    allow: {
      how: "`toolApproval` says nothing: the tool runs, and the conversation has no trace of approvals",
      test: [
        TOOLS,
        "run at once where nobody has to be asked, and the conversation says nothing of approvals",
      ],
    },
    deny: {
      how: "`{ type: 'denied', reason }`: the model reads `execution-denied` with the rule and what would help",
      test: [TOOLS, "do not run where a rule denies it: the model is told which"],
    },
    ask: {
      how: "`{ type: 'user-approval', reason }`: a `tool-approval-request`, and one question in the store",
      test: [TOOLS, "ask by the framework's approval request, and by one question in the store"],
    },
    approve: {
      how: "a `tool-approval-response`, looked at again, runs what was asked once; the record says who",
      test: [TOOLS, "run what was approved in the app, once, by whoever is signed in"],
    },
    "reject with note": {
      how: "the response's `reason` reaches the model and, by `prepareStep` or `settle`, the record",
      test: [
        TOOLS,
        "do not run what was rejected in the app: the note reaches the model and the record, and nothing waits on",
      ],
    },
    "for session": {
      how: "a response has no scope; a yes for the session that is given elsewhere holds here",
      test: [
        ELSEWHERE,
        "let the next calls pass where somebody said yes for the session elsewhere, and ask again in another",
      ],
    },
    timeout: {
      how: "a yes that comes after the question's end runs nothing, and the model is told so",
      test: [TOOLS, "run nothing by a yes that comes too late"],
    },
    edit: {
      how: "a response has no input, and messages with another one are denied; what is edited elsewhere runs so",
      test: [ELSEWHERE, "run the input that somebody put in its place elsewhere"],
    },
    "suspend/resume": {
      how: "the messages as JSON and the store are all that another process needs",
      test: [
        RESUME,
        "runs what was approved in a process of its own, that knows nothing but them and the store",
      ],
    },
    batch: {
      how: "each call of a step has its own answer; nothing runs before all have one",
      test: [TOOLS, "run of several calls of one turn what was approved, and tell what was rejected"],
    },
  },
};
