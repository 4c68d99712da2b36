// The context members of `V8` (v8-surface.md 5.2). What is not in the run's ScriptInput reads as undefined.
(function defineContextMembers(kit) {
  const KEYS = ['Param', 'OsClient', 'CurrentUser', 'EventName', 'ApiEngineKey', 'InvokeType', 'Limits'];
  for (let i = 0; i < KEYS.length; i++) kit.addV8Member(KEYS[i], (input) => input[KEYS[i]]);
  kit.addV8Member('Result', () => undefined);
});
