import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { isProgram, namesIn, reach, textOf } from "./disk.ts";
import { absoluteIn } from "./private.ts";
import type { RuntimeSite } from "./site.ts";
import { tomlStrings } from "./toml.ts";

/**
 * The `rustc` that a rustup proxy would start: from `RUSTUP_TOOLCHAIN`, else from `default_toolchain` in
 * `$RUSTUP_HOME/settings.toml`. `"plain"` if the file is not a proxy, null if no installed toolchain is named. Folder
 * overrides and `rust-toolchain` files are not read: a repository must not choose grants.
 */
export function behindRustup(
  site: RuntimeSite,
  folder: AbsolutePath,
  launcher: string,
): AbsolutePath | "plain" | null {
  const cargo = absoluteIn(site, "CARGO_HOME") ?? joinPath(site.user.home, ".cargo");
  // Older versions hard-link the proxies, so only the folder identifies them.
  const isProxy = /^rustup(-init)?$/.test(launcher) || folder === reach(site, joinPath(cargo, "bin"))?.real;
  if (!isProxy) return "plain";
  const home = absoluteIn(site, "RUSTUP_HOME") ?? joinPath(site.user.home, ".rustup");
  const settings = textOf(site, joinPath(home, "settings.toml")) ?? "";
  const variable = site.env["RUSTUP_TOOLCHAIN"] ?? "";
  const wanted = variable !== "" ? variable : (tomlStrings(settings, null, "default_toolchain")[0] ?? "");
  const toolchains = joinPath(home, "toolchains");
  const name = toolchainName(namesIn(site, toolchains), wanted);
  const program = name === null ? null : joinPath(toolchains, `${name}/bin/rustc`);
  return program !== null && isProgram(site, program) ? program : null;
}

/** The installed toolchain of that name; `stable` means `stable-x86_64-unknown-linux-gnu` if only one fits. */
function toolchainName(installed: readonly string[], wanted: string): string | null {
  if (installed.includes(wanted)) return wanted;
  const longer = installed.filter(
    (name) => wanted !== "" && name.startsWith(`${wanted}-`) && !/^\d/.test(name.slice(wanted.length + 1)),
  );
  return longer.length === 1 ? (longer[0] ?? null) : null;
}
