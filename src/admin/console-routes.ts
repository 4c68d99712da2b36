import { createReadStream } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { type ConsoleFile, type ConsoleFiles, findConsoleFiles } from './console-files.ts';

/**
 * What the page may load: its own files alone. The editor and the components set styles from script, hence
 * 'unsafe-inline' for styles; no script is inline.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The build puts a hash of the content into these names. */
const UNCHANGING = 'public, max-age=31536000, immutable';

const NOT_BUILT = `<!doctype html><html lang="zh"><meta charset="utf-8"><title>v8-engine-host</title>
<p>控制台尚未构建：在安装目录运行 <code>npm ci</code>（含开发依赖），再重启。API 与命令行不受影响。</p>
<p lang="en">The console has not been built: run <code>npm ci</code> (with development packages) where it is installed,
then restart. The API and the command line work without it.</p></html>`;

/** `GET /` and `GET /assets/*`: the console's page. Its data comes through the API, so the files need no token. */
export function addConsoleRoutes(server: FastifyInstance, directory: string): void {
  const files = findConsoleFiles(directory);
  server.get('/', async (request, reply) => {
    reply.header('content-security-policy', PAGE_POLICY);
    const page = files.get('index.html');
    if (page === undefined) return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
    return sendFile(page, request, reply);
  });
  server.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
    const file = assetOf(files, request.params['*']);
    // A worker's script carries the policy of the worker itself.
    reply.header('content-security-policy', PAGE_POLICY).header('cache-control', UNCHANGING);
    return sendFile(file, request, reply);
  });
}

function assetOf(files: ConsoleFiles, name: string): ConsoleFile {
  const file = files.get(`assets/${name}`);
  if (file === undefined) throw new AppError('NOT_FOUND', { what: `GET /assets/${name.slice(0, 200)}` });
  return file;
}

function sendFile(file: ConsoleFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.type(file.contentType).header('vary', 'accept-encoding');
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!takesGzip || file.gzipPath === undefined) return reply.send(createReadStream(file.path));
  return reply.header('content-encoding', 'gzip').send(createReadStream(file.gzipPath));
}
