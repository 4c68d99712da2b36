import { MongoClient } from 'mongodb';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';
import { clockFinding, type Finding, fine, problemOf } from '../../core/finding.ts';
import { fromMongoError } from './mongo-errors.ts';

const WAIT_MS = 3_000;

/** Looks a tenant's MongoDB over: login, version, whether it takes writes, clock. It writes nothing. Never rejects. */
export async function examineMongo(tenant: string, url: string): Promise<readonly Finding[]> {
  let client: MongoClient;
  try {
    client = new MongoClient(url, { serverSelectionTimeoutMS: WAIT_MS, connectTimeoutMS: WAIT_MS, maxPoolSize: 1 });
  } catch {
    // The driver's complaint may repeat a part of the string.
    const params = { tenant, field: 'DbMongoConnection', rule: UNREADABLE };
    return [problemOf('documents', tenant, { code: 'DOCUMENTS_URL_INVALID', params })];
  }
  const subject = `${tenant} ${client.options.hosts.map(String).join(',')}`;
  try {
    return await findingsOf(client, subject);
  } catch (thrown: unknown) {
    const error = fromMongoError(thrown);
    return [problemOf('documents', subject, error.toRecord())];
  } finally {
    await client.close();
  }
}

const UNREADABLE = bilingual('驱动程序无法识别', 'the driver cannot read it');

async function findingsOf(client: MongoClient, subject: string): Promise<readonly Finding[]> {
  await client.connect();
  const admin = client.db('admin');
  const { isWritablePrimary, localTime } = await admin.command({ hello: 1 });
  if (isWritablePrimary !== true) throw new AppError('DOCUMENTS_UNAVAILABLE', { reason: READ_ONLY });
  const { version } = await admin.command({ buildInfo: 1 });
  const found = fine('documents', subject, `MongoDB ${version}，可以登录`, `MongoDB ${version}, login works`);
  return localTime instanceof Date ? [found, clockFinding(subject, localTime.getTime() - Date.now())] : [found];
}

const READ_ONLY = bilingual('它不是可写的主节点', 'it is no primary that takes writes');
