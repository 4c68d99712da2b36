/**
 * A role that one host at a time has among those that share a main database, such as running the MQTT broker.
 * Implementation: adapters/sql/host-role-mysql.ts. Data files need none: one host has them to itself.
 */
export interface HostRole {
  /**
   * Takes the role when it is free, and confirms it when it is ours.
   * @returns false while another host has it.
   * @throws AppError DB_UNAVAILABLE and the like when nobody can tell; then it may be lost.
   */
  hold(): Promise<boolean>;
  /** Who has it, as the database knows it, such as `10.0.0.7:51234`; `?` when it does not tell. */
  holder(): Promise<string>;
  /** Gives it back, so that another host may have it at once. Never rejects. */
  release(): Promise<void>;
}
