import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Endpoint } from '../../../src/adapters/amqp/endpoint.ts';
import { systemIds } from '../../../src/adapters/system/system-ids.ts';

const SETTINGS = { port: 5672, user: 'u', password: 'p', vhost: 'a/b c', tls: false };
const withRandom = (random: () => number) => ({ ...systemIds(), random });

test('every host is tried once before any is tried again, in an order that changes', () => {
  const hosts = ['a', 'b', 'c'];
  const endpoint = new Endpoint({ ...SETTINGS, hosts }, systemIds());
  const orders = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const order = hosts.map(() => {
      const { hostname } = endpoint.options;
      endpoint.moveOn();
      return hostname;
    });
    assert.deepEqual([...order].sort(), hosts);
    orders.add(order.join());
  }
  assert.ok(orders.size > 1);
});

/** Pauses of a row of failed attempts. */
function pausesOf(endpoint: Endpoint, attempts: number, refused = false): number[] {
  return Array.from({ length: attempts }, (_, index) => {
    endpoint.moveOn();
    return Math.round(endpoint.pauseMs(index + 1, refused));
  });
}

test('the pause comes after all hosts, grows to five seconds and never ends', () => {
  const endpoint = new Endpoint(
    { ...SETTINGS, hosts: ['a', 'b'] },
    withRandom(() => 0.999999),
  );
  assert.deepEqual(pausesOf(endpoint, 8), [0, 200, 0, 400, 0, 800, 0, 1_600]);
  const pauses = pausesOf(
    new Endpoint(
      { ...SETTINGS, hosts: ['a'] },
      withRandom(() => 0),
    ),
    2_000,
  );
  assert.deepEqual([pauses[0], pauses[1], pauses[5], pauses.at(-1)], [100, 200, 2_500, 2_500]);
});

test('a host that was lost is followed by the next one at once', () => {
  const endpoint = new Endpoint({ ...SETTINGS, hosts: ['a', 'b', 'c'] }, systemIds());
  const lost = endpoint.host;
  endpoint.moveOn();
  assert.notEqual(endpoint.host, lost);
  assert.equal(endpoint.isAtFirst, false);
  assert.equal(endpoint.pauseMs(1, false), 0);
});

test('a broker that refuses the login is asked every half minute at most', () => {
  const endpoint = new Endpoint(
    { ...SETTINGS, hosts: ['a'] },
    withRandom(() => 0),
  );
  assert.deepEqual(pausesOf(endpoint, 3, true), [15_000, 15_000, 15_000]);
});

test('a virtual host may have any name', () => {
  assert.equal(new Endpoint({ ...SETTINGS, hosts: ['a'] }, systemIds()).options.vhost, 'a%2Fb%20c');
});
