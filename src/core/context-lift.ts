import { isJsonObject, type JsonValue } from './json.ts';

/** What a script is called with, with the members of the context that came inside it. */
export interface LiftedParam {
  readonly param: JsonValue;
  readonly eventName: string;
  /** Undefined where there is none. */
  readonly mqtt: JsonValue | undefined;
}

/**
 * Moves `EventName` and `MQTT` of the parameters to where scripts look for them, `V8.EventName` and `V8.MQTT`: that is
 * how a script hands an event on to another engine (v8-surface.md 5.1).
 */
export function liftContext(param: JsonValue): LiftedParam {
  if (!isJsonObject(param)) return { param, eventName: '', mqtt: undefined };
  const { EventName, MQTT, ...rest } = param;
  const eventName = typeof EventName === 'string' ? EventName : undefined;
  const mqtt = isJsonObject(MQTT) ? MQTT : undefined;
  if (eventName === undefined && mqtt === undefined) return { param, eventName: '', mqtt };
  const kept = {
    ...(eventName === undefined && EventName !== undefined ? { EventName } : {}),
    ...(mqtt === undefined && MQTT !== undefined ? { MQTT } : {}),
  };
  return { param: { ...rest, ...kept }, eventName: eventName ?? '', mqtt };
}
