/**
 * How one requirement stands. `served` as it is written; `adapted` in another way, which `why` tells; `out` of scope by
 * its own document. What is served, and every defect that must be gone, has a test that names it.
 */
export type SeedStanding =
  | { readonly is: "served" }
  | { readonly is: "adapted"; readonly why: string }
  | { readonly is: "out" };

/** One requirement of the five systems that this one serves, in one sentence. */
export interface Seed {
  readonly says: string;
  readonly standing: SeedStanding;
}

const served = (says: string): Seed => ({ says, standing: { is: "served" } });
const adapted = (says: string, why: string): Seed => ({ says, standing: { is: "adapted", why } });
const out = (says: string): Seed => ({ says, standing: { is: "out" } });

/** S0: the approval capability, its policy, events and handlers. */
const S0 = {
  "S0-1": served("approval is composed around tools and is never a tool that a model can call"),
  "S0-2": served("a policy is data; common cases need no code"),
  "S0-3": served("requests and decisions are stream events seen live"),
  "S0-4": served("trust grows per tool, per pattern, per session"),
  "S0-5": out("identity, audit log and quorum are no goals"),
  "S0-6": served("a risk is read_only, write or destructive"),
  "S0-7": served("a tool has its risk, and write when it says none"),
  "S0-8": served("a rule is a glob on the tool's name and an action: allow, ask or deny"),
  "S0-9": served("without rules the risk decides: read_only allow, write ask, destructive deny"),
  "S0-10": served("of a policy's rules the last that matches decides"),
  "S0-11": served(
    "a call that no rule matches is decided by its risk, and asked about when nobody knows that",
  ),
  "S0-12": served("`*` allow is autonomous, `*` ask is strict, the practical configuration works as written"),
  "S0-13": served("a policy may be for all agents or for some, each agent its own"),
  "S0-14": adapted(
    "attaching the capability clears the session's memory; its defaults are a policy and the terminal",
    "a session is made anew in place of being cleared; without a handler an ask is a no, never a prompt by default",
  ),
  "S0-15": served("a request is told as an event with its id, tool, arguments, risk and agent"),
  "S0-16": served("a result event with the same id always follows a request"),
  "S0-17": adapted(
    "a handler is told the same five fields",
    "the request holds them among others, its arguments as far as they can be shown",
  ),
  "S0-18": served("a decision is approved or not, for always or not, with a reason"),
  "S0-19": adapted(
    "the base handler's `decide` is not implemented",
    "a handler is an interface: there is no base class",
  ),
  "S0-20": served("a handler that approves everything"),
  "S0-21": served("a handler that denies everything, with `Read-only mode` as its reason"),
  "S0-22": adapted(
    "the terminal shows tool, arguments, risk and agent and takes a key for yes, no and always",
    "the keys are y, n and s, and an empty answer is a no",
  ),
  "S0-23": served("a handler for streams resolves by id, once; unknown ids are ignored"),
  "S0-24": adapted(
    "a call is decided by memory, then policy, then the handler",
    "a deny comes first, and memory after it",
  ),
  "S0-25": adapted(
    "an approval for always stores the tool's name; a denial never does",
    "it stores what the person read: the name alone only where the tool says that nothing else matters",
  ),
  "S0-26": adapted(
    "without the capability a tool runs unchanged",
    "a function that no gate guards is just called",
  ),
  "S0-27": served("an unknown tool is an error before the gate"),
  "S0-28": adapted(
    "malformed arguments are {} at the gate",
    "they are refused: nobody approves what cannot run",
  ),
  "S0-29": served("a denial is the tool result `Denied: <reason>`, no error, and later calls go on"),
  "S0-30": adapted("a hand-off ends the batch loop", "the loop is the host's: a gate has no hand-offs"),
  "S0-31": served("what policy or memory decide emits no request or result event"),
  "S0-32": served("an event as a server-sent event has its class name and its data as JSON"),
  "S0-33": served("POST /approve/:id answers {status: ok}"),
  "S0-34": served("policy, memory, risks, globs and the whole loop are tested"),
  "S0-35": adapted("a batch with an ask runs one by one", "its questions are put at once, as one group"),
  "S0-36": adapted(
    "globs are on the name, later on name and arguments",
    "arguments have a field of their own, `args`",
  ),
  "S0-37": served("a question that nobody answers is denied after five minutes"),
  "S0-38": served("denied calls stay in the transcript"),
} as const;

