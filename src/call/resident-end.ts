import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/config.ts";
import { policyForResident, type ResidentProgramSpec } from "../decide/resident-program.ts";
import { CofferdamError } from "../errors.ts";
import { isWithin } from "../profile/compare.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { prepareProgram } from "./prepare-program.ts";
import { residentKind } from "./program-kinds.ts";
import type { SessionContext } from "./session-context.ts";

/** A program by a config; null if that no longer has it. */
export type ResidentSpecIn = (config: Config) => ResidentProgramSpec | null;

/**
 * Calls `end` with the reason once a changed config would not start the same program, or not with the access that it
 * has. A config that can't be used ends nothing by itself: the next one that can decides.
 */
export function endWhenTooWide(
  { profile }: { readonly profile: Profile },
  started: ResidentProgramSpec,
  specIn: ResidentSpecIn,
  context: SessionContext,
  end: (because: string) => void,
): Disposable {
  const check = async (): Promise<void> => {
    try {
      const because = await whyTooWide(profile, started, specIn, context);
      if (because !== null) end(because);
    } catch (cause) {
      end(cause instanceof CofferdamError ? cause.message : "the config changed, and its access is unknown");
    }
  };
  return context.watch.onChange(() => void check());
}

/** A profile without roots in exceptions of masks that are apart from what is granted: they change nothing there. */
function reached(profile: Profile, { files }: Profile): Profile {
  const granted = files.filter(({ access }) => access !== "none").map(({ path }) => path);
  const isNear = (root: AbsolutePath): boolean =>
    granted.some((path) => isInside(path, root) || isInside(root, path));
  const masks = profile.masks.map(({ exceptTreesOf, ...mask }) =>
    exceptTreesOf === undefined ? mask : { ...mask, exceptTreesOf: exceptTreesOf.filter(isNear) },
  );
  return { ...profile, masks };
}

async function whyTooWide(
  profile: Profile,
  started: ResidentProgramSpec,
  specIn: ResidentSpecIn,
  context: SessionContext,
): Promise<string | null> {
  const { shared } = context;
  if (shared.stopped !== null) return null;
  const { loaded, changed } = shared;
  for (const { config } of changed === null ? [loaded] : [loaded, changed]) {
    const spec = specIn(config);
    if (spec === null) return "the config no longer lists it";
    if (!isDeepStrictEqual(spec.command, started.command)) return "the config has another command for it";
    if (spec.asksToStart && !started.asksToStart) return "its start needs approval now";
    const policy = policyForResident(shared.policy, spec);
    const { profile: most } = spec.asksToStart ? policy.withApproval : policy.withoutApproval;
    if (!isWithin(reached(profile, profile), reached(most, profile)))
      return "it has more access than the config allows now";
    const kind = residentKind(context, spec, {})(shared);
    const { verdict } = await prepareProgram(context, shared, await kind.callFor({}), kind.policy);
    if (verdict.action === "deny") return `its start is denied now: ${verdict.reason}`;
  }
  return null;
}
