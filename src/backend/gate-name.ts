/** What the shell at a gate calls itself where it complains: that line is ours, and no program's. */
export const GATE_NAME = "cofferdam-gate";
