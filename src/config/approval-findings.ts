import { waitOf } from "../approval/wait.ts";
import { visible } from "../errors.ts";
import { areAnyArguments, printToolRule } from "../policy/rule-reach.ts";
import { coversGlob } from "../shell/glob.ts";
import type { Loaded } from "./config.ts";
import { type Finding, placeOf, warning } from "./finding.ts";

/** Settings of `approval:` that let more run unasked than a person may think, or say nothing. */
export function approvalFindings({ config }: Loaded): readonly Finding[] {
  const { rules, risk_defaults: defaults } = config.approval;
  const { onTimeout } = waitOf({}, config.approval);
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
  const timeout = placeOf(config, ["approval", "timeout"]);
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
    ...(timeout !== null && onTimeout === "wait"
      ? [
          warning(
            `\`timeout\` means nothing: with ${config.approval.on_timeout === undefined ? "`wait: suspend`" : "`on_timeout: wait`"} a question has no end`,
            "remove it, or write `on_timeout: error` or `deny`",
            timeout,
          ),
        ]
      : []),
  ];
}
