/**
 * 总是失败：演示死信。错误里能看到脚本自己的文件名和行号。
 * Never succeeds, to show a dead letter; its error names the lines of this file.
 *   v8host send demo.broken '{"Amount":"12,5"}' --event-id broken-1
 *   v8host dead-letters list
 *
 * @apiName 总是失败 / always fails
 * @queue demo.broken
 * @retry 1
 * @backoff fixed:1s
 */

function readAmount(payload) {
  throw new Error('金额无法识别 / the amount cannot be read: ' + JSON.stringify(payload));
}

const amount = readAmount(V8.Param.Message.Message);

// 从不会执行到这里；即使写了数据，抛出异常后也会全部回滚。
// Never reached; had anything been written before the throw, it would have been rolled back.
return { Code: 1, Data: amount };
