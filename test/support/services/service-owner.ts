/** A process with one service of each kind; says where their folders are, and waits to be killed. */
import { dirname } from 'node:path';
import process from 'node:process';
import { startMariaDb } from './mariadb.ts';
import { startRabbitMq } from './rabbitmq.ts';
import { startRedis } from './redis.ts';
import { serviceDir } from './service-dir.ts';

const [mariadb, rabbitmq, redis] = await Promise.all([startMariaDb(), startRabbitMq(), startRedis()]);
const ports = [mariadb.port, rabbitmq.port, redis.port];
process.stdout.write(`${JSON.stringify({ dir: dirname(serviceDir('end')), ports })}\n`);
setInterval(() => undefined, 60_000);
