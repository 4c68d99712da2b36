import { z } from 'zod';
import type { ErrorCode, Lang } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';

/** A part of the API as the page groups it. */
export type RouteTag =
  | 'host'
  | 'login'
  | 'tenant'
  | 'engine'
  | 'binding'
  | 'message'
  | 'dead-letter'
  | 'mqtt'
  | 'people';

/** What the description of the API says of one route. Method, path and permission it has from the route itself. */
export interface RouteDoc {
  readonly tag: RouteTag;
  readonly summary: Readonly<Record<Lang, string>>;
  /** Status of success. 200 when absent. */
  readonly status?: 201;
  /** The very shape that the route checks its query with. */
  readonly query?: z.ZodRawShape;
  /** The very schema that the route checks its body with. */
  readonly body?: z.ZodType;
  /** `Data` of a success. */
  readonly data: z.ZodType;
  /** Media type of an answer that is no DosResult. */
  readonly media?: 'application/json' | 'text/html' | 'text/event-stream';
  /** `DataAppend` of a success, where it has one. */
  readonly append?: z.ZodType;
  /** The answer carries `TimeZone`, in which its texts of times are. */
  readonly hasTimeZone?: true;
  /** Refusals beside those that every route of its kind may answer with. */
  readonly errors: readonly ErrorCode[];
  /** A request that a test sends to a host, which must answer it with success. */
  readonly example: RouteExample;
}

export interface RouteExample {
  /** By name of the path's part. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
}

/** By method and path, as in route-permissions.ts. */
export type RouteDocs = Readonly<Record<string, RouteDoc>>;

/** A moment: milliseconds since 1970 UTC. */
export const MOMENT = z.int().describe('milliseconds since 1970 UTC');

/** A row of a tenant's table, or whatever a script made. */
export const ANY = z.unknown();

/** `Data` of a route that only does something. */
export const NOTHING = z.null();

export const IN_DEMO = { tenant: 'demo' } as const;
