import { MongoServers } from '../../../src/adapters/mongo/mongo-servers.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { documentsContract } from '../../contract/documents.contract.ts';
import { MongoPeer } from '../../support/mongo-peer.ts';
import { SILENT_LOG } from '../../support/silent-log.ts';

const { localText } = systemClock('Asia/Shanghai');

documentsContract('the MongoDB driver over its wire protocol', async (t) => {
  const peer = await MongoPeer.open();
  const servers = new MongoServers({ urlOf: async () => peer.url, localText, log: SILENT_LOG });
  t.after(async () => {
    await servers.close();
    await peer.stop();
  });
  const store = await servers.of('Tenant_A');
  if (store === undefined) throw new Error('no MongoDB');
  return store;
});
