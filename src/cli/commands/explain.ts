import { isProxied } from "../../backend/proxy-way.ts";
import { columns, indented } from "../../channel/columns.ts";
import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { thisHost } from "../../host/host.ts";
import { printQuestion } from "../../profile/examples.ts";
import type { Explanation, Question } from "../../profile/explain.ts";
import { isInside, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { CLOSED, type Profile } from "../../profile/profile.ts";
import { proxyFor } from "../../profile/proxy-for.ts";
import type { UpstreamProxy } from "../../profile/upstream.ts";
import { quote } from "../../shell/quote.ts";
import { foreseenFor } from "../../supervisor/appeared/foreseen.ts";
import { createDraft, type Draft } from "../../supervisor/draft.ts";
import { type CallExplanation, explainCall, explainNeed } from "../../supervisor/explain.ts";
import { asksForHosts, type Standing } from "../../supervisor/standing.ts";
import { deriveEnvironment } from "../../tool/derive.ts";
import { COMMON, chosen, knownWord, readArguments, takeWords } from "../arguments.ts";
import { printPlace } from "../place.ts";
import type { Print } from "../print.ts";
import { ASKS, type Target, targetOf } from "../target.ts";

/**
 * Says why something may be read, written or reached, or not. Runs nothing and writes nothing; the status is 0 either
 * way.
 */
export async function explain(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("explain", args, COMMON);
  takeWords("explain", positionals, [
    "read|write|remove|rename|connect|env|syscalls|devices|macos|port",
    "TARGET",
  ]);
  const [word = "", text = ""] = positionals;
  const ask = knownWord("explain", "question", word, ASKS);
  const host = thisHost();
  const target = targetOf(host, ask, text);
  const draft = createDraft({ host, ...chosen(values) });
  const questions = questionsUnder(draft.standing.onYes.profile, byWay(draft.standing, target.questions));
  const { answer, unplanned } = await answerAll(draft, questions);
  const [asked] = target.questions;
  const notes = [
    ...target.notes,
    ...placeNotes(asked, answer.question),
    ...viewNotes(draft, answer.question),
    ...afterNotes(draft, asked, answer),
    ...(unplanned === null ? [] : [`the plan is not known: ${unplanned}`]),
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
      notes,
    });
  } else {
    print.result(print.ink.bold(printQuestion(asked)));
    for (const line of indented(notes)) print.result(print.ink.dim(line));
    show(answer, host.cwd, print);
  }
  return 0;
}

/** A place that is missing and that a profile lists is made for each call: what would lie in it is decided by that, not by the folder above. */
function questionsUnder({ files }: Profile, questions: Target["questions"]): Target["questions"] {
  const [made, above] = questions;
  if (above === undefined || !("facts" in made) || !("facts" in above) || above.facts.kind !== "folder")
    return questions;
  const first = [...upwards(made.path)].find((at) => parentOf(at) === above.path);
  const isOpened = files.some(({ path, access }) => path === first && access === "write");
  return first === undefined || !isOpened ? questions : [made, { ...above, path: first }];
}

type Answer = CallExplanation & { readonly question: Question };

