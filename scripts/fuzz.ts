/**
 * `npm run fuzz [-- packets [seed]]`: mutated packets against the MQTT broker, a million without arguments, and a tenth as
 * many mutated requests against the HTTP server. Ends with its bars; the seed tries the same ones again.
 */
import { reportBars } from '../test/bench/bars.ts';
import { fuzzHttp } from '../test/fuzz/http-fuzz.ts';
import { fuzz } from '../test/fuzz/mqtt-fuzz.ts';

const [packets = '1000000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
process.stdout.write(`${packets} packets, seed ${seed}\n`);
const result = await fuzz({ packets: Number(packets), seed: Number(seed) });
for (const failure of result.failures.slice(0, 5)) process.stdout.write(`${failure}\n`);
for (const message of result.foreign.slice(0, 5)) process.stdout.write(`reached the other tenant: ${message}\n`);
process.stdout.write(
  `${result.connections} connections; another tenant waited ${result.slowestMs.toFixed(0)} ms at most\n`,
);
const http = await fuzzHttp({ requests: Math.ceil(Number(packets) / 10), seed: Number(seed) });
for (const failure of http.failures.slice(0, 5)) process.stdout.write(`${failure}\n`);
process.stdout.write(`HTTP: ${[...http.statuses].map(([status, times]) => `${status}×${times}`).join(' ')}\n`);
reportBars([
  { name: 'fuzz_packets', value: result.packets, target: Number(packets) },
  { name: 'fuzz_failures', value: result.failures.length, target: 0, atMost: true },
  { name: 'fuzz_foreign_messages', value: result.foreign.length, target: 0, atMost: true },
  { name: 'fuzz_left_connections', value: result.leftConnections, target: 0, atMost: true },
  { name: 'fuzz_left_sessions', value: result.leftSessions, target: 0, atMost: true },
  { name: 'fuzz_http_requests', value: http.requests, target: Math.ceil(Number(packets) / 10) },
  { name: 'fuzz_http_failures', value: http.failures.length, target: 0, atMost: true },
  { name: 'fuzz_heap_growth_mib', value: result.heapGrowthMiB, target: 40, atMost: true },
]);
