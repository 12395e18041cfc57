/** More of everything, for a machine with time: `scripts/test --long`. */
export const IS_LONG = process.env["COFFERDAM_LONG"] === "1";
