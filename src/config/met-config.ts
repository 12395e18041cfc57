import { isDeepStrictEqual } from "node:util";
import { strictestAppeared } from "../policy/appeared-policy.ts";
import { meetApproval, type OperatorApproval } from "../policy/approval-section.ts";
import type { Layer } from "../profile/explain.ts";
import { intersect } from "../profile/intersect.ts";
import type { SandboxSection } from "../tool/settings.ts";
import type { Ceiling, LoadedConfig } from "./config.ts";

/**
 * A trusted config together with a changed one that is not trusted, for what no profile and no verdict holds: the
 * stricter of both settings, both ceilings, and the files of both. Its roots and rules are the trusted ones.
 */
export function meetConfigs(trusted: LoadedConfig, changed: LoadedConfig): LoadedConfig {
  const { config } = trusted;
  return {
    ...trusted,
    config: {
      ...config,
      sandbox: meetSandbox(config.sandbox, changed.config.sandbox),
      // A reviewer turns questions into permission: it must be the same in both.
      reviewer: isDeepStrictEqual(config.reviewer, changed.config.reviewer) ? config.reviewer : null,
    },
    ceiling: meetCeilings(trusted.ceiling, changed.ceiling),
    files: [...new Set([...trusted.files, ...changed.files])],
    watched: [...new Set([...trusted.watched, ...changed.watched])],
  };
}

function meetSandbox(a: SandboxSection, b: SandboxSection): SandboxSection {
  return {
    ...a,
    require_os_sandbox: a.require_os_sandbox || b.require_os_sandbox,
    isolate_calls: a.isolate_calls || b.isolate_calls,
    appeared: strictestAppeared(a.appeared, b.appeared),
  };
}

/** Both ceilings; a layer that is in both counts once. */
function meetCeilings(a: Ceiling, b: Ceiling): Ceiling {
  const isNew = (layer: Layer): boolean => !a.layers.some((one) => isSame(one, layer));
  const rules = a.approval.rules.map((rule) => JSON.stringify(rule));
  const more: OperatorApproval = {
    ...b.approval,
    rules: b.approval.rules.filter((rule) => !rules.includes(JSON.stringify(rule))),
  };
  return {
    layers: [...a.layers, ...b.layers.filter(isNew)],
    labels: [...new Set([...a.labels, ...b.labels])],
    profile: intersect(a.profile, b.profile),
    approval: meetApproval(a.approval, more),
    executed: [...a.executed, ...b.executed.filter((row) => !a.executed.some((one) => isSame(one, row)))],
    appeared: strictestAppeared(a.appeared, b.appeared),
    runAs: a.runAs === "not-root" ? a.runAs : b.runAs,
  };
}

/** Layers are data, but for their maps, which only explain. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
