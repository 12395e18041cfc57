import { BACKENDS } from "../backend/all.ts";
import { columns } from "../channel/columns.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { simulatedMac } from "../host/look/mac/simulated.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { printShortfall, shortfall } from "../profile/shortfall.ts";
import { createDraft, type Draft } from "../session/draft.ts";
import { usage } from "./arguments.ts";
import { printPart } from "./headings.ts";
import { profileNamed } from "./operator-profiles.ts";
import { printPlace } from "./place.ts";
import { planLines } from "./plan-text.ts";
import type { Print } from "./print.ts";
import { profileJson } from "./profile-json.ts";
import { type Origins, profileLines } from "./profile-text.ts";
import { macLines } from "./rule-text.ts";

/** Output formats of a profile: for people, as data, or as a backend renders it. */
export const FORMATS = ["text", "json", "bwrap", "seatbelt"] as const;
type Format = (typeof FORMATS)[number];
const BACKEND_OF = { bwrap: "bubblewrap", seatbelt: "seatbelt" } as const;

/** The profile to show: that of calls here, or one operator profile. */
export interface ShowRequest {
  readonly name: string | null;
  readonly format: Format;
  readonly config?: string;
  readonly profiles?: readonly string[];
}

/** Shows the profile that calls get here, or that of one operator file under this config. Writes nothing. */
export async function showProfile(
  host: Host,
  { name, format, ...choice }: ShowRequest,
  print: Print,
): Promise<number> {
  const draft = createDraft({ host: hostFor(host, format), ...choice });
  if (format === "bwrap" || format === "seatbelt") {
    if (name !== null)
      throw usage(
        "profile",
        "this format shows the plan of a call, not one profile",
        `use \`--profile ${name}\` instead of the name`,
      );
    await showPlan(draft, format, draft.host, print);
  } else if (name !== null) {
    const { profile, layers } = profileNamed(host, draft.loaded.config, name);
    if (format === "json") print.json(profileJson(profile));
    else for (const line of profileLines(profile, originsIn(layers, host.cwd), print.ink)) print.result(line);
  } else if (format === "json") print.json(profileJson(draft.policy.withApproval.profile));
  else showGranted(draft, host.cwd, print);
  return 0;
}

/** Rules of macOS need a Mac; on another system, a standard Mac is assumed. */
function hostFor(host: Host, format: Format): Host {
  return format === "seatbelt" && host.platform !== "darwin"
    ? { ...host, simulated: simulatedMac(host.user) }
    : host;
}

/** The access of calls after an approval, and where it exceeds that without approval. */
function showGranted({ policy, loaded }: Draft, folder: string, print: Print): void {
  const { ink } = print;
  for (const note of loaded.notes.slice(0, 1)) print.result(ink.dim(note));
  print.result();
  const { withoutApproval, withApproval, settings } = policy;
  const ofLayers = originsIn(loaded.ceiling.layers, folder);
  const origins: Origins = {
    entry: (entry) => {
      const root = settings.roots.find((one) => one.path === entry.path);
      const runtime = settings.runtimes.find((one) => one.read.includes(entry.path));
      return root !== undefined
        ? `root ${root.name}`
        : runtime !== undefined
          ? `runtime ${runtime.name}`
          : ofLayers.entry(entry);
    },
    mask: (mask) => ofLayers.mask(mask) || "own files",
  };
  for (const line of profileLines(withApproval.profile, origins, ink)) print.result(line);
  const asked = shortfall(withApproval.profile, withoutApproval.profile);
  const onlyAsked = asked.map((one) => ["path" in one ? `${one.wanted} ${one.path}` : one.what]);
  printPart("only with approval", columns(onlyAsked), print);
  printPart(
    "requested but not granted",
    columns(withApproval.shortfall.map((one) => [printShortfall(one)])),
    print,
  );
}

/** The place of a clause in the first layer that has it. */
function originsIn(layers: readonly Layer[], folder: string): Origins {
  const placeOf = (key: string): string => {
    const layer = layers.find((one) => one.sources.has(key));
    return layer === undefined ? "" : printPlace(layer.sources.get(key) ?? null, folder);
  };
  return { entry: (entry) => placeOf(entryKey(entry.path)), mask: (mask) => placeOf(maskKey(mask)) };
}

async function showPlan(
  draft: Draft,
  format: "bwrap" | "seatbelt",
  { cwd: folder, simulated }: Host,
  print: Print,
): Promise<void> {
  const backend = BACKENDS.find((one) => one.name === BACKEND_OF[format]);
  if (backend === undefined)
    throw new CofferdamError("NOT_ENFORCEABLE", `this version has no backend for ${format}`, {
      hint: "use `--format text`",
    });
  const [cwd] = draft.policy.settings.roots.map((root) => root.path);
  const prepared = await draft.prepare({ argv: ["true"], ...(cwd === undefined ? {} : { cwd }) }, backend);
  const { rendering } = prepared.withApproval;
  switch (rendering.kind) {
    case "plan":
      for (const line of simulated === null ? [] : macLines(simulated, print.ink)) print.result(line);
      for (const line of planLines(rendering.plan, prepared.policy, print.ink, folder)) print.result(line);
      return;
    case "not-found":
      throw new CofferdamError(
        "CEILING_CUTS_RUNTIME",
        "`true` is missing in the sandbox, so there is no plan",
        { hint: "add `system` to `sandbox.runtimes`" },
      );
    case "denied":
      throw new CofferdamError("CEILING_CUTS_RUNTIME", rendering.refusal.reason, {
        hint: rendering.refusal.remedy,
      });
    case "refusal":
      throw new CofferdamError("NOT_ENFORCEABLE", `${backend.name}: ${rendering.refusal.reason}`, {
        hint: rendering.refusal.remedy,
      });
  }
}
