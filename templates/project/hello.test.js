// 用 v8host test 运行：在内置主机和临时数据库中。 Run by v8host test: on an embedded host, with a database of its own.

test('greets by name and notes it', () => {
  const greeted = V8.ApiEngine.Run('hello', { Name: 'Li' });
  assert.equal(greeted.Code, 1);
  assert.equal(greeted.Data, 'Hello, Li!');
  const noted = V8.FormEngine.GetTableData('hello_greeting', { _Where: [['Name', '=', 'Li']] });
  assert.equal(noted.DataCount, 1);
});

test('needs a name', () => {
  assert.equal(V8.ApiEngine.Run('hello', {}).Code, 0);
});

test('handles a message', () => {
  assert.equal(deliver('hello-message', { Name: 'Wang' }).Code, 1);
});
