import { describe } from "vitest";
import { sandboxMustWork, unusable } from "../../test/support/battery/needs.ts";
import { CLIENTS } from "./clients/all.ts";
import { tryClients } from "./clients/matrix.ts";

sandboxMustWork("programs that reach hosts");

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  tryClients(CLIENTS.programs);
});
