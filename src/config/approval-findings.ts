import { visible } from "../errors.ts";
import type { ApprovalSection } from "../policy/approval-section.ts";
import { areAnyArguments, printToolRule } from "../policy/rule-reach.ts";
import { coversGlob } from "../shell/glob.ts";
import { shellAction } from "../shell/rule.ts";
import { commandDecisions } from "./command-decisions.ts";
import type { Config, LoadedConfig } from "./config.ts";
import { type ConfigFinding, placeOf, warning } from "./finding.ts";

/** Settings of `approval:` that allow more without approval than expected, or have no effect. */
export function approvalFindings({ config }: LoadedConfig): readonly ConfigFinding[] {
  const { rules, risk_defaults: defaults } = config.approval;
  const everything = rules.flatMap((rule, index): readonly ConfigFinding[] => {
    if (rule.action !== "allow" || !coversGlob(rule.pattern, "*") || !areAnyArguments(rule.args)) return [];
    return [
      warning(
        `the rule ${visible(printToolRule(rule))} lets every tool run without asking, unless another rule asks or denies`,
        "allow tools by name, and leave the others to `risk_defaults`",
        placeOf(config, ["approval", "rules", index]),
      ),
    ];
  });
  const unused = unusedTimes(config.approval).flatMap(({ key, because, hint }): readonly ConfigFinding[] => {
    const at = placeOf(config, ["approval", key]);
    return at === null ? [] : [warning(`\`${key}\` has no effect: ${because}`, hint, at)];
  });
  return [
    ...everything,
    ...overriddenFindings(config),
    ...(defaults.destructive === "allow"
      ? [
          warning(
            "`destructive: allow` lets destructive tools without a rule run without asking",
            "write `destructive: ask`, and allow single tools by rules",
            placeOf(config, ["approval", "risk_defaults", "destructive"]),
          ),
        ]
      : []),
    ...unused,
  ];
}

/** Shell rules that allow have no effect if a rule on tools asks about every command. */
function overriddenFindings(config: Config): readonly ConfigFinding[] {
  const { by } = commandDecisions(config);
  const { rules } = config.shell;
  if (by === null || by.action === "deny") return [];
  const overridden = by.action === "allow" ? undefined : rules.find((rule) => shellAction(rule) === "allow");
  if (overridden === undefined) return [];
  return [
    warning(
      `the rule ${visible(overridden.pattern)} never allows: the tool rule ${visible(printToolRule(by))} asks about every command that no shell rule denies`,
      "remove the tool rule, and write `approval` for each command under `shell.rules`",
      placeOf(config, ["approval", "rules", config.approval.rules.indexOf(by)]),
    ),
  ];
}

function unusedTimes({ wait, on_timeout: onTimeout }: ApprovalSection) {
  const timeout = { key: "timeout", hint: "remove it, or write `on_timeout: error` or `deny`" } as const;
  const keep = { key: "keep", hint: "remove it, or `on_timeout`" } as const;
  if (onTimeout === undefined)
    return wait === "suspend"
      ? [{ ...timeout, because: "with `wait: suspend` a request expires after `keep`" }]
      : [];
  if (onTimeout !== "wait")
    return [
      { ...keep, because: `with \`on_timeout: ${onTimeout}\` every request expires after \`timeout\`` },
    ];
  const because = "with `on_timeout: wait` a request never expires";
  return [
    { ...timeout, because },
    { ...keep, because },
  ];
}
