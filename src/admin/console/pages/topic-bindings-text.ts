import { defineText } from '../text/text.ts';

/** Which topics of devices go into which queue, each field with what it does. */
export const TOPIC_BINDINGS = defineText(
  {
    title: '主题进入队列',
    about:
      '设备发到这些主题的消息先存入队列，设备才得到确认；再由队列的接口引擎处理，失败可重试、进入死信。没有绑定的主题由设备的接口引擎处理。几个绑定都符合时，最具体的生效。',
    none: '还没有绑定的主题。',
    bind: '绑定主题',
    columns: { filter: '主题', queue: '队列', eventIdPath: 'EventId 的字段', actions: '' },
    off: '已停用',
    unhandled: '还没有接口引擎处理：去绑定队列',
    fromDevice: '由设备或主机给出',
    edit: '修改',
    switchOff: '停用',
    switchOn: '启用',
    delete: '删除',
    askDelete: (filter: string) => `删除主题 ${filter} 的绑定？已在队列中的消息保留，以后的消息由设备的接口引擎处理。`,
    newTitle: '绑定主题',
    editTitle: '修改主题的绑定',
    saved: '已保存',
    labels: { filter: '主题', queue: '队列', eventIdPath: 'EventId 的字段（可空）', enabled: '启用' },
    hints: {
      filter:
        '不含租户前缀，例如 sensor/meter-1/reading；+ 代表任意一级：sensor/+/reading 是所有设备的读数；# 代表以下所有级：sensor/#',
      queue: '选择已有的队列，或输入新的队列名，例如 readings；谁处理它由脚本头部的 @queue 或“队列绑定”决定',
      eventIdPath:
        '设备给每条消息的唯一编号在内容的哪个字段：内容为 {"head":{"id":"m1-17"}} 时写 head.id。同一编号再次到达时不会再处理。MQTT 5 的用户属性 EventId 优先；都没有时，每次收到都是新消息',
      enabled: '停用后，消息由设备的接口引擎处理',
    },
  },
  {
    title: 'Topics into queues',
    about:
      'What devices publish to these topics is stored in a queue before they are acknowledged; the engine of the queue handles it, with retries and dead letters. Other topics go to the engine of the devices. Of several bindings that fit, the most specific counts.',
    none: 'No topic is bound yet.',
    bind: 'Bind a topic',
    columns: { filter: 'Topic', queue: 'Queue', eventIdPath: 'EventId in', actions: '' },
    off: 'switched off',
    unhandled: 'No engine handles it yet: bind the queue',
    fromDevice: 'given by the device or the host',
    edit: 'Change',
    switchOff: 'Switch off',
    switchOn: 'Switch on',
    delete: 'Delete',
    askDelete: (filter: string) =>
      `Delete the binding of ${filter}? Messages in the queue stay; later ones go to the engine of the devices.`,
    newTitle: 'Bind a topic',
    editTitle: 'Change the binding of a topic',
    saved: 'Saved',
    labels: { filter: 'Topic', queue: 'Queue', eventIdPath: 'EventId in (may be empty)', enabled: 'Switched on' },
    hints: {
      filter:
        'Without the tenant’s prefix, such as sensor/meter-1/reading; + is any one level: sensor/+/reading are the readings of every device; # is all levels below: sensor/#',
      queue:
        'Choose a queue, or type the name of a new one, such as readings; who handles it is said by @queue in a header, or under Queue bindings',
      eventIdPath:
        'Where the payload has the number that the device gives each message: of {"head":{"id":"m1-17"}} it is head.id. The same number again is not handled again. The MQTT 5 user property EventId comes first; with neither, each receipt is a new message',
      enabled: 'Switched off, messages go to the engine of the devices',
    },
  },
);
