import { describe } from "vitest";
import { CLIENTS } from "../../scripts/lib/compat/clients.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { tryClients } from "../support/clients/matrix.ts";

sandboxMustWork("what installs packages from hosts");

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  tryClients(CLIENTS.packages);
});
