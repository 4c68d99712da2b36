import type { Config } from '../config/load-config.ts';
import type { CircuitPolicies } from '../core/circuit-policies.ts';

/** The operator's breakers and pauses as the host needs them. */
export function circuitPoliciesOf({ breaker }: Config): CircuitPolicies {
  return {
    binding: {
      windowMs: breaker.windowSeconds * 1000,
      minRuns: breaker.minRuns,
      troublePercent: breaker.troublePercent,
      faultPercent: breaker.throwPercent,
      pauseMs: breaker.pauseSeconds * 1000,
      maxPauseMs: Math.max(breaker.pauseSeconds, breaker.maxPauseSeconds) * 1000,
    },
    engine: {
      windowMs: breaker.killWindowSeconds * 1000,
      minRuns: breaker.killMinRuns,
      troublePercent: breaker.killPercent,
      faultPercent: 0,
      pauseMs: breaker.killPauseSeconds * 1000,
      maxPauseMs: Math.max(breaker.killPauseSeconds, breaker.maxKillPauseSeconds) * 1000,
    },
  };
}
