import { resolve } from "node:path";

/** The folder of this package's `package.json`: sources, compiled files and bundles all lie two folders below it. */
export const PACKAGE_FOLDER = resolve(import.meta.dirname, "../..");
