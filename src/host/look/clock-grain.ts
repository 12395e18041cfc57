/** How far the times of a file system may lag behind the clock, in milliseconds. */
export const CLOCK_GRAIN_MS = 50;
