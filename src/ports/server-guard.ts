/** Which servers the scripts of a tenant may be connected to, by the rules of outbound requests. */
export interface ServerGuard {
  /**
   * The address to connect to, checked after name resolution: a name that changes its answer gains nothing.
   * @throws AppError HTTP_TARGET_DENIED; the resolver's own error for a name that is not known.
   */
  addressOf(tenant: string, host: string, port: number): Promise<string>;
  /** True when the operator named this very server for the tenant or for every tenant (`outbound.allow`). */
  isListed(tenant: string, host: string, port: number): boolean;
}
