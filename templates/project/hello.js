/**
 * 问候，并记下问候过谁。 Greets, and notes who was greeted.
 *   v8host run hello --param '{"Name":"Li"}'
 *
 * @apiName 问候 / hello
 */

if (!V8.Param.Name) return { Code: 0, Msg: '缺少 Name / Name is missing' };

const added = V8.FormEngine.AddFormData('hello_greeting', { Name: V8.Param.Name }, V8.DbTrans);
if (added.Code !== 1) return added;

return { Code: 1, Data: `Hello, ${V8.Param.Name}!` };
