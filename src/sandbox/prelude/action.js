// V8.Action: what the tenant's global code puts its own functions on, with the three that every tenant expects. The
// object is made for each run and may be changed.
(function defineAction(kit) {
  const getDateTimeNow = kit.publicFunction('GetDateTimeNow', () => kit.formatDate(new kit.DateConstructor()));
  const getTimestamp = kit.publicFunction('GetTimestamp', () => kit.trunc(kit.now() / 1000));
  const sleep = kit.makeHostCall('Action.Sleep', 'Sleep');

  kit.addV8Member('Action', () => ({ GetDateTimeNow: getDateTimeNow, GetTimestamp: getTimestamp, Sleep: sleep }));
});
