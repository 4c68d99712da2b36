import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { AppError, type Lang } from '../core/errors.ts';
import type { JsonValue } from '../core/json.ts';
import { parseJson } from '../core/json-text.ts';
import { validate } from './validate.ts';

/**
 * A request body, parsed and as text. The text stays because a message keeps its own JSON: a number beyond 2^53-1
 * would change on its way through a JavaScript value.
 */
export interface JsonBody {
  readonly text: string;
  readonly value: JsonValue;
}

/** Makes `application/json` bodies JsonBody; every other media type is refused. */
export function acceptJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: FastifyRequest, text: string) => {
    return text.trim() === '' ? undefined : parseBody(text);
  });
}

/** The checked body of a request. @throws AppError REQUEST_INVALID naming the field. */
export function readBody<T extends z.ZodType>(request: FastifyRequest, schema: T, lang: Lang): z.output<T> {
  return validate(schema, bodyOf(request)?.value, 'body', lang);
}

/** Undefined when the request has no body. */
export function bodyOf(request: FastifyRequest): JsonBody | undefined {
  return request.body as JsonBody | undefined;
}

/** @throws AppError JSON_INVALID with the position of the first bad character. */
function parseBody(text: string): JsonBody {
  const parsed = parseJson(text);
  if (parsed.ok) return { text, value: parsed.value };
  throw new AppError(parsed.error.code, parsed.error.params);
}
