import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Document } from 'mongodb';
import { examineMongo } from '../../../src/adapters/mongo/examine-mongo.ts';
import { MongoPeer } from '../../support/mongo-peer.ts';
import { ownPort } from '../../support/own-port.ts';

describe('looking a MongoDB over', () => {
  const secondary = { isWritablePrimary: false, secondary: true, setName: 'rs', hosts: ['x:1'], me: 'x:1' };
  const hourAhead = { localTime: new Date(Date.now() + 3_600_000) };
  const cases: readonly [what: string, greeting: Document, url: (peer: MongoPeer) => string, found: RegExp][] = [
    ['a good one', {}, (peer) => peer.url, /^ok: MongoDB 7\.0\.0, login works; ok: -?\d\.\d s apart$/],
    ['a clock that is wrong', hourAhead, (peer) => peer.url, /problem: its clock is \d+\.\d s ahead/],
    ['a refused login', {}, (peer) => peer.urlFor('canary_user', 'canary_pass'), /problem: .*password is wrong$/],
    ['a secondary', secondary, (peer) => `${peer.url}/?directConnection=true`, /problem: .*no primary/],
    ['one that is too old', { maxWireVersion: 7 }, (peer) => peer.url, /problem: .*too old: 4\.4 or later$/],
    ['no connection string', {}, () => 'mongodb://canary:canary@h/?nonsense=canary', /problem: .*cannot read it$/],
  ];
  for (const [what, greeting, url, expected] of cases) {
    it(what, async (t) => {
      const peer = await MongoPeer.open(greeting);
      t.after(() => peer.stop());
      const findings = await examineMongo('acme', url(peer));
      assert.match(findings.map(({ level, text }) => `${level}: ${text.en}`).join('; '), expected);
      assert.doesNotMatch(JSON.stringify(findings), /canary/);
      assert.ok(findings.every(({ subject }) => subject.startsWith('acme')));
      assert.ok(peer.commands.every((command) => !('insert' in command) && !('update' in command)));
    });
  }

  it('one that is away', async () => {
    const [finding] = await examineMongo('acme', `mongodb://127.0.0.1:${await ownPort()}`);
    assert.equal(finding?.level, 'problem');
    assert.match(finding?.text.en ?? '', /cannot be reached/);
  });
});
