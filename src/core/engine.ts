/** A row of `sys_apiengine` as a run needs it. */
export interface EngineSource {
  readonly key: string;
  readonly name: string;
  readonly source: string;
  /** First 12 hex digits of SHA-256 of the source. */
  readonly version: string;
  readonly enabled: boolean;
  /** Refused over HTTP when set; nested calls still work. */
  readonly stopHttp: boolean;
}
