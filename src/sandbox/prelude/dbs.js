// V8.Dbs: the tenant's other databases by their keys in any case, asked for at the first use in a run, and `Open`. A
// failure is thrown, as everywhere in SQL.
(function defineDbs(kit) {
  const list = kit.makeHostCall('Dbs.List', 'List');
  const send = kit.makeHostCall('Dbs.FromSql', 'FromSql');
  const begin = kit.makeHostCall('Dbs.Begin', 'BeginTransaction');
  const end = kit.makeHostCall('Dbs.End', 'End');
  const open = kit.makeHostCall('Dbs.Open', 'Open');
  const openDatabase = kit.publicFunction('Open', (type, connection) => databaseOf(dataOf(open(type, connection))));

  kit.addLazyV8Member('Dbs', () => {
    const listed = list();
    const keys = kit.isArray(listed.Data) ? listed.Data : [];
    const databases = {};
    const byName = { __proto__: null };
    for (let i = 0; i < keys.length; i++) {
      kit.defineVisible(databases, keys[i], databaseOf(keys[i]));
      byName[kit.toLowerCase(keys[i])] = databases[keys[i]];
    }
    kit.defineVisible(databases, 'Open', openDatabase);
    const get = (target, name) => {
      if (kit.hasOwn(target, name) || typeof name !== 'string') return target[name];
      // Whoever only looks at V8 as a whole is not told that the databases could not be listed.
      return listed.Code === 1 || name === 'toJSON' ? byName[kit.toLowerCase(name)] : dataOf(listed);
    };
    return new kit.ProxyConstructor(kit.freeze(databases), { __proto__: null, get });
  });

  function databaseOf(key) {
    return kit.freeze({
      FromSql: kit.publicFunction('FromSql', fromSql, { __proto__: null, key, transaction: undefined }),
      BeginTransaction: kit.publicFunction('BeginTransaction', beginTransaction, key),
    });
  }

  function fromSql({ key, transaction }, text) {
    const sendThere = ({ Sql, Parameters, Ending, Seconds }) =>
      send({ __proto__: null, Db: key, Tx: transaction, Sql, Parameters, Ending, Seconds });
    return kit.sqlSection.open(sendThere, text);
  }

  function beginTransaction(key) {
    const transaction = dataOf(begin({ __proto__: null, Db: key }));
    const finish = (name, commit) =>
      kit.publicFunction(name, () => void dataOf(end({ __proto__: null, Tx: transaction, Commit: commit })));
    return kit.freeze({
      FromSql: kit.publicFunction('FromSql', fromSql, { __proto__: null, key, transaction }),
      Commit: finish('Commit', true),
      Rollback: finish('Rollback', false),
      Close: finish('Close', false),
      Dispose: finish('Dispose', false),
    });
  }

  function dataOf(answer) {
    if (answer.Code === 1) return answer.Data;
    throw kit.sqlSection.failure(answer);
  }
});
