// Events of tables (v8-surface.md 5.7): `V8.Form` and its companions, which the run gives back beside its result, and the
// row filter, one script that goes over the rows of a read.
(function defineTableEvent(kit) {
  const MEMBERS = ['Form', 'OldForm', 'FormSubmitAction', 'TableModel', 'NotSaveField'];

  // Before the script; `event` is absent in every other run.
  kit.enterEvent = (run, v8, event) => {
    if (event === undefined) return;
    run.event = { __proto__: null, rows: event.Rows };
    for (let i = 0; i < MEMBERS.length; i++) {
      if (event[MEMBERS[i]] !== undefined) kit.defineVisible(v8, MEMBERS[i], event[MEMBERS[i]]);
    }
    if (event.Rows !== undefined) kit.defineVisible(v8, 'CacheData', {});
  };

  // The row filter: once for each row, one after the other, all of them with the same CacheData.
  kit.filterRows = async (run, v8, script) => {
    const { rows } = run.event;
    for (let i = 0; i < rows.length; i++) {
      kit.defineVisible(v8, 'Form', rows[i]);
      kit.defineVisible(v8, 'RowIndex', i);
      const value = script();
      if (kit.isObject(value)) await value;
      kit.defineEntry(rows, i, v8.Form);
    }
  };

  // What an event gives to the host.
  kit.eventResult = (run, v8, result) => {
    const { rows } = run.event;
    const { NotSaveField } = v8;
    if (rows !== undefined) return { __proto__: null, Rows: rows, NotSaveField };
    return { __proto__: null, Result: result, Form: v8.Form, NotSaveField };
  };
});
