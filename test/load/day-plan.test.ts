import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LoadOptions, paceAt, planDay, RATES } from './day-plan.ts';
import { readLoadOptions } from './load-options.ts';

const OPTIONS: LoadOptions = { seed: 7, minutes: 10, tenants: 4, devicesPerTenant: 25, rate: 1, shape: 'day' };

describe('the plan of a day', () => {
  it('is the same for the same seed and another for another', () => {
    assert.deepEqual(planDay(OPTIONS), planDay(OPTIONS));
    assert.notDeepEqual(planDay(OPTIONS).deeds.slice(0, 5), planDay({ ...OPTIONS, seed: 8 }).deeds.slice(0, 5));
  });

  it('has every kind, in the order of time, each EventId once, and nobody beyond the tenants and devices', () => {
    const { deeds, lengthMs } = planDay(OPTIONS);
    assert.deepEqual([...new Set(deeds.map(({ kind }) => kind))].sort(), [
      'alarm',
      'call',
      'label',
      'order',
      'poison',
      'telemetry',
    ]);
    assert.equal(new Set(deeds.map(({ id }) => id)).size, deeds.length);
    for (const [n, deed] of deeds.entries()) {
      assert.ok(deed.atMs >= (deeds[n - 1]?.atMs ?? 0) && deed.atMs < lengthMs, deed.id);
      assert.ok(deed.tenant >= 0 && deed.tenant < OPTIONS.tenants, deed.id);
      if ('device' in deed) assert.ok(deed.device >= 0 && deed.device < OPTIONS.devicesPerTenant, deed.id);
    }
  });

  it('follows the shifts: the morning has several times the deeds of the night, a steady load has not', () => {
    const inHours = (shape: LoadOptions['shape'], from: number, to: number): number => {
      const { deeds, lengthMs } = planDay({ ...OPTIONS, shape });
      const hour = (atMs: number): number => (atMs / lengthMs) * 24;
      return deeds.filter(({ atMs }) => hour(atMs) >= from && hour(atMs) < to).length;
    };
    assert.ok(inHours('day', 8, 11) > 3 * inHours('day', 0, 3));
    const [night, morning] = [inHours('steady', 0, 3), inHours('steady', 8, 11)];
    assert.ok(Math.abs(night - morning) < 0.2 * morning, `${night}, ${morning}`);
  });

  it('has about as many deeds as the rates say, and a rate of two twice as many', () => {
    const pace = Array.from({ length: 1_000 }, (_, n) => paceAt(n / 1_000, 'day')).reduce((a, b) => a + b) / 1_000;
    const readings = (rate: number): number =>
      planDay({ ...OPTIONS, rate }).deeds.filter(({ kind }) => kind === 'telemetry').length;
    const expected = RATES.telemetry * 600 * pace;
    assert.ok(Math.abs(readings(1) - expected) < 0.1 * expected, `${readings(1)}, ${expected}`);
    assert.ok(Math.abs(readings(2) - 2 * expected) < 0.2 * expected);
  });

  it('has its troubles once a day, and every ten minutes of a steady load', () => {
    const storms = (minutes: number, shape: LoadOptions['shape']): number =>
      planDay({ ...OPTIONS, minutes, shape, rate: 0.01 }).troubles.filter(({ what }) => what === 'reconnect-storm')
        .length;
    assert.deepEqual([storms(60, 'day'), storms(60, 'steady'), storms(3, 'steady')], [2, 12, 2]);
  });
});

describe('options of a load', () => {
  const given = { minutes: '10', seed: '1', tenants: '4', devices: '25', rate: '1', shape: 'day' };

  it('are read, parts of a minute, too', () => {
    assert.deepEqual(readLoadOptions({ ...given, minutes: '0.5', rate: '2' }), {
      ...{ minutes: 0.5, seed: 1, tenants: 4, devicesPerTenant: 25, rate: 2, shape: 'day' },
    });
  });

  it('are refused with the option and its range', () => {
    for (const [name, value, message] of [
      ['minutes', '0', /--minutes: a number from 0\.05 to 1440, not 0/],
      ['minutes', '', /--minutes/],
      ['tenants', '2.5', /--tenants: a whole number, not 2\.5/],
      ['devices', 'many', /--devices/],
      ['shape', 'night', /--shape: day or steady, not night/],
    ] as const) {
      assert.throws(() => readLoadOptions({ ...given, [name]: value }), message);
    }
  });
});
