/** How many values a label may have; what comes later is counted as `other`. */
export interface LabelCaps {
  readonly tenants: number;
  /** Engines, and bound queues, of all tenants together. */
  readonly subjects: number;
}

export const DEFAULT_LABEL_CAPS: LabelCaps = Object.freeze({ tenants: 1_000, subjects: 2_000 });

/** Labels under their caps. */
export interface Labels {
  tenant(tenant: string): string;
  /** An engine or a queue of a tenant. */
  subject(tenant: string, subject: string): string;
}

/** What stands for every value beyond the cap. */
const OTHER = 'other';

/**
 * Keeps a label's values few: each one is a series for ever, in this process and in whatever scrapes it. The first
 * `most` values keep their names, every later one is counted as `other`.
 */
class LabelValues {
  readonly #most: number;
  readonly #known = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** True for a value that has its own series; a new one gets it while there is room. */
  has(value: string): boolean {
    if (this.#known.has(value)) return true;
    if (this.#known.size >= this.#most) return false;
    this.#known.add(value);
    return true;
  }

  of(value: string): string {
    return this.has(value) ? value : OTHER;
  }
}

/** Labels that keep to their caps. */
export function cappedLabels(caps: LabelCaps): Labels {
  const tenants = new LabelValues(caps.tenants);
  const subjects = new LabelValues(caps.subjects);
  return {
    tenant: (tenant) => tenants.of(tenant),
    subject: (tenant, subject) => (subjects.has(JSON.stringify([tenant, subject])) ? subject : OTHER),
  };
}