/** The answer that decides: the first that is no even on a yes, else the first that is no unasked, else the first. */
async function answerAll(
  draft: Draft,
  questions: readonly [Question, ...Question[]],
): Promise<{ readonly answer: Answer; readonly unplanned: string | null }> {
  const { standing } = draft;
  const { settings, ceiling, needs } = standing;
  const [cwd] = settings.roots.map((root) => root.path);
  const prepared = await draft
    .prepare({ argv: ["true"], ...(cwd === undefined ? {} : { cwd }) })
    .catch(reasonOf);
  const answerTo = (question: Question): Answer => {
    if (typeof prepared !== "string") return { question, ...explainCall(prepared, question) };
    const [unasked, onYes] = [needs.unasked, needs.onYes].map((need) =>
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
  return { answer, unplanned: typeof prepared === "string" ? prepared : null };
}

/** Without a launcher, or over a tree that can't be searched or doesn't keep still, there is an answer and no plan. */
function reasonOf(error: unknown): string {
  if (
    error instanceof CofferdamError &&
    ["SANDBOX_UNAVAILABLE", "NOT_ENFORCEABLE", "FACTS_UNSTABLE"].includes(error.code)
  )
    return error.message;
  throw error;
}

/** What every call has for itself is no file of this machine, whatever its path, and no variable of the caller's. */
function viewNotes({ standing }: Draft, question: Question): readonly string[] {
  if (question.ask === "connect") return hostNotes(standing, question.target);
  if (question.ask === "env") {
    const own = deriveEnvironment(standing.settings, CLOSED, { uid: 0, home: ROOT }, {});
    return question.name in own
      ? [`every call has a ${question.name} of its own, whatever the caller's says`]
      : [];
  }
  if (!("facts" in question)) return [];
  const view = standing.backend.viewAround(question.path);
  if (view === null || standing.settings.roots.some((root) => isInside(question.path, root.path))) return [];
  return [`every call has a ${visible(view)} of its own: what it does there is not done here`];
}

/** What is reached by a proxy is judged by that, not by an address. */
function byWay(standing: Standing, questions: Target["questions"]): Target["questions"] {
  const [first, ...others] = questions;
  if (first.ask !== "connect") return questions;
  const proxy = proxyOf(standing, first.target);
  if (proxy === null) return questions;
  const target = { ...first.target, address: first.target.host, proxy: proxy.url };
  return [{ ...first, target }, ...others];
}

function proxyOf({ settings, onYes }: Standing, target: ConnectTarget): UpstreamProxy | null {
  return proxyFor(settings.upstream ?? null, onYes.profile.network, target, target.port === 80);
}

type ConnectTarget = Extract<Question, { readonly ask: "connect" }>["target"];

/** Who decides about hosts while a command runs. */
function hostNotes(standing: Standing, target: ConnectTarget): readonly string[] {
  const isAsked = asksForHosts(standing);
  if (!isProxied(standing.onYes.profile, { asksForHosts: isAsked })) return [];
  const proxy = proxyOf(standing, target);
  return [
    proxy === null
      ? "the egress proxy decides: by the name, then by each address that the name has when a program connects"
      : `the egress proxy decides by the name alone: the host is reached by the proxy ${proxy.url}, which finds its address`,
    ...(isAsked ? ["about a host that is not listed a person is asked then"] : []),
  ];
}

/** What does not exist yet is decided by the nearest folder that does. */
function placeNotes(asked: Question, decided: Question): readonly string[] {
  return asked === decided || !("path" in decided)
    ? []
    : [`decided by ${visible(decided.path)}, which it would lie in`];
}

/** What may be made, and does not stay. */
function afterNotes({ host, loaded }: Draft, asked: Question, { onYes, looser }: Answer): readonly string[] {
  if (asked.ask !== "write" || !isLet(onYes, looser.onYes)) return [];
  const foreseen = foreseenFor(host, loaded, asked.path);
  return foreseen === null ? [] : [foreseen];
}

/** What the walls let happen is no denial, whatever the profile says. */
function isLet({ allowed }: Explanation, looser: string | null): boolean {
  return allowed || looser !== null;
}

function show(
  { unasked, onYes, clause, tighter, stays, looser }: Answer,
  folder: string,
  print: Print,
): void {
  const { ink } = print;
  print.result();
  const isSame =
    isLet(unasked, looser.unasked) === isLet(onYes, looser.onYes) &&
    unasked.decidedBy.because === onYes.decidedBy.because;
  const sides: readonly (readonly [string, Explanation, string | null])[] = isSame
    ? [["always", onYes, looser.onYes]]
    : [
        ["unasked", unasked, looser.unasked],
        ["on a yes", onYes, looser.onYes],
      ];
  for (const [when, explanation, why] of sides) {
    const { layer, because } = explanation.decidedBy;
    const word = isLet(explanation, why) ? ink.good("yes") : ink.bad("no ");
    print.result(`  ${when.padEnd(8)}  ${word}  ${why ?? `${layer}: ${because}`}`);
  }
  print.result();
  const { layers, decidedBy } = onYes.allowed ? unasked : onYes;
  const rows = layers.map((one) => [
    one === decidedBy ? ">" : "",
    one.layer,
    one.allowed ? "yes" : "no",
    one.because,
    printPlace(one.at, folder),
  ]);
  for (const line of columns(rows, [ink.bold, undefined, undefined, undefined, ink.dim])) print.result(line);
  const remedy = onYes.decidedBy.remedy ?? null;
  if (!onYes.allowed && remedy !== null) {
    print.result();
    print.result(`  ${ink.dim("do:")} ${escapeInvisible(remedy)}`);
  }
  if (tighter.length > 0 || stays !== null) print.result();
  if (stays !== null) print.result(`  but  ${escapeInvisible(stays)}`);
  for (const reason of tighter) print.result(`  tighter inside  ${escapeInvisible(reason)}`);
  if (clause === null) return;
  print.result();
  // Options are shown as words of a command line, a rule of a profile language as it is.
  const words = clause.args.map((arg) => (arg.startsWith("(") ? escapeInvisible(arg) : quote([arg])));
  print.result(`  enforced by  ${words.length === 0 ? "a mount on the symlink itself" : words.join(" ")}`);
}
