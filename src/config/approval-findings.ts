import { visible } from "../errors.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import { areAnyArguments, printToolRule } from "../policy/rule-reach.ts";
import { coversGlob } from "../shell/glob.ts";
import type { Loaded } from "./config.ts";
import { type Finding, placeOf, warning } from "./finding.ts";

/** Settings of `approval:` that let more run unasked than a person may think, or say nothing. */
export function approvalFindings({ config }: Loaded): readonly Finding[] {
  const { rules, risk_defaults: defaults } = config.approval;
  const everything = rules.flatMap((rule, index): readonly Finding[] => {
    if (rule.action !== "allow" || !coversGlob(rule.pattern, "*") || !areAnyArguments(rule.args)) return [];
    return [
      warning(
        `the rule ${visible(printToolRule(rule))} lets every tool run unasked, but for what other rules say`,
        "allow tools by their names, and leave the rest to `risk_defaults`",
        placeOf(config, ["approval", "rules", index]),
      ),
    ];
  });
  const unused = unusedTimes(config.approval).flatMap(({ key, because, hint }): readonly Finding[] => {
    const at = placeOf(config, ["approval", key]);
    return at === null ? [] : [warning(`\`${key}\` means nothing: ${because}`, hint, at)];
  });
  return [
    ...everything,
    ...(defaults.destructive === "allow"
      ? [
          warning(
            "`destructive: allow` lets tools that no rule covers do unasked what is hard to take back",
            "write `destructive: ask`, and allow single tools by rules",
            placeOf(config, ["approval", "risk_defaults", "destructive"]),
          ),
        ]
      : []),
    ...unused,
  ];
}

/** Times of questions that may be written and are not obeyed, each with the reason. */
function unusedTimes({ wait, on_timeout: onTimeout }: ApprovalSection) {
  const timeout = { key: "timeout", hint: "remove it, or write `on_timeout: error` or `deny`" } as const;
  const keep = { key: "keep", hint: "remove it, or `on_timeout`" } as const;
  if (onTimeout === undefined)
    return wait === "suspend"
      ? [{ ...timeout, because: "with `wait: suspend` a question ends after `keep`" }]
      : [];
  if (onTimeout !== "wait")
    return [{ ...keep, because: `with \`on_timeout: ${onTimeout}\` every question ends after \`timeout\`` }];
  const because = "with `on_timeout: wait` a question has no end";
  return [
    { ...timeout, because },
    { ...keep, because },
  ];
}
