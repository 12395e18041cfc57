import type { Client } from "./client.ts";
import { PACKAGE_CLIENTS } from "./packages.ts";
import { PROGRAM_CLIENTS } from "./programs.ts";

/** All clients, by the file of tests that tries them. */
export const CLIENTS = { programs: PROGRAM_CLIENTS, packages: PACKAGE_CLIENTS } as const satisfies Readonly<
  Record<string, readonly Client[]>
>;
