import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchRoute, type RoutedEngine, readApiRoutes } from '../../src/core/api-route.ts';

const engine = (key: string, text: string): RoutedEngine => ({ key, routes: readApiRoutes(text) });

test('a path is found in any case, its parts by their names', () => {
  const engines = [engine('orders', ' /erp/Orders/{Id} ; /erp/orders/{Id}/lines/{Line}/;')];
  assert.deepEqual(matchRoute(engines, '/ERP/orders/A-7'), { key: 'orders', params: { Id: 'A-7' } });
  assert.deepEqual(matchRoute(engines, '/erp/orders/7/lines/2/'), { key: 'orders', params: { Id: '7', Line: '2' } });
  for (const path of ['/erp/orders', '/erp/orders/', '/erp/orders/7/lines', '/erp/order/7', '/', '']) {
    assert.equal(matchRoute(engines, path), undefined, path);
  }
});

test('of several routes the one with the fewest places wins, then the first', () => {
  const engines = [engine('any', '/a/{X}'), engine('other', '/a/{Y}'), engine('exact', '/A/b')];
  assert.deepEqual(matchRoute(engines, '/a/b'), { key: 'exact', params: {} });
  assert.deepEqual(matchRoute(engines, '/a/c'), { key: 'any', params: { X: 'c' } });
});

test('what is no path is left out', () => {
  for (const text of [
    '',
    ';',
    'a/b',
    '/',
    '/a//b',
    '/a/{}',
    '/a/{1}',
    '/a/x{Id}',
    '/a/{Id',
    '/{A}/{A}',
    '/a/{__proto__ }',
  ]) {
    assert.deepEqual(readApiRoutes(text), [], text);
  }
  assert.deepEqual(readApiRoutes('/a;b;/c').length, 2);
  assert.equal(readApiRoutes('/a;'.repeat(200)).length, 128);
});

test('a place of any name is no more than a parameter', () => {
  const { params } = matchRoute([engine('e', '/a/{__proto__}/{constructor}')], '/a/x/y') ?? { params: {} };
  assert.deepEqual(Object.entries(params), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  assert.equal(Object.getPrototypeOf(params), Object.prototype);
});
