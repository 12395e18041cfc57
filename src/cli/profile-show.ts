import { BACKENDS } from "../backend/all.ts";
import { columns, indented } from "../channel/columns.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { statedMac } from "../host/mac/stated.ts";
import { entryKey, type Layer, maskKey } from "../profile/explain.ts";
import { printShortfall, shortfall } from "../profile/shortfall.ts";
import { createDraft, type Draft } from "../supervisor/draft.ts";
import { usage } from "./arguments.ts";
import { profileNamed } from "./operator-profiles.ts";
import { printPlace } from "./place.ts";
import { planLines } from "./plan-text.ts";
import type { Print } from "./print.ts";
import { profileJson } from "./profile-json.ts";
import { type Origins, profileLines } from "./profile-text.ts";
import { statedLines } from "./rule-text.ts";

/** How a profile can be shown: for people, as data, or as what a backend makes of it. */
export const FORMATS = ["text", "json", "bwrap", "seatbelt"] as const;
type Format = (typeof FORMATS)[number];
const BACKEND_OF = { bwrap: "bubblewrap", seatbelt: "seatbelt" } as const;

/** What to show: what calls get here, or one operator profile. */
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
        "a plan is made of what calls get, not of one profile",
        `write \`--profile ${name}\` instead of the name`,
      );
    await showPlan(draft, format, draft.host, print);
  } else if (name !== null) {
    const { profile, layers } = profileNamed(host, draft.loaded.config, name);
    if (format === "json") print.json(profileJson(profile));
    else for (const line of profileLines(profile, originsIn(layers, host.cwd), print.ink)) print.result(line);
  } else if (format === "json") print.json(profileJson(draft.standing.onYes.profile));
  else showGranted(draft, host.cwd, print);
  return 0;
}

/** Rules of macOS are those of a Mac: where this machine is none, one is stated. */
function hostFor(host: Host, format: Format): Host {
  return format === "seatbelt" && host.platform !== "darwin"
    ? { ...host, stated: statedMac(host.user) }
    : host;
}

/** What calls get on a yes, and where that is more than they get unasked. */
function showGranted({ standing, loaded }: Draft, folder: string, print: Print): void {
  const { ink } = print;
  for (const note of loaded.notes.slice(0, 1)) print.result(ink.dim(note));
  print.result();
  const { unasked, onYes, settings } = standing;
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
  for (const line of profileLines(onYes.profile, origins, ink)) print.result(line);
  part(
    "only after a yes",
    shortfall(onYes.profile, unasked.profile).map((one) => [
      "path" in one ? `${one.wanted} ${one.path}` : one.what,
    ]),
    print,
  );
  part(
    "asked for and not given",
    onYes.shortfall.map((one) => [printShortfall(one)]),
    print,
  );
}

function part(title: string, rows: readonly (readonly string[])[], print: Print): void {
  if (rows.length === 0) return;
  print.result();
  print.result(print.ink.bold(title));
  for (const line of indented(columns(rows))) print.result(line);
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
  { cwd: folder, stated }: Host,
  print: Print,
): Promise<void> {
  const backend = BACKENDS.find((one) => one.name === BACKEND_OF[format]);
  if (backend === undefined)
    throw new CofferdamError("NOT_ENFORCEABLE", `this version has no backend for ${format}`, {
      hint: "use `--format text`",
    });
  const [cwd] = draft.standing.settings.roots.map((root) => root.path);
  const prepared = await draft.prepare({ argv: ["true"], ...(cwd === undefined ? {} : { cwd }) }, backend);
  const { rendering } = prepared.onYes;
  switch (rendering.kind) {
    case "plan":
      for (const line of stated === null ? [] : statedLines(stated, print.ink)) print.result(line);
      for (const line of planLines(rendering.plan, prepared.standing, print.ink, folder)) print.result(line);
      return;
    case "not-found":
      throw new CofferdamError("CEILING_CUTS_RUNTIME", "there is no `true` inside, to make a plan for", {
        hint: "add `system` to `sandbox.runtimes`",
      });
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
