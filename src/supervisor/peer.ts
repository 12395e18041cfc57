import { CofferdamError } from "../errors.ts";

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
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw cause;
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
