import {
  MongoCompatibilityError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { bilingual } from '../../core/bilingual.ts';
import { AppError } from '../../core/errors.ts';

/** Server codes that say the server cannot serve now, and why. */
const OUTAGES: Readonly<Record<number, string>> = {
  18: bilingual('用户名或密码不正确', 'user or password is wrong'),
  13: bilingual('MongoDB 用户缺少权限', 'the MongoDB user lacks a permission'),
  8000: bilingual('用户名或密码不正确', 'user or password is wrong'),
  91: bilingual('MongoDB 正在关闭', 'MongoDB is shutting down'),
  189: bilingual('主节点正在切换', 'the primary is changing'),
  10107: bilingual('主节点正在切换', 'the primary is changing'),
  11600: bilingual('MongoDB 正在关闭', 'MongoDB is shutting down'),
  11602: bilingual('主节点正在切换', 'the primary is changing'),
  13435: bilingual('主节点正在切换', 'the primary is changing'),
  64: bilingual('写入没有得到多数节点确认', 'the write was not confirmed by a majority'),
  14031: bilingual('MongoDB 磁盘已满', 'the disk of MongoDB is full'),
  50: bilingual('MongoDB 没有及时回答', 'MongoDB does not answer in time'),
};

const NO_ANSWER = bilingual('连接不到 MongoDB，或没有及时回答', 'it cannot be reached or does not answer in time');
const TOO_OLD = bilingual('MongoDB 版本过旧，需要 4.4 以上', 'this MongoDB is too old: 4.4 or later');
const LOST = bilingual('连接中断', 'the connection is lost');
const CERTIFICATE = bilingual('TLS 证书不被信任', 'the TLS certificate is not trusted');

const DUPLICATE_KEY = 11000;

/**
 * Translates what became of an operation. The cause keeps the kind and number alone: the driver's texts hold addresses,
 * and values of documents. @param id of the document that was written.
 */
export function fromMongoError(thrown: unknown, id = ''): AppError {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof MongoError)) return fromSystemError(thrown);
  const cause = new Error(`${thrown.name} ${thrown.code ?? ''}`.trim());
  if (thrown instanceof MongoServerError) return fromServerError(thrown, id, cause);
  return new AppError('DOCUMENTS_UNAVAILABLE', { reason: reasonOf(thrown) }, { cause });
}

/** What the connection string leads to before a server is asked: names of hosts (`mongodb+srv`), files of certificates. */
function fromSystemError(thrown: unknown): AppError {
  const { code, syscall } = (thrown ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  if (typeof code !== 'string' || typeof syscall !== 'string') return new AppError('INTERNAL', {}, { cause: thrown });
  const reason = bilingual(
    `连接串中的主机名或证书文件无法读取（${code}）`,
    `a host name or a certificate file of the connection string cannot be read (${code})`,
  );
  return new AppError('DOCUMENTS_UNAVAILABLE', { reason }, { cause: new Error(`${syscall} ${code}`) });
}

function fromServerError({ code, codeName }: MongoServerError, id: string, cause: Error): AppError {
  if (code === DUPLICATE_KEY) return new AppError('DOCUMENT_EXISTS', { id }, { cause });
  const outage = OUTAGES[Number(code)];
  if (outage !== undefined) return new AppError('DOCUMENTS_UNAVAILABLE', { reason: outage }, { cause });
  return new AppError(
    'DOCUMENTS_REFUSED',
    { reason: `${String(codeName ?? '')} (${String(code ?? '')})`.trim() },
    { cause },
  );
}

/** Why there is no server to ask. It names no address: tenants see it. */
function reasonOf(error: MongoError): string {
  if (error instanceof MongoServerSelectionError) {
    const within = [...(error.reason?.servers.values() ?? [])].map((server) => server.error);
    const server = within.find((each): each is MongoServerError => each instanceof MongoServerError);
    if (server !== undefined) return OUTAGES[Number(server.code)] ?? NO_ANSWER;
    if (within.some((each) => each instanceof MongoCompatibilityError)) return TOO_OLD;
    return within.some((each) => /certificate|self.signed/i.test(each?.message ?? '')) ? CERTIFICATE : NO_ANSWER;
  }
  return error instanceof MongoNetworkError ? LOST : NO_ANSWER;
}
