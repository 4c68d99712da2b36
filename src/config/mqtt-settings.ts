import * as z from 'zod';
import { bilingual } from '../core/bilingual.ts';
import { Secret } from './secret.ts';
import { setting } from './setting-doc.ts';

const PORT = z.int().min(0).max(65_535);

/** One of its own for each setting: the documentation of a setting hangs at its schema. */
const file = () => z.string().min(1).optional();

/** An account is told from a tenant by the colon between them. */
const ACCOUNT = z.string().regex(/^[^\s:]{1,50}$/, {
  error: bilingual('1 到 50 个字符，不含空格和冒号', '1 to 50 characters without blanks and colons'),
});

const PASSWORD = z
  .string()
  .min(8, { error: bilingual('至少 8 个字符', 'at least 8 characters') })
  .transform((text) => new Secret(text));

/** The MQTT broker. Blank columns of the main tenant in `sys_osclients` are filled from here. */
export const MQTT_SETTINGS = z
  .strictObject({
    enabled: setting(z.boolean().optional(), {
      zh: '运行 MQTT 服务。不设置时由主租户 sys_osclients 的 MqttEnable 决定；演示租户默认启用。',
      en: 'Runs the MQTT broker. Without it MqttEnable of the main tenant in sys_osclients decides; the demo has one.',
      computedDefault: {
        zh: '主租户的 MqttEnable；演示时为 true',
        en: 'MqttEnable of the main tenant; true for the demo',
      },
    }),
    bind: setting(
      z
        .string()
        .regex(/^[A-Za-z0-9.:_-]+$/)
        .default('127.0.0.1'),
      {
        zh: 'MQTT 监听地址。设备从别的机器连接时改为 0.0.0.0。',
        en: 'Address of the MQTT listeners. Devices on other machines reach them only when this is changed, to 0.0.0.0 for instance.',
      },
    ),
    port: setting(PORT.optional(), {
      zh: 'MQTT 端口，0 为任意空闲端口。不设置时用主租户的 MqttPort，再缺省为 1883（被占用时顺延）。',
      en: 'MQTT port, 0 for any free one. Without it MqttPort of the main tenant, else 1883, which moves on when it is taken.',
      computedDefault: { zh: '1883', en: '1883' },
    }),
    wsPort: setting(PORT.optional(), {
      zh: 'MQTT over WebSocket 的端口。不设置时用主租户的 MqttWsPort；都没有则不监听。',
      en: 'Port of MQTT over WebSocket. Without it MqttWsPort of the main tenant; without both there is no listener.',
      computedDefault: { zh: '不监听', en: 'no listener' },
    }),
    account: setting(ACCOUNT.optional(), {
      zh: '主租户设备的账号，补全空白的 MqttAccount。',
      en: "Account of the main tenant's devices; fills a blank MqttAccount.",
      computedDefault: { zh: '演示时为 device', en: 'device for the demo' },
    }),
    password: setting(PASSWORD.optional(), {
      zh: '主租户设备的密码，补全空白的 MqttPwd。演示时主机生成一个并写入 {dataDir}/mqtt.password。',
      en: "Password of the main tenant's devices; fills a blank MqttPwd. For the demo the host makes one and writes it to {dataDir}/mqtt.password.",
      computedDefault: { zh: '演示时自动生成', en: 'generated for the demo' },
      secret: true,
    }),
    engine: setting(z.string().max(100).optional(), {
      zh: '处理主租户 MQTT 事件的接口引擎，补全空白的 MqttApiEngine。',
      en: "Engine that gets the main tenant's MQTT events; fills a blank MqttApiEngine.",
      computedDefault: { zh: '演示时为 device-telemetry', en: 'device-telemetry for the demo' },
    }),
    shared: z
      .strictObject({
        enabled: setting(z.boolean().default(false), {
          zh: '多台主机共用会话：会话、订阅、离线消息和保留消息存入 Redis，设备可连接任意一台。需要 databaseUrl 和 cacheUrl。',
          en: 'Hosts share the sessions: sessions, subscriptions, waiting and retained messages are in Redis, and devices may connect to any host. Needs databaseUrl and cacheUrl.',
        }),
        host: setting(z.string().min(1).optional(), {
          zh: '其他主机访问本机所用的主机名或地址。',
          en: 'Name or address by which the other hosts reach this one.',
          computedDefault: {
            zh: 'mqtt.bind；为 0.0.0.0 或 :: 时为机器名',
            en: "mqtt.bind; the machine's name when that is 0.0.0.0 or ::",
          },
        }),
        port: setting(PORT.default(7883), {
          zh: '其他主机访问本机 MQTT 服务的端口（加密，密钥存于 Redis），0 为任意空闲端口。设备不使用它。',
          en: 'Port where the other hosts reach the broker of this one (encrypted, the key is in Redis), 0 for any free one. Not for devices.',
        }),
      })
      .prefault({}),
    tls: z
      .strictObject({
        port: setting(PORT.default(8883), { zh: 'MQTT over TLS 的端口。', en: 'Port of MQTT over TLS.' }),
        wssPort: setting(PORT.optional(), {
          zh: 'MQTT over 安全 WebSocket 的端口；不设置则不监听。',
          en: 'Port of MQTT over secure WebSocket; without it there is no listener.',
          computedDefault: { zh: '不监听', en: 'no listener' },
        }),
        only: setting(z.boolean().default(false), {
          zh: '只接受 TLS 连接：不开放明文端口。',
          en: 'TLS only: there are no listeners without it.',
        }),
        certFile: setting(file(), {
          zh: '证书链（PEM）。与 keyFile 一起启用 TLS。',
          en: 'Certificate chain (PEM). With keyFile it turns TLS on.',
          computedDefault: { zh: '不启用 TLS', en: 'no TLS' },
        }),
        keyFile: setting(file(), {
          zh: '私钥（PEM）。',
          en: 'Private key (PEM).',
          computedDefault: { zh: '无', en: 'none' },
        }),
        pfxFile: setting(file(), {
          zh: '证书和私钥（PFX），代替 certFile 和 keyFile。不设置时用主租户的 MqttCertPath（MqttUseTls 为 1 时）。',
          en: 'Certificate and key (PFX) in place of certFile and keyFile. Without it MqttCertPath of the main tenant, when MqttUseTls is 1.',
          computedDefault: { zh: '无', en: 'none' },
        }),
        password: setting(
          z
            .string()
            .min(1)
            .transform((text) => new Secret(text))
            .optional(),
          {
            zh: 'PFX 或私钥的密码。',
            en: 'Password of the PFX or the key.',
            computedDefault: { zh: '无', en: 'none' },
            secret: true,
          },
        ),
        clientCaFile: setting(file(), {
          zh: '设置后，设备必须出示由该 CA（PEM）签发的证书。',
          en: 'When set, devices must show a certificate of this authority (PEM).',
          computedDefault: { zh: '不要求', en: 'not asked for' },
        }),
      })
      .prefault({}),
  })
  .prefault({});
