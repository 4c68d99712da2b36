import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Certificate,
  certificateChain,
  certificateFinding,
  type SentCertificate,
} from '../../src/core/certificate.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const DAY_MS = 86_400_000;
const inDays = (days: number): number => NOW + days * DAY_MS;
const lasting = (days: number, name = 'plant', from = -10): Certificate => ({
  name,
  startsAt: inDays(from),
  endsAt: inDays(days),
});

describe('a chain of certificates', () => {
  const finding = (...chain: readonly [Certificate, ...Certificate[]]) => {
    const place = { area: 'mqtt', subject: 'mqtts 8883' } as const;
    const { level, text } = certificateFinding(place, chain, NOW, { zh: '更换证书', en: 'replace it' });
    return [level, text.en, text.zh];
  };

  it('is well for a month and more, and to be renewed before', () => {
    assert.deepEqual(finding(lasting(30)), [
      'ok',
      'the certificate plant holds until 2026-12-30',
      '证书 plant 有效期至 2026-12-30',
    ]);
    assert.deepEqual(finding(lasting(29)), [
      'notice',
      'the certificate plant holds until 2026-12-29: replace it before that.',
      '证书 plant 有效期至 2026-12-29，请及时更换证书。',
    ]);
  });

  it('has ended when one of it has, and that one is named', () => {
    assert.deepEqual(finding(lasting(300), lasting(0, 'authority')).slice(0, 2), [
      'problem',
      'the certificate authority ended on 2026-11-30: replace it.',
    ]);
  });

  it('that begins later leads to the clock of the machine', () => {
    const [level, text = ''] = finding(lasting(300, '', 2));
    assert.equal(level, 'problem');
    assert.match(text, /^the certificate begins on 2026-12-02: check the clock of this machine, or replace it\.$/);
  });

  it('is read from its own certificate up to the authority that signed itself', () => {
    const authority: SentCertificate & { issuerCertificate?: SentCertificate } = {
      subject: { CN: ['root', 'second'] },
      valid_from: 'Nov 20 12:00:00 2026 GMT',
      valid_to: 'Nov 30 12:00:00 2036 GMT',
      fingerprint256: 'B',
    };
    authority.issuerCertificate = authority;
    const own = { ...authority, subject: {}, fingerprint256: 'A', issuerCertificate: authority };
    const times = { startsAt: inDays(-10), endsAt: Date.UTC(2036, 10, 30, 12) };
    assert.deepEqual(certificateChain(own), [
      { name: '', ...times },
      { name: 'root', ...times },
    ]);
  });

  it('of a peer without a certificate is empty', () => {
    // What Node gives then, whatever its types say.
    assert.deepEqual(certificateChain({} as unknown as SentCertificate), []);
  });
});
