import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestName } from '../../src/core/nearest-name.ts';

describe('the nearest known name', () => {
  const known = ['tenant', 'token', 'trace', 'dead-letters'];

  it('is the one that needs the fewest changes, in any case', () => {
    assert.equal(nearestName('tennat', known), 'tenant');
    assert.equal(nearestName('TRASE', known), 'trace');
    assert.equal(nearestName('deadletters', known), 'dead-letters');
    assert.equal(nearestName('tokens', known), 'token');
    assert.equal(nearestName('strat', ['start']), 'start');
    assert.equal(nearestName('atrt', ['start']), undefined);
  });

  it('is none when nothing is near', () => {
    assert.equal(nearestName('xyzzy', known), undefined);
    assert.equal(nearestName('', known), undefined);
    assert.equal(nearestName('tenant', []), undefined);
  });
});
