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

test('the pause comes after all hosts, grows to five seconds and never ends', () => {
  const endpoint = new Endpoint(
    { ...SETTINGS, hosts: ['a', 'b'] },
    withRandom(() => 0.999999),
  );
  const pauses = [1, 2, 3, 4, 5, 6, 12, 2_000].map((attempt) => Math.round(endpoint.pauseMs(attempt, false)));
  assert.deepEqual(pauses, [0, 200, 0, 400, 0, 800, 5_000, 5_000]);
  assert.equal(
    new Endpoint(
      { ...SETTINGS, hosts: ['a'] },
      withRandom(() => 0),
    ).pauseMs(1, false),
    100,
  );
});

test('a broker that refuses the login is asked every half minute at most', () => {
  const endpoint = new Endpoint(
    { ...SETTINGS, hosts: ['a'] },
    withRandom(() => 0),
  );
  assert.deepEqual(
    [1, 2, 50].map((attempt) => endpoint.pauseMs(attempt, true)),
    [15_000, 15_000, 15_000],
  );
});

test('a virtual host may have any name', () => {
  assert.equal(new Endpoint({ ...SETTINGS, hosts: ['a'] }, systemIds()).options.vhost, 'a%2Fb%20c');
});
