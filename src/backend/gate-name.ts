/** The name of the gate's shell in its own error messages: a line with it is ours, not the program's. */
export const GATE_NAME = "cofferdam-gate";
