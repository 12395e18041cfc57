import type { Installation } from "../../src/host/look/installation.ts";
import { knownPath } from "../../src/profile/path.ts";

/** For tests that are not about the product's own code: no part of it lies where they work. */
export const NOT_INSTALLED: Installation = {
  folder: knownPath("/nonexistent/cofferdam"),
  project: null,
  node: knownPath("/nonexistent/node"),
  parts: [],
  places: [],
  loaded: [],
  identities: new Set(),
  commands: [],
  libraryFolders: [],
};
