import { CofferdamError } from "../errors.ts";
import {
  type FailedRuleExample,
  failedOperatorExamples,
  failedShellExamples,
  failedToolExamples,
} from "../policy/rule-examples.ts";
import type { ConfigFile, ProfileFile } from "./schema.ts";
import { toolLayers } from "./tool-layers.ts";
import { positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/** Checks the examples of every rule of a config. Throws `CONFIG_INVALID` at the first that fails. */
export function assertConfigExamples({ shell, approval, mcp }: ConfigFile, yaml: YamlFile): void {
  refuseFailed(
    [
      ...failuresOf(shell.rules, ["shell"], failedShellExamples),
      ...toolLayers({ approval, mcp }).flatMap(({ path, agent, rules }) =>
        failuresOf(rules, path, (rule) => failedToolExamples(rule, agent)),
      ),
    ],
    yaml,
  );
}

/** The same for the rules of an operator file. Throws `PROFILE_INVALID`. */
export function assertRuleExamples({ approval }: ProfileFile, yaml: YamlFile): void {
  refuseFailed(failuresOf(approval?.rules ?? [], ["approval"], failedOperatorExamples), yaml);
}

interface Failure extends FailedRuleExample {
  readonly path: YamlPath;
}

function failuresOf<Rule>(
  rules: readonly Rule[],
  above: YamlPath,
  failed: (rule: Rule) => readonly FailedRuleExample[],
): readonly Failure[] {
  return rules.flatMap((rule, at) =>
    failed(rule).map((one) => ({ ...one, path: [...above, "rules", at, one.list, one.index] })),
  );
}

function refuseFailed(failures: readonly Failure[], yaml: YamlFile): void {
  const [first] = failures;
  if (first === undefined) return;
  const more = failures.length === 1 ? "" : `, and ${failures.length - 1} more`;
  throw new CofferdamError(yaml.code, `${first.message}${more}`, {
    hint: first.hint,
    at: positionAt(yaml, first.path, "value"),
  });
}
