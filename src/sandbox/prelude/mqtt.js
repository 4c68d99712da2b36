// V8.MQTT: the event of the broker in its runs, and everywhere the way to devices.
(function defineMqtt(kit) {
  const publish = kit.makeHostCall('MQTT.Publish', 'Publish');

  kit.addV8Member('MQTT', (input) => {
    const event = input.MQTT ?? {};
    kit.defineVisible(event, 'Publish', publish);
    return event;
  });
});
