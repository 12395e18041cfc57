import { CofferdamError, visible } from "../errors.ts";

/** Replaces `${NAME}` by the environment variable. Throws `CONFIG_INVALID` if unset, without naming any value. */
export function withVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{([^}]*)\}/g, (_, name: string) => variable(name, env));
}

/** The value of a variable that a config names. Throws the same. */
export function variable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw new CofferdamError(
    "CONFIG_INVALID",
    `the config names the variable ${visible(name)}, which is not set or empty`,
    { hint: `set it in the environment: it is a secret, so a config does not contain it` },
  );
}
