/** The tool name in a request about keeping files that a call left: approving it runs nothing. */
export const KEEP_TOOL = "keep_files";
