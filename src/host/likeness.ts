/**
 * Whether what stands at a path is what was there before, or agreed to. `linked`: it is, but it, or a file in it, has another name,
 * by which a later call could change it unseen.
 */
export type Likeness = "same" | "linked" | "other";
