import { queueContract } from '../../contract/queue.contract.ts';
import { freshVhost } from '../../support/services/fresh-vhost.ts';

queueContract('amqp classic', async () => ({ place: (await freshVhost()).url, dispose: async () => undefined }));
