import type { ListenerOptions } from '../../adapters/mqtt/listener.ts';
import type { Config } from '../../config/load-config.ts';
import { certificateFinding } from '../../core/certificate.ts';
import { coerceError } from '../../core/errors.ts';
import { type Finding, fine, notice, problem, problemOf } from '../../core/finding.ts';
import { type MainMqtt, type MqttTenant, mqttRegistry } from '../../core/mqtt-settings.ts';
import { sameTenant } from '../../core/tenant.ts';
import type { TenantSettings } from '../../ports/tenant-store.ts';
import { mqttListeners } from '../mqtt-listeners.ts';
import { mainMqttOf } from '../open-mqtt.ts';
import { examinePort } from './examine-machine.ts';
import { servedChain } from './served-chain.ts';

const REPLACE = { zh: '更换证书并重启主机', en: 'replace it and restart the host' };

/** The broker's listeners, certificates and the tenants' credentials. Never rejects. */
export async function examineMqtt(
  config: Config,
  dataDir: string,
  rows: readonly TenantSettings[],
  hostRuns: boolean,
): Promise<readonly Finding[]> {
  const { tenants } = mqttRegistry(rows, mainOf(config, dataDir));
  const main = tenants.find(({ isMain }) => isMain);
  if (main?.enabled !== true) return [notice('mqtt', config.tenant, '未启用', 'not enabled')];
  const own = rows.find(({ tenant }) => sameTenant(tenant, config.tenant));
  try {
    const listeners = mqttListeners(config, own?.row ?? {}, own?.unreadable);
    const ports = hostRuns ? [] : await Promise.all(listeners.map(portOf));
    const certificates = (await Promise.all(listeners.map(certificateOf))).flat();
    return [...certificates, ...ports, ...credentialFindings(tenants)];
  } catch (error: unknown) {
    return [problemOf('mqtt', config.tenant, coerceError(error).toRecord()), ...credentialFindings(tenants)];
  }
}

/** The demo's account has a password that the start makes and keeps in a file: nothing is to be done about it. */
function mainOf(config: Config, dataDir: string): MainMqtt {
  const main = mainMqttOf(config, dataDir, false);
  const { enabled, account, password } = config.mqtt;
  const isDemo = config.demo && enabled !== false && account === undefined && password === undefined;
  return isDemo ? { ...main, enabled: true, account: 'device', password: '(made by the start)' } : main;
}

function portOf({ setting, bind, port, portsTried }: ListenerOptions): Promise<Finding> {
  return examinePort(setting, bind, port, portsTried === 0);
}

/** How long the certificate of a listener holds, as its clients see it. */
async function certificateOf({ kind, port, tls }: ListenerOptions): Promise<readonly Finding[]> {
  if (tls === undefined) return [];
  const [first, ...others] = await servedChain(tls);
  if (first === undefined) return [];
  return [certificateFinding({ area: 'mqtt', subject: `${kind} ${port}` }, [first, ...others], Date.now(), REPLACE)];
}

/** Credentials that let nobody in, or two tenants' devices in by one pair. */
function credentialFindings(tenants: readonly MqttTenant[]): readonly Finding[] {
  const enabled = tenants.filter((each) => each.enabled && !each.allowAnonymous);
  return enabled.map((own) => {
    const { tenant } = own;
    if (own.account === '' || own.password === '') {
      const [zh, en] = own.isMain
        ? ['设置 mqtt.account 和 mqtt.password', 'set mqtt.account and mqtt.password']
        : ['在 sys_osclients 填写 MqttAccount 和 MqttPwd', 'fill in MqttAccount and MqttPwd in sys_osclients'];
      return problem(
        'mqtt',
        tenant,
        `缺少账号或密码（与主租户相同视为未填写），设备无法连接：${zh}。`,
        `no account or password (one equal to the main tenant's does not count), so no device can connect: ${en}.`,
      );
    }
    const twin = enabled.find(
      (each) => each !== own && (each.account === own.account || each.password === own.password),
    );
    if (twin === undefined) return fine('mqtt', tenant, '账号和密码是自己的', 'account and password of its own');
    return problem(
      'mqtt',
      tenant,
      `账号或密码与租户 ${twin.tenant} 相同：为每个租户设置不同的 MqttAccount 和 MqttPwd。`,
      `account or password equals that of tenant ${twin.tenant}: give each tenant its own MqttAccount and MqttPwd.`,
    );
  });
}
