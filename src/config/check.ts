import { existsSync } from "node:fs";
import { type Position, printPosition, visible } from "../errors.ts";
import { isAtMost } from "../profile/access.ts";
import { type PathFacts, pathRuler } from "../profile/access-to.ts";
import { envOutside } from "../profile/env-pattern.ts";
import { explain, type LayerAnswer, maskKey } from "../profile/explain.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { meetNetworks, reachesSome } from "../profile/network.ts";
import { PROTECTED_LAYER } from "../profile/own-layers.ts";
import { joinPath } from "../profile/path.ts";
import { type Pattern, plainText } from "../profile/pattern.ts";
import { isPortIn } from "../profile/ports.ts";
import { networkFrom } from "../profile/sections.ts";
import { approvalFindings } from "./approval-findings.ts";
import type { LoadedConfig } from "./config.ts";
import { type ConfigFinding, failure, placeOf, warning } from "./finding.ts";
import { gitFindings } from "./git-findings.ts";
import { mcpFindings } from "./mcp-findings.ts";
import { reviewerFindings } from "./reviewer-words.ts";
import { ruleFindings } from "./rule-findings.ts";
import { shippedFolder } from "./shipped.ts";
import type { YamlPath } from "./yaml.ts";

const FOLDER: PathFacts = { kind: "folder", bornInside: false };

/** All findings about a loaded config without running anything, for `cofferdam check`; errors first. */
export function findings(loaded: LoadedConfig): readonly ConfigFinding[] {
  const found = [
    ...runtimeFindings(loaded),
    ...networkFindings(loaded),
    ...hostFindings(loaded),
    ...portFindings(loaded),
    ...mcpFindings(loaded),
    ...modeFindings(loaded),
    ...envFindings(loaded),
    ...rootFindings(loaded),
    ...gitFindings(loaded.config),
    ...ruleFindings(loaded),
    ...approvalFindings(loaded),
    ...reviewerFindings(loaded),
    ...maskFindings(loaded),
  ];
  return [
    ...found.filter((one) => one.severity === "error"),
    ...found.filter((one) => one.severity === "warning"),
  ];
}

/** Requirements of programs that operators cut off: the call would be rejected with `CEILING_CUTS_RUNTIME`. */
function runtimeFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const ruler = pathRuler(ceiling.profile);
  return config.runtimes.flatMap(({ name, read }): readonly ConfigFinding[] => {
    const path = read.find((one) => !isAtMost("read", ruler(one, FOLDER).access));
    const [first, ...rest] = ceiling.layers;
    if (path === undefined || first === undefined) return [];
    const { layer, at } = explain([first, ...rest], { ask: "read", path, facts: FOLDER }).decidedBy;
    const hint = 'add `- { path: "${runtime}", access: read }` to its `files`';
    return [
      failure(
        `the profile ${visible(layer)} does not allow ${visible(path)}, which programs of ${name} need to start`,
        hint,
        at,
      ),
    ];
  });
}

function networkFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const wanted = networkFrom(config.shell.network);
  if (wanted !== "host") return [];
  const layer = ceiling.layers.find((one) => meetNetworks(wanted, one.profile.network) !== wanted);
  if (layer === undefined) return [];
  const hint = "write `network: false`, or `network: host` in that profile";
  return [
    failure(
      `the profile ${visible(layer.name)} does not allow the machine's own network`,
      hint,
      placeOf(config, ["shell", "network"]),
    ),
  ];
}

function hostFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const { network } = config.shell;
  const hosts = typeof network === "object" ? network.hosts : [];
  const cutBy = (written: string): string | null => {
    const rule = parseHostRule(written);
    const layer = ceiling.layers.find((one) => !reachesSome(one.profile.network, rule));
    if (layer !== undefined) return `the profile ${visible(layer.name)} does not allow it`;
    return reachesSome(ceiling.profile.network, rule)
      ? null
      : "the operator profiles together do not allow it";
  };
  const found = (written: string, what: string, place: YamlPath): readonly ConfigFinding[] => {
    const by = cutBy(written);
    const hint = "remove it, or list it under `network` of that profile";
    return by === null ? [] : [warning(`${what}: ${by}`, hint, placeOf(config, place))];
  };
  return [
    ...config.webFetch.domains.flatMap((domain, index) =>
      found(domain, `no page of ${visible(domain)} can be fetched`, ["web_fetch", "domains", index]),
    ),
    ...hosts.flatMap((host, index) =>
      found(host, `no command reaches ${visible(host)}`, ["shell", "network", "hosts", index]),
    ),
  ];
}

function portFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const { ports, network } = config.shell;
  const at = placeOf(config, ["shell", "ports"]);
  const cut = ports.flatMap((port): readonly ConfigFinding[] => {
    const layer = ceiling.layers.find((one) => !isPortIn(one.profile.ports, port));
    if (layer === undefined) return [];
    const hint = "remove it, or list it under `ports` of that profile";
    return [
      warning(`no call opens port ${port}: the profile ${visible(layer.name)} does not allow it`, hint, at),
    ];
  });
  const isNeedless = ports.length > 0 && networkFrom(network) === "host";
  const needless =
    "no call opens a port: with `network: host` its servers listen on the machine's own network";
  const hint = "remove `ports`, or list hosts in place of `network: host`";
  return [...cut, ...(isNeedless ? [warning(needless, hint, at)] : [])];
}

function modeFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const { mode } = config.approval;
  const { modes } = ceiling.approval;
  if (modes.includes(mode)) return [];
  const hint =
    modes.length === 0
      ? "the operator profiles together allow no mode: widen `approval.modes` in one of them"
      : `write ${modes.map((one) => `\`mode: ${one}\``).join(" or ")} under \`approval\``;
  return [
    failure(
      `operators do not allow the approval mode ${visible(mode)}`,
      hint,
      placeOf(config, ["approval", "mode"]),
    ),
  ];
}

/** Names that a config lists and operators cut off; the defaults are cut silently. */
function envFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const { pass, set } = config.sandbox.env;
  const written = [
    ...pass.map((pattern, index) => ({ pattern, place: ["sandbox", "env", "pass", index] })),
    ...Object.keys(set).map((pattern) => ({ pattern, place: ["sandbox", "env", "set", pattern] })),
  ];
  return written.flatMap(({ pattern, place }): readonly ConfigFinding[] => {
    const at = placeOf(config, place);
    if (at === null || envOutside([pattern], ceiling.profile.env) === null) return [];
    const layer = ceiling.layers.find((one) => envOutside([pattern], one.profile.env) !== null);
    const hint = `remove it, or list \`${pattern}\` under \`env\` of ${layer === undefined ? "every profile that has `env`" : `the profile \`${layer.name}\``}`;
    return [failure(`operators do not allow the variable ${visible(pattern)}`, hint, at)];
  });
}

/** Shipped protections apply to every tool. */
function rootRemedy({ layer, access }: LayerAnswer): string {
  const others = layer === PROTECTED_LAYER ? "" : `, or change the profile ${visible(layer)}`;
  if (access === "read") return `write \`mode: ro\` for it, or name another folder${others}`;
  return others === ""
    ? "name another folder: no config or operator profile can allow this one"
    : `name another folder${others}`;
}

function rootFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  const [first, ...rest] = ceiling.layers;
  if (first === undefined) return [];
  return config.roots.flatMap((root): readonly ConfigFinding[] => {
    const ask = root.mode === "rw" ? "write" : "read";
    const { allowed, decidedBy } = explain([first, ...rest], { ask, path: root.path, facts: FOLDER });
    if (allowed) return [];
    const where = decidedBy.at === null ? "" : ` at ${printPosition(decidedBy.at)}`;
    const left = decidedBy.access === "read" ? "may only be read" : "cannot be used";
    return [
      warning(
        `the root ${visible(root.name)} ${left}: ${decidedBy.because} by ${visible(decidedBy.layer)}${where}`,
        rootRemedy(decidedBy),
        root.at,
      ),
    ];
  });
}

/** Masks of one path without its start: as globs they don't cover a path that does not exist yet. */
function maskFindings({ config, ceiling }: LoadedConfig): readonly ConfigFinding[] {
  return ceiling.layers.flatMap((layer) =>
    layer.profile.masks.flatMap((mask): readonly ConfigFinding[] => {
      const at = layer.sources.get(maskKey(mask)) ?? null;
      const names = namesAnywhere(mask.pattern);
      if (names === null || isShipped(at) || !existsSync(joinPath(config.workspace, names))) return [];
      const literal = `\${workspace}/${names}`;
      return [
        warning(
          `the mask ${visible(names)} covers only files that exist when a call starts`,
          `if you mean that one path, write \`${literal}\``,
          at,
        ),
      ];
    }),
  );
}

/** The names of a pattern that is a plain relative path of at least two names. */
function namesAnywhere({ segments: [first, ...rest] }: Pattern): string | null {
  if (first?.kind !== "any-names" || rest.length < 2) return null;
  const names = rest.map((segment) => (segment.kind === "name" ? plainText(segment.pieces) : null));
  return names.includes(null) ? null : names.join("/");
}

function isShipped(at: Position | null): boolean {
  return at?.file.startsWith(`${shippedFolder()}/`) ?? false;
}
