import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MongoPeer } from '../support/mongo-peer.ts';
import { runDoctor } from './doctor-run.ts';

it('v8host doctor looks over the MongoDB of the main tenant', { timeout: 240_000 }, async (t) => {
  const peer = await MongoPeer.open();
  t.after(() => peer.stop());
  const run = await runDoctor(t, { mongoUrl: peer.url });
  assert.deepEqual(run.texts('documents', 'ok'), ['MongoDB 7.0.0, login works'], run.out);
});
