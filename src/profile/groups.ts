/** The groups of the first list that the second has as well, in the order of the first: the meet of two grants. */
export function meetGroups<Group>(a: readonly Group[], b: readonly Group[]): readonly Group[] {
  return a.filter((group) => b.includes(group));
}
