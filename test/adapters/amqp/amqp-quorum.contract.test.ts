import { queueContract } from '../../contract/queue.contract.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';

// Without a delivery limit, which would lose messages, a quorum queue puts what is returned singly behind the others.
queueContract('amqp quorum', async () => ({ place: (await freshVhost()).url, dispose: async () => undefined }), {
  requeuesToHead: false,
});