/** S1: three layers, and tools that own what approval means. */
const S1 = {
  "S1-1": served("approval, tool and sandbox stay apart; the sandbox never asks"),
  "S1-2": adapted(
    "a bare tool just runs; there is one place to configure",
    "a bare function just runs when called; behind a gate its risk decides, or `legacyBareTools: run`",
  ),
  "S1-3": served("the tool's name in a request is the one that the model sees"),
  "S1-4": served("a presentation is text, diff, file content, command or structured data"),
  "S1-5": served("a check is told the tool, its arguments and the framework's own data"),
  "S1-6": served("a tool asks with a description, a payload, perhaps a presentation and a group"),
  "S1-7": served("a check is quick and pure: no question, a question, or never"),
  "S1-8": served("a simple question is made from arguments without those that are excluded"),
  "S1-9": served("a question shows the tool and its arguments, and takes yes, no and for this session"),
  "S1-10": served(
    "presentations are drawn by their kind, with a full view, and made only when a person will look",
  ),
  "S1-11": served("tools know nothing of modes, terminals and memory"),
  "S1-12": served(
    "the table of modes: no question runs, a question is asked, approved or refused, never is never",
  ),
  "S1-13": adapted("a denial is a PermissionError with the note", "it is an ApprovalDeniedError, or a value"),
  "S1-14": served("sync and async tools both work"),
  "S1-15": served("sandbox.paths names roots with mode, suffixes and approvals"),
  "S1-16": served("a path outside of every root is refused"),
  "S1-17": served("a file tool asks by `write_approval` and `read_approval`, for the root and the path"),
  "S1-18": served("the shell section has a default and rules"),
  "S1-19": served("of the shell's rules the first that matches decides; one that is not allowed blocks"),
  "S1-20": served("a rule whose sandbox_paths do not hold is passed over"),
  "S1-21": adapted(
    "a question about a command has the rule's description and the command as payload",
    "the payload is the words, their folder and whether there is input",
  ),
  "S1-22": served("what no shell rule covers is as the default says"),
  "S1-23": served("a function is wrapped to ask, under its own name, and can still be called bare"),
  "S1-24": served("the sandbox is never looser than the tools' config"),
  "S1-25": served("the profile is derived from roots and network, and only ever cut down"),
  "S1-26": served("without a sandbox a supervisor refuses to start, or refuses its tools"),
  "S1-27": adapted(
    "adapters keep a framework's data in metadata, and nothing depends on one",
    "metadata reaches every check; the adapters come as integrations",
  ),
  "S1-28": served("questions of one group may be answered in one act, and nothing guesses groups"),
  "S1-29": served("a session's yes matches by tool and equal payload, whatever the order of keys"),
  "S1-30": served("a yes is for once or for the session, and only the latter is remembered"),
  "S1-31": served("what is remembered is answered before any presentation is made"),
  "S1-32": adapted(
    "approve-all and strict answer before memory",
    "strict never looks at memory; under approve-all both say yes",
  ),
  "S1-33": served("what is long is cut for display and says so; binary content is told by kind and size"),
  "S1-34": adapted("what payloads should hold", "is advice to tools; each built-in one follows it"),
  "S1-35": served("presentations are lazy, strict respects what needs no question, checks are sync"),
  "S1-36": served(
    "rules decide about the tools of MCP servers, whose own hints are not trusted; without a rule they ask",
  ),
  "S1-37": served("the approval layer works alone, without any framework"),
  "S1-38": adapted(
    "wildcard grants",
    "a tool may widen its payload, and what a yes covers is shown before it is given",
  ),
  "S1-39": served("a pause holds the call without any effect"),
  "S1-40": served("a yes resumes at once and is echoed"),
  "S1-41": served("a no with a note ends in a denial that carries it, and is written down"),
  "S1-42": served("session grants are listed, revoked, and end with the session"),
  "S1-43": served("a refusal by strict mode names the mode, and the outcome the tool's rule"),
  "S1-44": served("a pattern is a prefix of words"),
  "S1-45": served("blocked commands are written down"),
  "S1-46": out("attachments of delegations"),
  "S1-47": served("more than 50 lines or 2,000 characters are cut for display"),
} as const;

