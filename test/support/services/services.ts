import type { ServiceName } from './packages.ts';
import { askDesk } from './service-line.ts';
import { type ServiceUrls, sharedService } from './shared-services.ts';

/** The variables that `SERVICES=external` needs, by service. */
const EXTERNAL: { readonly [Name in ServiceName]: Readonly<Record<keyof ServiceUrls[Name], string>> } = {
  mariadb: { mysqlUrl: 'TEST_MYSQL_URL' },
  rabbitmq: { rabbitUrl: 'TEST_RABBITMQ_URL', rabbitApiUrl: 'TEST_RABBITMQ_API' },
  redis: { redisUrl: 'TEST_REDIS_URL' },
};

/**
 * Addresses of a real service for the tests, started at the first use in the run. It is shared by the files that run at
 * the same time: take a schema, a vhost or a database of your own (`freshDatabase`, `freshVhost`, `freshRedis`), and
 * never stop it (`startMariaDb` and its like give one that may be killed).
 *
 * `SERVICES=external` takes the addresses from the environment, `SERVICES=none` (the fast suite) refuses.
 * @throws Error of one line that says what is missing.
 */
export async function service<Name extends ServiceName>(name: Name): Promise<ServiceUrls[Name]> {
  switch (process.env.SERVICES ?? '') {
    case '':
      return privateService(name);
    case 'external':
      return externalService(name);
    case 'none':
      throw new Error(`this suite runs without services, and a test of it asks for ${name}`);
    default:
      throw new Error(`SERVICES is "${process.env.SERVICES}"; it may be external, none or unset`);
  }
}

/** Addresses of all of them. */
export async function services(): Promise<ServiceUrls['mariadb'] & ServiceUrls['rabbitmq'] & ServiceUrls['redis']> {
  const [mariadb, rabbitmq, redis] = await Promise.all([service('mariadb'), service('rabbitmq'), service('redis')]);
  return { ...mariadb, ...rabbitmq, ...redis };
}

async function privateService<Name extends ServiceName>(name: Name): Promise<ServiceUrls[Name]> {
  const answer = await askDesk(name);
  // A file that is run by itself has no runner with a desk: it starts its own.
  if (answer === undefined) return sharedService(name);
  if ('problem' in answer) throw new Error(answer.problem);
  return answer.urls as ServiceUrls[Name];
}

function externalService<Name extends ServiceName>(name: Name): ServiceUrls[Name] {
  const variables = Object.entries<string>(EXTERNAL[name]);
  const missing = variables.filter(([, variable]) => !process.env[variable]).map(([, variable]) => variable);
  if (missing.length > 0) throw new Error(`SERVICES=external needs ${missing.join(' and ')} for ${name}`);
  return Object.fromEntries(variables.map(([key, variable]) => [key, process.env[variable]])) as ServiceUrls[Name];
}
