import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQueueUrl } from '../../src/core/queue-url.ts';
import { accepted, refused } from '../support/parsed.ts';

test('a URL stands in for the columns', () => {
  assert.deepEqual(accepted(parseQueueUrl('amqp://us%40er:p%3Aw%2F@one,two:5673/v%2Fh')), {
    MQHost: 'one,two',
    MQPort: '5673',
    MQUserName: 'us@er',
    MQPassword: 'p:w/',
    MQVitrualHost: 'v/h',
    MQUseTls: '',
  });
});

for (const [url, field, value] of [
  ['amqp://u:p@h', 'MQPort', '5672'],
  ['amqps://u:p@h/', 'MQPort', '5671'],
  ['amqps://u:p@h', 'MQUseTls', '1'],
  ['amqp://u:p@h', 'MQVitrualHost', '/'],
  ['amqp://u:p@h/%2F', 'MQVitrualHost', '/'],
  ['amqp://u:p@[::1]:5672/v', 'MQHost', '::1'],
  ['amqp://h/v', 'MQUserName', ''],
] as const) {
  test(`${field} of ${url} is ${JSON.stringify(value)}`, () => {
    assert.equal(accepted(parseQueueUrl(url))[field], value);
  });
}

for (const url of [
  '',
  'rabbit:5672',
  'http://u:secret@h/v',
  'amqp://u:secret@/v',
  'amqp://u:secret@h:70000/v',
  'amqp://u:secret@h1:1,h2:2/v',
  'amqp://u:secret%zz@h/v',
  'amqp://u:secret@h/v?heartbeat=5',
  'amqp://u:secret@h/v#x',
]) {
  test(`${JSON.stringify(url)} is refused without being repeated`, () => {
    const error = refused(parseQueueUrl(url));
    assert.equal(error.params.field, 'queueUrl');
    assert.doesNotMatch(JSON.stringify(error), /secret/);
  });
}