/** S2: suspend, persist, resume, Telegram. */
const S2 = {
  "S2-1": served("a tool may require approval by a fixed statement or by a function"),
  "S2-2": served("the function is told what the tool will be told"),
  "S2-3": served("what requires none goes on"),
  "S2-4": served("a result is a success, an error, or pending with its reason"),
  "S2-5": adapted("a prompt waits in a state of its own", "an outcome is pending; the loop is the host's"),
  "S2-6": adapted(
    "no migration of the prompt store",
    "requests have a store of their own, which is migrated by its version",
  ),
  "S2-7": served("state is stored whenever it changes"),
  "S2-8": served("a request is told to whoever listens, in one place for all"),
  "S2-9": served("validation, then the requirement, then the request, then the call returns"),
  "S2-10": served("a yes runs the tool as it is then prepared, and gives its result"),
  "S2-11": served("a no gives its reason, or that somebody said no"),
  "S2-12": adapted("a service tracks active prompts", "the broker tracks requests"),
  "S2-13": served("after a restart pending requests are told again"),
  "S2-14": served("a conversation finds its waiting prompt"),
  "S2-15": served("a Telegram message with two buttons"),
  "S2-16": served("no chat, no message"),
  "S2-17": served("a press answers, or says that the request has expired"),
  "S2-18": served("a message with a keyboard"),
  "S2-19": adapted(
    "web-fetch.add-domain always asks, and its yes is permanent",
    "the yes lasts as long as the session: what would last longer stands in the config, which a person trusts",
  ),
  "S2-20": served("web-fetch.fetch asks for hosts that are not listed, and a yes is for that one fetch"),
  "S2-21": served("a crash while waiting loses no request"),
  "S2-22": served("a question may wait without end"),
  "S2-23": served("a tool that fails after its approval fails as it always would"),
  "S2-24": adapted(
    "approving what does not wait is nothing but a warning",
    "it is answered `unknown` or `duplicate`, and written down",
  ),
  "S2-25": served("of several answers the first counts"),
  "S2-26": served("a late press is told that it expired"),
  "S2-27": adapted("no configuration", "approval has defaults, and can be configured"),
  "S2-28": out("quorum, audit table, web page, permissions per user"),
} as const;

/** S3: the executor's gate, its handler protocol and errors. */
const S3 = {
  "S3-1": served("a handler asks, and may be asked later what became of a request"),
  "S3-2": adapted(
    "a frozen request with module, arguments, context, annotations",
    "ours has the same under our names, frozen in depth",
  ),
  "S3-3": served("a frozen result: approved, rejected, timeout or pending, with null for what is not said"),
  "S3-4": served("handlers that deny, that approve, and that call back"),
  "S3-5": served("errors for denied, timeout and pending with stable codes; a timeout is retryable"),
  "S3-6": adapted("the gate stands before validation", "it stands after it: nobody approves what cannot run"),
  "S3-7": adapted("annotations say whether approval is needed", "a tool has its risk and its checks"),
  "S3-8": adapted("without a handler or a flag the gate is skipped", "without a handler an ask is a no"),
  "S3-9": adapted(
    "a token in the arguments resumes",
    "the id of a request stands beside the arguments; inside them it is refused",
  ),
  "S3-10": served("approved goes on, rejected, timeout and pending end the call, anything else is a no"),
  "S3-11": served("every decision is written down, and is an event of the call's span"),
  "S3-12": adapted("one extension point for the handler", "a session takes one handler or several"),
  "S3-13": served("what rules deny never reaches a handler; what a handler denies never reaches the tool"),
  "S3-14": adapted("what a handler throws passes through", "it is written down, and the call is denied"),
  "S3-15": adapted(
    "without a handler everything runs",
    "`legacyBareTools: run` lets tools run that say nothing of approval",
  ),
  "S3-16": served("all types are public"),
} as const;

