import { isAtTerminal, sittingByProc, sittingByPs } from "../../../src/channel/at-terminal.ts";

/** Says how it sits at its terminal, by each way to tell. */
for (const sitting of [sittingByProc, sittingByPs])
  process.stdout.write(`${JSON.stringify([isAtTerminal(sitting), sitting()])}\n`);
