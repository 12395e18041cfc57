/** The name of the start program's shell in its own error messages: a line with it is ours, not the program's. */
export const START_NAME = "cofferdam-start";
