import { once } from 'node:events';
import { checkServerIdentity, connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { type Certificate, certificateChain, certificateFinding } from '../../core/certificate.ts';
import { type Finding, fine, problem, problemOf } from '../../core/finding.ts';
import type { AmqpSettings } from '../../core/mq-settings.ts';
import { CONNECT_TIMEOUT_MS, tlsName } from './endpoint.ts';
import { fromConnectError } from './from-amqp-error.ts';

const REPLACE = {
  zh: '在 RabbitMQ 上更换证书（ssl_options.certfile）',
  en: 'replace it at RabbitMQ (ssl_options.certfile)',
};

/** What the check of the dates says already. */
const ABOUT_DATES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
/** What the check of the name says already. */
const ABOUT_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';

/**
 * Looks at the certificate that one RabbitMQ host shows: its name, its end and who signed it. Nothing is sent over the
 * connection. Never rejects. @param settings of one host.
 */
export async function examineTls(subject: string, settings: AmqpSettings): Promise<readonly Finding[]> {
  const [host = ''] = settings.hosts;
  const name = tlsName(settings);
  const socket = connect({ host, port: settings.port, ...name, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return findingsOf(subject, socket, name.servername ?? host);
  } catch (error: unknown) {
    return [problemOf('queue', subject, fromConnectError(error, settings).toRecord())];
  } finally {
    socket.destroy();
  }
}

function findingsOf(subject: string, socket: TLSSocket, name: string): readonly Finding[] {
  const certificate = socket.getPeerCertificate(true);
  const [first, ...others] = certificateChain(certificate);
  if (first === undefined) return [];
  const chain: [Certificate, ...Certificate[]] = [first, ...others];
  return [
    nameFinding(subject, certificate, name),
    ...trustFindings(subject, String(socket.authorizationError ?? '')),
    certificateFinding({ area: 'queue', subject }, chain, Date.now(), REPLACE),
  ];
}

function nameFinding(subject: string, certificate: DetailedPeerCertificate, name: string): Finding {
  if (checkServerIdentity(name, certificate) === undefined) {
    return fine('queue', subject, `TLS：证书包含名称 ${name}`, `TLS: the certificate bears the name ${name}`);
  }
  const names = certificate.subjectaltname ?? certificate.subject.CN ?? '';
  return problem(
    'queue',
    subject,
    `证书的名称是 ${names}，不含 ${name}：把 MQTlsServerName 设为其中的 DNS 名称，或更换包含 ${name} 的证书。`,
    `the certificate is for ${names} and not for ${name}: set MQTlsServerName to a DNS name of it, or give RabbitMQ one for ${name}.`,
  );
}

function trustFindings(subject: string, reason: string): readonly Finding[] {
  if (reason === '' || ABOUT_DATES.has(reason) || reason === ABOUT_NAME) return [];
  return [
    problem(
      'queue',
      subject,
      `本机不信任证书的颁发者（${reason}）：用 NODE_EXTRA_CA_CERTS=颁发者.pem 启动主机，或使用受信任的证书。`,
      `this machine does not trust who signed the certificate (${reason}): start the host with NODE_EXTRA_CA_CERTS=authority.pem, or use a certificate that is trusted.`,
    ),
  ];
}
