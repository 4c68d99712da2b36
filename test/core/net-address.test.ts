import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isAddress, isPublicAddress } from '../../src/core/net-address.ts';

const CLOSED = [
  ['this host', '0.0.0.0'],
  ['loopback', '127.0.0.1'],
  ['end of loopback', '127.255.255.255'],
  ['private 10/8', '10.255.0.1'],
  ['private 172.16/12', '172.16.0.1'],
  ['end of 172.16/12', '172.31.255.255'],
  ['private 192.168/16', '192.168.1.1'],
  ['cloud metadata', '169.254.169.254'],
  ['Alibaba metadata in CGNAT', '100.100.100.200'],
  ['end of CGNAT', '100.127.255.255'],
  ['Azure host agent', '168.63.129.16'],
  ['Oracle metadata', '192.0.0.192'],
  ['benchmarks', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['IPv6 unspecified', '::'],
  ['IPv6 loopback', '::1'],
  ['long IPv6 loopback', '0:0:0:0:0:0:0:1'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hex', '::ffff:7f00:1'],
  ['mapped metadata', '::FFFF:a9fe:a9fe'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
  ['6to4', '2002:7f00:1::1'],
  ['Teredo', '2001:0:4136:e378::1'],
  ['link-local', 'fe80::1'],
  ['link-local with zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['unique local', 'fd00:ec2::254'],
  ['multicast IPv6', 'ff02::1'],
  ['documentation IPv6', '2001:db8::1'],
  ['discard', '100::1'],
] as const;

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2400:3200::1',
  '2001:200::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

const NO_ADDRESSES = [
  '',
  'localhost',
  '1.2.3',
  '1.2.3.256',
  '0x7f.0.0.1',
  '1.2.3.4.5',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8::',
  '12345::1',
  '::1.2.3',
];

describe('public addresses', () => {
  for (const [what, address] of CLOSED) {
    it(`closes ${what}: ${address}`, () => {
      assert.equal(isAddress(address), true);
      assert.equal(isPublicAddress(address), false);
    });
  }
  for (const address of PUBLIC) {
    it(`opens ${address}`, () => assert.equal(isPublicAddress(address), true));
  }
  for (const text of NO_ADDRESSES) {
    it(`takes ${JSON.stringify(text)} for no address, so it is not public`, () => {
      assert.equal(isAddress(text), false);
      assert.equal(isPublicAddress(text), false);
    });
  }

  it('judges a mapped address as the IPv4 address it means', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => isPublicAddress(address) === isPublicAddress(`::ffff:${address}`)));
  });

  it('reads every spelling of an IPv6 address', () => {
    fc.assert(fc.property(fc.ipV6(), (address) => isAddress(address)));
  });
});
