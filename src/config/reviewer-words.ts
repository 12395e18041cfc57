import { escapeInvisible, visible } from "../errors.ts";
import { hideInWords } from "../policy/redact.ts";
import { printDuration } from "../profile/quantity.ts";
import { quoted } from "../shell/quote.ts";
import { OWN_TOOL_NAMES } from "../tool/own-tool-names.ts";
import type { Config, LoadedConfig, ReviewerPlace } from "./config.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";

/** The reviewer of a config in words: what it is, what it may answer, and its access. Empty without one. */
export function reviewerWords({ reviewer }: Pick<Config, "reviewer">): readonly string[] {
  return reviewer === null ? [] : [wordsOf(reviewer)];
}

function wordsOf({ section, read, files, digest }: ReviewerPlace): string {
  const { command = [], url, may, only, needs, budget } = section;
  const what = url === undefined ? quoted(hideInWords(command)) : url;
  const verdicts = may.map((one) => VERDICTS[one]).join(" and ");
  const others = read.filter((path) => !files.includes(path));
  return [
    `${escapeInvisible(what)} ${verdicts} calls of ${only.tools.map(escapeInvisible).join(", ")}`,
    `at most ${budget.calls} a session and ${budget.in_a_row} in a row, each within ${printDuration(budget.timeout)}`,
    ...(others.length === 0 ? [] : [`reads ${others.map(escapeInvisible).join(", ")}`]),
    ...(needs.hosts.length === 0 ? [] : [`reaches ${needs.hosts.map(escapeInvisible).join(", ")}`]),
    ...(needs.env.length === 0 ? [] : [`gets the variables ${needs.env.join(", ")}`]),
    ...(url === undefined ? [] : ["runs outside of any sandbox"]),
    `SHA-256 ${digest.slice(0, 16)}`,
  ].join(", ");
}

const VERDICTS = { allow_once: "ALLOWS WITHOUT A PERSON", deny: "denies" } as const;

/** Settings of a reviewer that have no effect. */
export function reviewerFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const { reviewer, approval } = config;
  if (reviewer === null) return [];
  const found = (message: string, hint: string, ...place: readonly (string | number)[]): ConfigFinding =>
    warning(message, hint, placeOf(config, ["approval", "reviewer", ...place]));
  const own = reviewer.section.only.tools.flatMap((name, index): readonly ConfigFinding[] =>
    OWN_TOOL_NAMES.has(name)
      ? [
          found(
            `the reviewer is never asked about ${visible(name)}: it reviews tools of your own and of MCP servers`,
            name === "shell" ? "use `shell.default` and `shell.rules` for commands" : "remove the name",
            ...["only", "tools", index],
          ),
        ]
      : [],
  );
  return [
    ...own,
    ...(ceiling.approval.reviewer
      ? []
      : [found("an operator profile forbids a reviewer: it answers nothing", "remove `reviewer`")]),
    ...(approval.mode === "interactive"
      ? []
      : [
          found(
            `\`mode: ${approval.mode}\` leaves no request for the reviewer`,
            "remove `reviewer`, or the mode",
          ),
        ]),
  ];
}
