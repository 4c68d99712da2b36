import { readFileSync } from 'node:fs';
import { createSecureContext, type TlsOptions } from 'node:tls';
import type { ListenerOptions } from '../adapters/mqtt/listener.ts';
import type { Config } from '../config/load-config.ts';
import { AppError, type ErrorRecord } from '../core/errors.ts';
import type { UnreadableSecrets } from '../core/sealed-secret.ts';

const DEFAULT_PORT = 1883;
const DEFAULT_TLS_PORT = 8883;

/** Ports tried after the default one that is taken. */
const PORTS_TRIED = 20;
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The main tenant's row of `sys_osclients`, where it has one. */
export type MainRow = Readonly<Record<string, unknown>>;

/**
 * Where the broker listens: by the configuration, and by the main tenant's columns where that says nothing
 * (mq-mqtt.md 6.1). With TLS asked for and not to be had there is no broker, rather than one in clear text.
 * @throws AppError MQTT_TLS_INVALID naming the field; SECRET_KEY_MISSING, SECRET_DAMAGED.
 */
export function mqttListeners(
  { mqtt }: Config,
  row: MainRow,
  unreadable: UnreadableSecrets = {},
): readonly ListenerOptions[] {
  const { bind } = mqtt;
  const tls = tlsOf(mqtt.tls, row, unreadable.MqttCertPassword);
  const configured = mqtt.port ?? portOf(row.MqttPort);
  const port = configured ?? DEFAULT_PORT;
  const wsPort = mqtt.wsPort ?? portOf(row.MqttWsPort);
  const common = { bind, portsTried: 0, maxMessageBytes: MAX_MESSAGE_BYTES };
  const plain: ListenerOptions[] = [
    { ...common, kind: 'mqtt', port, setting: 'mqtt.port', portsTried: configured === undefined ? PORTS_TRIED : 0 },
    ...(wsPort === undefined ? [] : [{ ...common, kind: 'ws', port: wsPort, setting: 'mqtt.wsPort' } as const]),
  ];
  if (tls === undefined) {
    if (mqtt.tls.only) throw invalid('mqtt.tls.only', 'no certificate');
    return plain;
  }
  const tlsPort = portOf(row.MqttTlsPort) ?? mqtt.tls.port;
  const { wssPort } = mqtt.tls;
  return [
    ...(mqtt.tls.only ? [] : plain),
    {
      ...common,
      kind: 'mqtts',
      port: tlsPort === 0 ? 0 : (tlsPort ?? DEFAULT_TLS_PORT),
      setting: 'mqtt.tls.port',
      tls,
    },
    ...(wssPort === undefined
      ? []
      : [{ ...common, kind: 'wss', port: wssPort, setting: 'mqtt.tls.wssPort', tls } as const]),
  ];
}

function portOf(value: unknown): number | undefined {
  const port = Number(value ?? 0);
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined;
}

function tlsOf(settings: Config['mqtt']['tls'], row: MainRow, unread: ErrorRecord | undefined): TlsOptions | undefined {
  const { certFile, keyFile, clientCaFile } = settings;
  const rowAsks = String(row.MqttUseTls ?? '') === '1';
  const rowPath = rowAsks ? String(row.MqttCertPath ?? '').trim() : '';
  const pfxFile = settings.pfxFile ?? (certFile === undefined && rowPath !== '' ? rowPath : undefined);
  if (certFile === undefined && pfxFile === undefined) {
    if (rowAsks) throw invalid('MqttCertPath', 'empty although MqttUseTls is 1');
    return undefined;
  }
  if (certFile !== undefined && keyFile === undefined) throw invalid('mqtt.tls.keyFile', 'missing');
  if (settings.password === undefined && unread !== undefined) throw new AppError(unread.code, unread.params);
  const passphrase = settings.password?.reveal() ?? textOf(row.MqttCertPassword);
  const options: TlsOptions = {
    minVersion: 'TLSv1.2',
    ...(pfxFile === undefined ? {} : { pfx: read('mqtt.tls.pfxFile', pfxFile) }),
    ...(certFile === undefined ? {} : { cert: read('mqtt.tls.certFile', certFile) }),
    ...(keyFile === undefined ? {} : { key: read('mqtt.tls.keyFile', keyFile) }),
    ...(passphrase === '' ? {} : { passphrase }),
    ...(clientCaFile === undefined
      ? {}
      : { ca: read('mqtt.tls.clientCaFile', clientCaFile), requestCert: true, rejectUnauthorized: true }),
  };
  checkCertificate(options, pfxFile === undefined ? 'mqtt.tls.certFile' : 'mqtt.tls.pfxFile');
  return options;
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Reads a file. Only its name is told: the path is the operator's. */
function read(field: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw invalid(field, `${path.split(/[\\/]/).at(-1) ?? ''}: ${code}`);
  }
}

/** A certificate that cannot be used is found now, not by the first device. */
function checkCertificate(options: TlsOptions, field: string): void {
  try {
    createSecureContext(options);
  } catch (error) {
    throw invalid(field, error instanceof Error ? error.message : String(error));
  }
}

function invalid(field: string, reason: string): AppError {
  return new AppError('MQTT_TLS_INVALID', { field, reason });
}
