import { CofferdamError } from "../errors.ts";

/** The code of Yarn's Plug'n'Play for this error of Node (https://yarnpkg.com/advanced/pnpapi). */
const NOT_FOUND_BY_PLUG_AND_PLAY = "MODULE_NOT_FOUND";

/** Imports our module that needs optional packages. Without them it throws `USAGE` with the command to install them. */
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
      `missing package: ${names.map((name) => `\`${name}\``).join(" and ")}`,
      {
        hint: `install it next to cofferdam: \`npm install ${names.join(" ")}\``,
        cause,
      },
    );
  }
}
