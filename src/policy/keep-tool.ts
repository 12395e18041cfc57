/** The tool that a question is told by whether what a call left behind is to stay: nothing runs by a yes to it. */
export const KEEP_TOOL = "keep_files";