/** S4: the broker behind an event stream. */
const S4 = {
  "S4-1": served("a stream of events has a way back"),
  "S4-2": served("a broker asks, is answered once, and tells events"),
  "S4-3": served("an envelope has type, version, run, request, time and payload"),
  "S4-4": served("a request tells tool, description, safe arguments, what was left out, cache key and time"),
  "S4-5": served("an answer is approved or not, perhaps remembered, perhaps with a note"),
  "S4-6": served("the first answer counts; later ones are ignored and written down"),
  "S4-7": served("a timeout is an error of its own and an event of its own"),
  "S4-8": served("what stands under the names of secrets is hidden"),
  "S4-9": served("long texts and large containers are cut"),
  "S4-10": served("a tool may say what is shown in place of its arguments"),
  "S4-11": served("what was left out is told"),
  "S4-12": served("the cache key is made of all arguments in canonical form, never of what is shown"),
  "S4-13": served("what is remembered is kept on this side"),
  "S4-14": served("in process first, other transports later"),
  "S4-15": adapted("one UI decides", "any number may answer, and the first counts"),
  "S4-16": served("events are told by run and session"),
  "S4-17": served("a subscriber that comes back loses nothing"),
  "S4-18": served("loopback, tokens and a list of approvers"),
  "S4-19": served("grants never outlive their session"),
  "S4-20": adapted(
    "redaction by names and shapes, with caps",
    "the caps are fixed; both are called cosmetic",
  ),
} as const;

/** Faults of the five documents' own samples, which must not be copied. */
const DEFECTS = {
  "S0-D1": served("a call is never asked about twice"),
  "S0-D2": served("memory never overrides a deny"),
  "S0-D3": served("an empty answer is never a yes"),
  "S1-D1": served("excluded arguments are not printed by the default description"),
  "S1-D2": served("a default that allows nothing blocks"),
  "S2-D1": served("callback data fits into what Telegram takes"),
  "S2-D2": served("only listed people can approve"),
  "S2-D3": served("ids with colons are understood"),
  "S2-D4": served("a turn with several questions gets an answer to each"),
  "S2-D5": served("what changed between question and answer is judged again"),
  "S3-D1": served("a model cannot bring an approval along in its arguments"),
  "S3-D2": served("without a handler nothing that must be asked about runs"),
  "S3-D3": served("arguments are checked before anybody is asked"),
} as const;

/** Where the five disagree, and what was chosen. */
const CHOICES = {
  C1: served("tools answer with an ask, people see a request, wires carry an envelope"),
  C2: served("a decision is approved with its scope, rejected, or expired; only a handler leaves it pending"),
  C3: served("two keys: one for what runs, one for what a yes for the session covers"),
  C4: served("deny, then an operator's ask, then grants, then the rest"),
  C5: served("each list keeps its own order, across layers the strictest wins, dead rules are reported"),
  C6: served("a timeout is an error, a no, or no end"),
  C7: served("a denial is a value, or an error for those who want one"),
  C8: served("a call waits, or is suspended"),
  C9: served("checks are sync, requirements may be async, and a sync no is final"),
  C10: served("without a handler tools that ask are refused; bare tools are asked about by their risk"),
  C11: served("destructive is denied by default, unknown is asked about"),
  C12: served("validation, then the gate, then validation again"),
  C13: served("all questions of a turn at once, one answer each"),
  C14: served("modes never lift a deny"),
  C15: served("events and channels carry safe arguments alone"),
  C16: served("the id of an approval is the host's alone"),
  C17: served("an empty answer and a closed terminal are no yes"),
} as const;

/** Every requirement by its id. */
export const SEEDS: Readonly<Record<string, Seed>> = {
  ...S0,
  ...S1,
  ...S2,
  ...S3,
  ...S4,
  ...DEFECTS,
  ...CHOICES,
};
