import type { ConfigChange } from "../call/config-watch.ts";
import type { SupervisorContext } from "../call/supervisor-context.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { printPosition, visible } from "../errors.ts";
import { isWithin } from "../profile/compare.ts";
import { restartKeys } from "./restart-keys.ts";

/** The meaning of a change for the sessions of a supervisor that began with the config `atStart`. */
export function configChange(
  before: SupervisorContext,
  now: SupervisorContext,
  atStart: SupervisorContext["loaded"],
): ConfigChange {
  const { origin } = (now.changed ?? now.loaded).config;
  const config = origin.kind === "default" ? null : origin.file;
  const restart = restartKeys(atStart.config, now.loaded.config);
  const isWider = before.stopped !== null || !isPolicyWithin(now.policy, before.policy);
  if (now.stopped !== null)
    return { effect: "stopped", config, message: stoppedText(now.stopped), isWider: false, restart };
  const name = config === null ? "the built-in config" : visible(config);
  if (now.changed !== null) {
    const message = `${name} has changed and is not trusted: calls get only what it and the trusted one both allow (\`cofferdam trust\` makes it apply)`;
    return { effect: "restricted", config, message, isWider, restart };
  }
  const access = isWider ? "; calls may get more access than before" : "";
  const later = restart.length === 0 ? "" : `; restart to apply ${restart.join(", ")}`;
  const message = `${name} and the operator profiles apply as they are now${access}${later}`;
  return { effect: "applied", config, message, isWider, restart };
}

function stoppedText({ message, hint = "", at }: NonNullable<SupervisorContext["stopped"]>): string {
  const where = at === undefined ? "" : `${printPosition(at)}: `;
  return `no call runs from now on: ${where}${message}${hint === "" ? "" : ` (${hint})`}`;
}

function isPolicyWithin(a: CallPolicy, b: CallPolicy): boolean {
  const pairs = [
    [a, b],
    [a.files.reading, b.files.reading],
    [a.files.writing, b.files.writing],
  ] as const;
  return pairs.every(
    ([one, other]) =>
      isWithin(one.withoutApproval.profile, other.withoutApproval.profile) &&
      isWithin(one.withApproval.profile, other.withApproval.profile),
  );
}
