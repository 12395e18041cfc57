import { isProxied } from "../../backend/proxy-way.ts";
import { foreseenFor } from "../../call/appeared/foreseen.ts";
import { indented } from "../../channel/columns.ts";
import { asksForHosts, type CallPolicy } from "../../decide/call-policy.ts";
import { type CallExplanation, explainCall, explainNeed } from "../../decide/explain.ts";
import { explainFileTools } from "../../decide/explain-file-tools.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { thisHost } from "../../host/look/host.ts";
import { printQuestion } from "../../profile/examples.ts";
import type { ProfileQuestion } from "../../profile/explain.ts";
import { isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { CLOSED, type Profile } from "../../profile/profile.ts";
import { proxyFor } from "../../profile/proxy-for.ts";
import type { UpstreamProxy } from "../../profile/upstream.ts";
import { createDraft, type Draft } from "../../session/draft.ts";
import { deriveEnvironment } from "../../tool/derive.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments } from "../arguments.ts";
import { isLet, showExplanation } from "../explain-text.ts";
import type { Print } from "../print.ts";
import { ASKS, type ExplainTarget, targetOf } from "../target.ts";

const FOR_COMMANDS = "; for a command, run `cofferdam run --dry-run -- COMMAND`";

/** Explains why a target may be read, written or reached, or not. Runs and writes nothing; the status is always 0. */
export async function explain(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("explain", args, COMMON);
  const [word = ASKS[0], text = ""] = positionals;
  const ask = knownWord("explain", "access", word, ASKS, FOR_COMMANDS);
  parseWords("explain", positionals, ["ACCESS", "TARGET"]);
  const host = thisHost();
  const target = targetOf(host, ask, text);
  const draft = createDraft({ host, ...chosen(values) });
  const questions = questionsUnder(draft.policy.withApproval.profile, byWay(draft.policy, target.questions));
  const { answer, unplanned, fileTools } = await answerAll(draft, questions);
  const [asked] = target.questions;
  const notes = [
    ...target.notes,
    ...placeNotes(asked, answer.question),
    ...viewNotes(draft, answer.question),
    ...afterNotes(draft, asked, answer),
    ...(unplanned === null ? [] : [`the sandbox plan is unknown: ${unplanned}`]),
  ];
  if (values.json === true) {
    const { question, unasked, onYes, clause, tighter, stays, looser } = answer;
    print.json({
      question: printQuestion(asked),
      decidedAt: printQuestion(question),
      allowed: { unasked: isLet(unasked, looser.unasked), onYes: isLet(onYes, looser.onYes) },
      unasked,
      onYes,
      enforcedBy: clause?.args ?? null,
      tighter,
      stays,
      looser,
      fileTools,
      notes,
    });
  } else {
    print.result(print.ink.bold(printQuestion(asked)));
    for (const line of indented(notes)) print.result(print.ink.dim(line));
    showExplanation(answer, fileTools, host.cwd, print);
  }
  return 0;
}

/** A missing path that a profile lists is created per call. It decides about paths below it, not the folder above. */
function questionsUnder(
  { files }: Profile,
  questions: ExplainTarget["questions"],
): ExplainTarget["questions"] {
  const [made, above] = questions;
  if (above === undefined || !("facts" in made) || !("facts" in above) || above.facts.kind !== "folder")
    return questions;
  const first = [...upwards(made.path)].find((at) => parentOf(at) === above.path);
  const isOpened = files.some(({ path, access }) => path === first && access === "write");
  return first === undefined || !isOpened ? questions : [made, { ...above, path: first }];
}

type Answer = CallExplanation & { readonly question: ProfileQuestion };

/** The deciding answer: the first denial even with approval, else the first denial without approval, else the first. */
async function answerAll(
  draft: Draft,
  questions: readonly [ProfileQuestion, ...ProfileQuestion[]],
): Promise<{
  readonly answer: Answer;
  readonly unplanned: string | null;
  readonly fileTools: ReturnType<typeof explainFileTools>;
}> {
  const { policy } = draft;
  const { settings, ceiling, needs } = policy;
  const [cwd] = settings.roots.map((root) => root.path);
  const prepared = await draft
    .prepare({ argv: ["true"], ...(cwd === undefined ? {} : { cwd }) })
    .catch(reasonOf);
  const answerTo = (question: ProfileQuestion): Answer => {
    if (typeof prepared !== "string") return { question, ...explainCall(prepared, question) };
    const [unasked, onYes] = [needs.withoutApproval, needs.withApproval].map((need) =>
      explainNeed(settings, ceiling, need, question),
    );
    if (unasked === undefined || onYes === undefined)
      throw new CofferdamError("INTERNAL", "a question was not answered");
    return {
      question,
      unasked,
      onYes,
      clause: null,
      tighter: [],
      stays: null,
      looser: { unasked: null, onYes: null },
    };
  };
  const [first, ...others] = questions;
  const answers = [answerTo(first), ...others.map(answerTo)] as const;
  const answer =
    answers.find((one) => !one.onYes.allowed) ?? answers.find((one) => !one.unasked.allowed) ?? answers[0];
  return typeof prepared === "string"
    ? { answer, unplanned: prepared, fileTools: explainFileTools(policy, null, first) }
    : {
        answer,
        unplanned: null,
        fileTools: explainFileTools(prepared.policy, prepared.withApproval, first),
      };
}

/** Without a launcher, or with a tree that is unreadable or changes, there is an answer but no plan. */
function reasonOf(error: unknown): string {
  if (
    error instanceof CofferdamError &&
    ["SANDBOX_UNAVAILABLE", "NOT_ENFORCEABLE", "FACTS_UNSTABLE"].includes(error.code)
  )
    return error.message;
  throw error;
}

/** Paths and variables that every call has for itself are not those of this machine or the caller. */
function viewNotes({ policy }: Draft, question: ProfileQuestion): readonly string[] {
  if (question.ask === "connect") return hostNotes(policy, question.target);
  if (question.ask === "env") {
    const own = deriveEnvironment(policy.settings, CLOSED, { uid: 0, home: ROOT }, {});
    return question.name in own ? [`every call has its own ${question.name}; the caller's is not used`] : [];
  }
  if (!("facts" in question)) return [];
  const view = policy.backend.viewAround(question.path);
  if (view === null || policy.settings.roots.some((root) => isInside(question.path, root.path))) return [];
  return [`every call has its own ${visible(view)}: changes there do not affect this machine`];
}

/** A target reached through a proxy is judged by the proxy, not by an address. */
function byWay(policy: CallPolicy, questions: ExplainTarget["questions"]): ExplainTarget["questions"] {
  const [first, ...others] = questions;
  if (first.ask !== "connect") return questions;
  const proxy = proxyOf(policy, first.target);
  if (proxy === null) return questions;
  const target = { ...first.target, address: first.target.host, proxy: proxy.url };
  return [{ ...first, target }, ...others];
}

function proxyOf({ settings, withApproval: onYes }: CallPolicy, target: ConnectTarget): UpstreamProxy | null {
  return proxyFor(settings.upstream ?? null, onYes.profile.network, target, target.port === 80);
}

type ConnectTarget = Extract<ProfileQuestion, { readonly ask: "connect" }>["target"];

function hostNotes(policy: CallPolicy, target: ConnectTarget): readonly string[] {
  const isAsked = asksForHosts(policy);
  if (!isProxied(policy.withApproval.profile, { asksForHosts: isAsked })) return [];
  const proxy = proxyOf(policy, target);
  return [
    proxy === null
      ? "the egress proxy checks the name, then each of its addresses when a program connects"
      : `the egress proxy checks only the name: the proxy ${proxy.url} looks up the address`,
    ...(isAsked ? ["a person is asked about a host that is not listed"] : []),
  ];
}

/** A missing path is decided by its nearest existing folder. */
function placeNotes(asked: ProfileQuestion, decided: ProfileQuestion): readonly string[] {
  return asked === decided || !("path" in decided) ? [] : [`decided by its folder ${visible(decided.path)}`];
}

/** Notes on files that may be created but are not kept. */
function afterNotes(
  { host, loaded }: Draft,
  asked: ProfileQuestion,
  { onYes, looser }: Answer,
): readonly string[] {
  if (asked.ask !== "write" || !isLet(onYes, looser.onYes)) return [];
  const foreseen = foreseenFor(host, loaded, asked.path);
  return foreseen === null ? [] : [foreseen];
}
