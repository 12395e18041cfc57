import type { Place } from "../battery/place.ts";

/** A search that takes longer than anybody waits: the expression tries each way to cut up a line of one letter. */
export const RUNAWAY = { path: "ws:a", regex: "^(x+x+)+y$" } as const;

/** The file that it never gets through. */
export const withRunaway = (place: Place): void => void place.file("ws/a", `${"x".repeat(40)}\n`);
