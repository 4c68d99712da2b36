// What ends a chain of `FromSql`: one host call. Rows, numbers and null are its values, so a failure has no place among
// them: it is thrown, as on the platform, as an error of this context with the ReasonCode of the failed result.
(function defineSqlEndings(kit) {
  const { methods, addMethod, stateOf } = kit.sqlSection;

  function run(section, ending) {
    const { send, text, parameters, seconds } = stateOf(section);
    const answer = send({ __proto__: null, Sql: text, Parameters: parameters, Ending: ending, Seconds: seconds });
    if (answer.Code === 1) return answer.Data;
    throw failure(answer);
  }

  kit.sqlSection.failure = failure;

  function failure(answer) {
    const error = new kit.ErrorConstructor(answer.Msg);
    kit.defineHidden(error, 'Code', 0);
    kit.defineHidden(error, 'ReasonCode', answer.ReasonCode);
    return error;
  }

  function number(section, ending) {
    const value = run(section, ending);
    if (value === null) return 0;
    const parsed = kit.number(value);
    if (!kit.isFinite(parsed)) throw new kit.ErrorConstructor(`${ending}: 不是数字 / is no number`);
    return parsed;
  }

  const whole = (section, ending) => kit.trunc(number(section, ending));

  // More digits than a number holds stay text.
  function long(section, ending) {
    const value = run(section, ending);
    const parsed = kit.trunc(kit.number(value));
    if (!kit.isFinite(parsed)) throw new kit.ErrorConstructor(`${ending}: 不是数字 / is no number`);
    return kit.isSafeInteger(parsed) ? parsed : value;
  }

  function text(section, ending) {
    const value = run(section, ending);
    return value === null ? '' : kit.string(value);
  }

  // A row whose first value says no: `select count(*)` of nothing.
  function exists(section, ending) {
    const value = run(section, ending);
    return value !== null && value !== 0 && value !== '0' && value !== '';
  }

  // Member, the ending the host knows, and how its value is read.
  const ENDINGS = [
    ['ToArray', 'ToArray', run],
    ['ToList', 'ToArray', run],
    ['First', 'First', run],
    ['ToFirst', 'First', run],
    ['ToFirstDefault', 'First', run],
    ['ToScalar', 'ToScalar', run],
    ['ToInt', 'ToScalar', whole],
    ['ToLong', 'ToScalar', long],
    ['ToDecimal', 'ToScalar', number],
    ['ToStringValue', 'ToScalar', text],
    ['Exists', 'ToScalar', exists],
    ['ExecuteNonQuery', 'ExecuteNonQuery', run],
  ];

  for (let i = 0; i < ENDINGS.length; i++) {
    const member = ENDINGS[i][0];
    const ending = ENDINGS[i][1];
    const read = ENDINGS[i][2];
    addMethod(member, (section) => read(section, ending));
    addMethod(`${member}Async`, async (section) => read(section, ending));
  }
  kit.freeze(methods);
});
