// Context members of `V8` beside those that every run is given (v8-surface.md 5.2).
(function defineMoreContextMembers(kit) {
  // An older name of the same object.
  kit.addV8Member('CurrentSysUser', (input) => input.CurrentUser);
  kit.addV8Member('Header', (input) => input.Header ?? {});
  kit.addV8Member('FilesByteBase64', (input) => input.FilesByteBase64 ?? {});

  // Asked of the host when a script reads them: most never do, and what is not asked for never enters the sandbox.
  kit.addLazyV8Member('SysConfig', kit.makeHostCall('SysConfig.Read', 'SysConfig'));
  const readModel = kit.makeHostCall('OsClientModel.Read', 'OsClientModel');
  kit.addLazyV8Member('OsClientModel', readModel);
  kit.addLazyV8Member('ClientModel', readModel);
});
