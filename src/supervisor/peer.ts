import { CofferdamError } from "../errors.ts";

/** What Yarn's Plug'n'Play says instead of Node (https://yarnpkg.com/advanced/pnpapi). */
const NOT_FOUND_BY_PLUG_AND_PLAY = "MODULE_NOT_FOUND";

/**
 * A module of ours that needs packages which are installed by those who want it. Throws `USAGE` with the command that
 * installs them where they are not there.
 */
export async function withPeers<Module>(
  load: () => Promise<Module>,
  ...names: readonly string[]
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const code: unknown = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== NOT_FOUND_BY_PLUG_AND_PLAY) throw cause;
    throw new CofferdamError(
      "USAGE",
      `this needs ${names.map((name) => `\`${name}\``).join(" and ")}, which can't be found`,
      {
        hint: `install beside cofferdam: \`npm install ${names.join(" ")}\``,
        cause,
      },
    );
  }
}
