/**
 * The yardstick: what an engineer writes by hand for one queue, with the same guarantee and nothing else. One
 * transaction per message: inbox insert, one update, commit; then the acknowledgement.
 *
 *   node hand-written-consumer.ts <amqp url> <mysql url> <queue> <prefetch>
 */
import amqp from 'amqplib';
import mysql from 'mysql2/promise';

const [amqpUrl = '', mysqlUrl = '', queue = '', prefetchText = '1'] = process.argv.slice(2);
const prefetch = Number(prefetchText);
const pool = mysql.createPool({ uri: mysqlUrl, connectionLimit: prefetch });
const connection = await amqp.connect(amqpUrl);
const channel = await connection.createChannel();
await channel.prefetch(prefetch);
await channel.consume(queue, (message) => {
  if (message !== null) void handle(message);
});

async function handle(message: amqp.ConsumeMessage): Promise<void> {
  const envelope = JSON.parse(message.content.toString('utf8')) as { EventId: string; Message: { Id: string } };
  const db = await pool.getConnection();
  try {
    await db.query('BEGIN');
    await db.execute('INSERT INTO bench_inbox (EventId) VALUES (?)', [envelope.EventId]);
    await db.execute('UPDATE bench_stock SET Stock = Stock - 1, UpdateTime = NOW() WHERE Id = ?', [
      envelope.Message.Id,
    ]);
    await db.query('COMMIT');
  } catch (error) {
    await db.query('ROLLBACK');
    throw error;
  } finally {
    db.release();
  }
  channel.ack(message);
}
