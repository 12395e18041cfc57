import type { Config } from "../config/config.ts";

/** Settings that are read once, when a supervisor starts or a client connects. */
function settingsAtStart({ approval, journal, sandbox }: Config): Readonly<Record<string, unknown>> {
  return {
    "approval.store": approval.store,
    "approval.channels": approval.channels,
    "approval.wait": approval.wait,
    "approval.timeout": approval.timeout,
    "approval.on_timeout": approval.on_timeout,
    "approval.keep": approval.keep,
    "approval.most_pending": approval.most_pending,
    "approval.most_pending_size": approval.most_pending_size,
    "sandbox.os_sandbox_fallback": sandbox.os_sandbox_fallback,
    journal: [journal.folder, journal.keepMs],
  };
}

/** The settings that differ from those at the start, and that only a restart applies. */
export function restartKeys(atStart: Config, now: Config): readonly string[] {
  const [before, after] = [settingsAtStart(atStart), settingsAtStart(now)];
  return Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
