/** What every adapter of invalidation promises (ports/invalidation.ts). Run against each adapter by test/adapters. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Invalidation, InvalidationListener } from '../../src/ports/invalidation.ts';
import { eventually } from '../support/eventually.ts';

/** Long enough for a wrong event to show. Milliseconds. */
const QUIET_MS = 50;

export interface InvalidationPlace {
  readonly hosts: readonly Invalidation[];
  dispose(): Promise<void>;
}

/** A listener that writes down what it is told, as `tenant/name`. */
export class EventNotes implements InvalidationListener {
  readonly events: string[] = [];
  misses = 0;

  changed(tenant: string, name: string): void {
    this.events.push(`${tenant}/${name}`);
  }
  missed(): void {
    this.misses++;
  }
}

/** @param makePlace hosts that hear each other; one where there can be no other. */
export function invalidationContract(adapter: string, makePlace: () => Promise<InvalidationPlace>): void {
  describe(`invalidation contract: ${adapter}`, () => {
    let place: InvalidationPlace;

    const first = (): Invalidation => {
      const [host] = place.hosts;
      assert.ok(host);
      return host;
    };

    beforeEach(async () => {
      place = await makePlace();
      await eventually(() => assert.ok(place.hosts.every((host) => host.isLive())));
    });
    afterEach(() => place.dispose());

    it('tells every listener of every host, the announcing one included', async () => {
      const notes = place.hosts.flatMap((host) => {
        const two = [new EventNotes(), new EventNotes()];
        for (const listener of two) host.listen(listener);
        return two;
      });
      await first().announce('Tenant-A', ['engine:order-intake', 'engine:订单']);
      await eventually(() => assert.ok(notes.every(({ events }) => events.length === 2)));
      for (const { events, misses } of notes) {
        assert.deepEqual(events.sort(), ['tenant-a/engine:order-intake', 'tenant-a/engine:订单']);
        assert.equal(misses, 0);
      }
    });

    it('tells thousands of names', async () => {
      const notes = new EventNotes();
      place.hosts.at(-1)?.listen(notes);
      const names = Array.from({ length: 2_001 }, (_, index) => `engine:e${index}`);
      await first().announce('t1', names);
      await eventually(() => assert.equal(notes.events.length, names.length));
      assert.equal(new Set(notes.events).size, names.length);
    });

    it('tells nothing to who stopped listening', async () => {
      const [gone, stays] = [new EventNotes(), new EventNotes()];
      const stop = first().listen(gone);
      first().listen(stays);
      stop();
      await first().announce('t1', ['engine:a']);
      await eventually(() => assert.equal(stays.events.length, 1));
      assert.deepEqual(gone.events, []);
    });

    it('announces nothing for no names', async () => {
      const notes = new EventNotes();
      first().listen(notes);
      await first().announce('t1', []);
      await delay(QUIET_MS);
      assert.deepEqual(notes.events, []);
    });
  });
}
