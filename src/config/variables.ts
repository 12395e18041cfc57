import { CofferdamError, visible } from "../errors.ts";

/**
 * A text of a config in which `${NAME}` stands for a variable of the environment. Throws `CONFIG_INVALID` for one that is
 * not set: what is secret has no default. The message names the variable, never what it holds.
 */
export function withVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => variable(name, env));
}

/** The value of a variable that a config names. Throws the same. */
export function variable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CofferdamError(
    "CONFIG_INVALID",
    `the variable ${visible(name)}, which the config names, is not set`,
    {
      hint: `set it for this process: it holds a secret, so no config does`,
    },
  );
}
