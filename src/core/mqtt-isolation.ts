/** Names by which one tenant might try to reach another's devices. The self-test and the tests ask for every one. */

/** Filters that no tenant may subscribe to; `other` is the name of another tenant of the host. */
export function foreignFilters(other: string): readonly string[] {
  return [`tenant/${other}/#`, `${other}/x`, 'tenant/#', 'tenant/+/x', '$share/g/x', '$SYS/#', 'a/../x'];
}

/** Topics that no tenant may publish to, name as the topic of a will, or as the topic of an answer. */
export function foreignTopics(other: string): readonly string[] {
  return [`tenant/${other}/x`, `${other}/x`, '$SYS/x', '$share/g/x'];
}

/** A tenant's own filters that match as much as they can. */
export const WIDE_FILTERS: readonly string[] = ['#', '+', '+/#', '+/+', '+/+/+', '+/+/+/+'];
