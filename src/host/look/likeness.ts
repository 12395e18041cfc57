/**
 * Compares the entry at a path with the earlier, or approved, one. `linked`: the same, but it, or a file in it, has
 * another name, by which a later call could change it unseen.
 */
export type Likeness = "same" | "linked" | "other";
