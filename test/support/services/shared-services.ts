import { startMariaDb } from './mariadb.ts';
import type { ServiceName } from './packages.ts';
import { startRabbitMq } from './rabbitmq.ts';
import { startRedis } from './redis.ts';

/** Addresses of the services that the tests of a run share. */
export interface ServiceUrls {
  readonly mariadb: {
    /** Of a user who may make schemas and users; no database chosen. */
    readonly mysqlUrl: string;
  };
  readonly rabbitmq: {
    /** Of a user on an existing vhost. */
    readonly rabbitUrl: string;
    /** Management API with the credentials of a user who may make vhosts and users. */
    readonly rabbitApiUrl: string;
  };
  readonly redis: {
    /** Of database 0, which is the harness's own. */
    readonly redisUrl: string;
  };
}

const START: { readonly [Name in ServiceName]: () => Promise<ServiceUrls[Name]> } = {
  mariadb: async () => ({ mysqlUrl: (await startMariaDb()).url }),
  rabbitmq: async () => {
    const { url, apiUrl } = await startRabbitMq();
    return { rabbitUrl: url, rabbitApiUrl: apiUrl };
  },
  redis: async () => ({ redisUrl: (await startRedis()).url }),
};

const started = new Map<ServiceName, Promise<ServiceUrls[ServiceName]>>();

/** Starts a service in this process at the first call; it lives as long as the process. */
export function sharedService<Name extends ServiceName>(name: Name): Promise<ServiceUrls[Name]> {
  const running = started.get(name) ?? START[name]();
  started.set(name, running);
  return running as Promise<ServiceUrls[Name]>;
}

/** Narrows what came over the wire. */
export function isServiceName(text: string): text is ServiceName {
  return Object.hasOwn(START, text);
}
